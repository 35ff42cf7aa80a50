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
