package pressgauge;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import org.bson.BsonType;

/** A value of any type, as BSON stores it. */
final class RawValue extends BsonValue {
  private final BsonType type;

  RawValue(BsonType type, byte[] array, int offset, int length) {
    super(array, offset, length);
    this.type = type;
  }

  RawValue(BsonType type, byte[] bytes) {
    this(type, bytes, 0, bytes.length);
  }

  static RawValue int32(int value) {
    return new RawValue(BsonType.INT32, littleEndian(Integer.BYTES).putInt(value).array());
  }

  static RawValue int64(BsonType type, long value) {
    return new RawValue(type, littleEndian(Long.BYTES).putLong(value).array());
  }

  static ByteBuffer littleEndian(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /**
   * The number that a server has when it added so many times 1 to this one.
   *
   * @throws IllegalStateException if this is no number, or a decimal one
   */
  RawValue plus(long times) {
    return switch (type) {
      case INT32 -> {
        long sum = bytes().getInt(0) + times;
        yield sum == (int) sum ? int32((int) sum) : int64(BsonType.INT64, sum);
      }
      case INT64 -> int64(BsonType.INT64, bytes().getLong(0) + times);
      case DOUBLE -> {
        double sum = bytes().getDouble(0);
        for (long i = 0; i < times; i++) {
          sum += 1; // as often as it was rounded
        }
        yield int64(BsonType.DOUBLE, Double.doubleToRawLongBits(sum));
      }
      default -> throw new IllegalStateException("it is of type " + type + ", no plain number");
    };
  }

  BsonType type() {
    return type;
  }

  /** A view on its bytes, as BSON orders them. */
  ByteBuffer bytes() {
    return ByteBuffer.wrap(array(), offset(), length()).slice().order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  void write(BsonBuffer buffer, String name) {
    buffer.raw(name, this);
  }

  /** Its type's and its own bytes, in hexadecimal digits. */
  @Override
  public String toString() {
    return HexFormat.of().toHexDigits((byte) type.getValue())
        + HexFormat.of().formatHex(array(), offset(), offset() + length());
  }
}
