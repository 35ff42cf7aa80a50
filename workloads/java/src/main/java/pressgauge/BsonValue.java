package pressgauge;

import site.ycsb.ByteIterator;

/** A value on its way through YCSB: bytes in a part of an array, and how BSON holds them. */
abstract class BsonValue extends ByteIterator {
  private final byte[] array;
  private final int offset;
  private final int length;
  private int consumed;

  BsonValue(byte[] array, int offset, int length) {
    this.array = array;
    this.offset = offset;
    this.length = length;
  }

  /** The value as it is, or, from another binding, its bytes as text. */
  static BsonValue of(ByteIterator value) {
    return value instanceof BsonValue own ? own : TextValue.of(value);
  }

  /** Writes it as the value of a field. */
  abstract void write(BsonBuffer buffer, String name);

  /** The array that holds the bytes; shared, not to be written. */
  byte[] array() {
    return array;
  }

  int offset() {
    return offset;
  }

  /** In bytes. */
  int length() {
    return length;
  }

  @Override
  public boolean hasNext() {
    return consumed < length;
  }

  @Override
  public byte nextByte() {
    return array[offset + consumed++];
  }

  @Override
  public long bytesLeft() {
    return length - consumed;
  }

  @Override
  public void reset() {
    consumed = 0;
  }
}
