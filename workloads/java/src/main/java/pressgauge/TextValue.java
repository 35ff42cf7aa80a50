package pressgauge;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import site.ycsb.ByteIterator;

/**
 * UTF-8 text in a part of an array: most often the corpus itself, so that a value costs no copy
 * before the binding puts its bytes into a message.
 */
final class TextValue extends BsonValue {
  TextValue(byte[] array, int offset, int length) {
    super(array, offset, length);
  }

  /** The value as it is, or, from another binding, a copy of its bytes. */
  static TextValue of(ByteIterator value) {
    if (value instanceof TextValue text) {
      return text;
    }
    var bytes = value.toArray();
    return new TextValue(bytes, 0, bytes.length);
  }

  @Override
  void write(BsonBuffer buffer, String name) {
    buffer.string(name, this);
  }

  /** Whether the other has the same bytes. */
  boolean isSame(TextValue other) {
    return Arrays.equals(
        array(),
        offset(),
        offset() + length(),
        other.array(),
        other.offset(),
        other.offset() + other.length());
  }

  /** The same bytes in an array of their own. */
  TextValue copy() {
    return new TextValue(Arrays.copyOfRange(array(), offset(), offset() + length()), 0, length());
  }

  /** The whole text, consumed or not. */
  @Override
  public String toString() {
    return new String(array(), offset(), length(), StandardCharsets.UTF_8);
  }
}
