package pressgauge;

import java.nio.charset.StandardCharsets;
import site.ycsb.ByteIterator;

/**
 * UTF-8 text in a part of an array: most often the corpus itself, so that a value costs no copy
 * before the binding puts its bytes into a message.
 */
final class TextValue extends ByteIterator {
  private final byte[] array;
  private final int offset;
  private final int length;
  private int consumed;

  TextValue(byte[] array, int offset, int length) {
    this.array = array;
    this.offset = offset;
    this.length = length;
  }

  /** The value as it is, or, from another binding, a copy of its bytes. */
  static TextValue of(ByteIterator value) {
    if (value instanceof TextValue text) {
      return text;
    }
    var bytes = value.toArray();
    return new TextValue(bytes, 0, bytes.length);
  }

  /** The array that holds the text; shared, not to be written. */
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

  /** The whole text, consumed or not. */
  @Override
  public String toString() {
    return new String(array, offset, length, StandardCharsets.UTF_8);
  }
}
