package pressgauge;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import org.bson.BsonType;

/**
 * What a document holds in place of a value that lies in the {@link Dictionary}: the first 64 bits
 * of its hash, BSON's int64, or all 128, as binary.
 */
record Reference(boolean isWide, long first, long second) {
  static final int NARROW_BITS = 64;
  static final int WIDE_BITS = 128;
  private static final int BINARY_HEADER = Integer.BYTES + 1;
  private static final int WIDE_BYTES = WIDE_BITS / Byte.SIZE;

  /**
   * The reference to a value.
   *
   * @param bits 64 or 128; fewer than 64 where a test wants values to meet
   */
  static Reference to(TextValue value, int bits) {
    var hash = Murmur3.of(value.array(), value.offset(), value.length());
    return bits == WIDE_BITS
        ? new Reference(true, hash.first(), hash.second())
        : new Reference(false, hash.first() >> (NARROW_BITS - bits), 0);
  }

  /** The reference that a field holds; null if it holds none. */
  static Reference of(BsonFields field) {
    if (field.type() == BsonType.INT64) {
      return new Reference(false, field.value().bytes().getLong(0), 0);
    }
    if (field.type() != BsonType.BINARY) {
      return null;
    }
    var bytes = field.value().array();
    if (bytes.length != BINARY_HEADER + WIDE_BYTES) {
      return null;
    }
    var hash = ByteBuffer.wrap(bytes);
    return new Reference(
        true, hash.getLong(BINARY_HEADER), hash.getLong(BINARY_HEADER + Long.BYTES));
  }

  /** Writes it as the value of a field. */
  void write(BsonBuffer buffer, String name) {
    if (isWide) {
      var bytes =
          RawValue.littleEndian(BINARY_HEADER + WIDE_BYTES).putInt(WIDE_BYTES).put((byte) 0);
      bytes.order(ByteOrder.BIG_ENDIAN).putLong(first).putLong(second);
      buffer.raw(name, new RawValue(BsonType.BINARY, bytes.array()));
    } else {
      buffer.raw(name, RawValue.int64(BsonType.INT64, first));
    }
  }

  /** In hexadecimal digits. */
  @Override
  public String toString() {
    var hex = HexFormat.of();
    return isWide ? hex.toHexDigits(first) + hex.toHexDigits(second) : hex.toHexDigits(first);
  }
}
