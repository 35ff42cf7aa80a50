package pressgauge;

import java.nio.charset.StandardCharsets;
import site.ycsb.ByteIterator;

/**
 * UTF-8 text in a part of an array: most often the corpus itself, so that a value costs no copy
 * before the binding puts its bytes into a message.
 *
 * <p>A value may name the one it is to replace: the binding then writes it only if the field still
 * holds that (compare-and-set).
 */
final class TextValue extends ByteIterator {
  private final byte[] array;
  private final int offset;
  private final int length;
  private final TextValue expected;
  private int consumed;

  TextValue(byte[] array, int offset, int length) {
    this(array, offset, length, null);
  }

  private TextValue(byte[] array, int offset, int length, TextValue expected) {
    this.array = array;
    this.offset = offset;
    this.length = length;
    this.expected = expected;
  }

  /** The value as it is, or, from another binding, a copy of its bytes. */
  static TextValue of(ByteIterator value) {
    if (value instanceof TextValue text) {
      return text;
    }
    var bytes = value.toArray();
    return new TextValue(bytes, 0, bytes.length);
  }

  /** This value, to be written only where {@code current} is found. */
  TextValue replacing(TextValue current) {
    return new TextValue(array, offset, length, current);
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

  /** The value that this one replaces; null if it replaces any. */
  TextValue expected() {
    return expected;
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
