package pressgauge;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.bson.BsonType;
import org.bson.RawBsonDocument;

/**
 * Walks the fields of a BSON document without decoding them.
 *
 * <pre>{@code
 * var fields = new BsonFields(document);
 * while (fields.next()) { use(fields.name(), fields.text()); }
 * }</pre>
 */
final class BsonFields {
  private static final byte STRING = 0x02;

  private final ByteBuffer bytes;
  private final int last;
  private byte type;
  private int at;
  private int nameStart;
  private int valueStart;
  private int valueEnd;

  BsonFields(RawBsonDocument document) {
    this(document.getByteBuffer().asNIO());
  }

  /** Of the document that is all of a little-endian buffer. */
  BsonFields(ByteBuffer document) {
    this(document, document.position());
  }

  /** Of the document that begins at a place of a little-endian buffer. */
  BsonFields(ByteBuffer bytes, int start) {
    this.bytes = bytes;
    last = start + bytes.getInt(start) - 1;
    valueEnd = start + Integer.BYTES;
  }

  /**
   * Steps to the next field.
   *
   * @return false at the document's end
   * @throws IllegalStateException if the document is malformed
   */
  boolean next() {
    try {
      at = valueEnd;
      type = bytes.get(at);
      if (at == last && type == 0) {
        return false;
      }
      nameStart = at + 1;
      valueStart = afterZero(nameStart);
      int length = valueLength();
      if (length < 0 || length > last - valueStart) {
        throw malformed();
      }
      valueEnd = valueStart + length;
      return true;
    } catch (IndexOutOfBoundsException e) {
      throw malformed();
    }
  }

  private int afterZero(int from) {
    int after = from;
    while (bytes.get(after++) != 0) {
      // on to the zero
    }
    return after;
  }

  private int valueLength() {
    return switch (type) {
      case STRING, 0x0D, 0x0E -> Integer.BYTES + bytes.getInt(valueStart);
      case 0x01, 0x09, 0x11, 0x12 -> Long.BYTES;
      case 0x03, 0x04, 0x0F -> bytes.getInt(valueStart);
      case 0x05 -> Integer.BYTES + 1 + bytes.getInt(valueStart);
      case 0x06, 0x0A, 0x7F, -1 -> 0;
      case 0x07 -> 12;
      case 0x08 -> 1;
      case 0x0B -> afterZero(afterZero(valueStart)) - valueStart;
      case 0x0C -> Integer.BYTES + bytes.getInt(valueStart) + 12;
      case 0x10 -> Integer.BYTES;
      case 0x13 -> 16;
      default -> throw malformed();
    };
  }

  private static IllegalStateException malformed() {
    return new IllegalStateException("it is malformed");
  }

  /** Where the field begins: with its type's byte. */
  int at() {
    return at;
  }

  /** Where its value begins. */
  int start() {
    return valueStart;
  }

  /** Where its value ends, and the next field begins. */
  int end() {
    return valueEnd;
  }

  BsonType type() {
    return BsonType.findByValue(type & 0xFF);
  }

  String name() {
    var name = new byte[valueStart - 1 - nameStart];
    bytes.get(nameStart, name);
    return new String(name, StandardCharsets.UTF_8);
  }

  /** Whether the field has this name, of ASCII characters. */
  boolean isNamed(String name) {
    if (name.length() != valueStart - 1 - nameStart) {
      return false;
    }
    for (int i = 0; i < name.length(); i++) {
      if (bytes.get(nameStart + i) != name.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** Steps on to the first field of a name; false if there is none. */
  boolean find(ByteBuffer name) {
    while (next()) {
      int length = valueStart - 1 - nameStart;
      if (length == name.remaining() && name.equals(bytes.slice(nameStart, length))) {
        return true;
      }
    }
    return false;
  }

  /**
   * The value, which must be a string: a view on the document's own bytes.
   *
   * @throws IllegalStateException if it is none
   */
  TextValue text() {
    if (type != STRING) {
      throw new IllegalStateException("field " + name() + " is no string");
    }
    int textStart = valueStart + Integer.BYTES;
    return new TextValue(bytes.array(), bytes.arrayOffset() + textStart, valueEnd - 1 - textStart);
  }

  /** Writes the field, name and all, behind what is in a buffer. */
  void copy(BsonBuffer to) {
    to.bytes(bytes, at, valueEnd - at);
  }

  /** A copy of the value. */
  RawValue value() {
    var value = new byte[valueEnd - valueStart];
    bytes.get(valueStart, value);
    return new RawValue(type(), value);
  }

  /** The fields of the value, which must be a document or an array. */
  BsonFields inner() {
    return new BsonFields(bytes, valueStart);
  }
}
