package pressgauge;

import java.nio.charset.StandardCharsets;
import org.bson.RawBsonDocument;

/**
 * Walks the fields of a BSON document whose values are all strings, without decoding them.
 *
 * <pre>{@code
 * var fields = new BsonStrings(document);
 * while (fields.next()) { use(fields.name(), fields.value()); }
 * }</pre>
 */
final class BsonStrings {
  private static final byte STRING = 0x02;

  private final byte[] bytes;
  private int at;
  private int nameStart;
  private int nameLength;
  private int valueStart;
  private int valueLength;

  BsonStrings(RawBsonDocument document) {
    var buffer = document.getByteBuffer();
    bytes = buffer.array();
    at = buffer.position() + Integer.BYTES;
  }

  /**
   * Steps to the next field.
   *
   * @return false at the document's end
   * @throws IllegalStateException if the field is no string; its name is then known
   */
  boolean next() {
    byte type = bytes[at];
    if (type == 0) {
      return false;
    }
    nameStart = at + 1;
    int nameEnd = nameStart;
    while (bytes[nameEnd] != 0) {
      nameEnd++;
    }
    nameLength = nameEnd - nameStart;
    if (type != STRING) {
      throw new IllegalStateException("field " + name() + " is no string");
    }
    valueStart = nameEnd + 1 + Integer.BYTES;
    valueLength = int32(nameEnd + 1) - 1;
    at = valueStart + valueLength + 1;
    return true;
  }

  String name() {
    return new String(bytes, nameStart, nameLength, StandardCharsets.UTF_8);
  }

  /** Whether the field has this name, of ASCII characters. */
  boolean isNamed(String name) {
    if (name.length() != nameLength) {
      return false;
    }
    for (int i = 0; i < nameLength; i++) {
      if (bytes[nameStart + i] != name.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** A view on the document's own bytes. */
  TextValue value() {
    return new TextValue(bytes, valueStart, valueLength);
  }

  private int int32(int from) {
    return (bytes[from] & 0xFF)
        | (bytes[from + 1] & 0xFF) << 8
        | (bytes[from + 2] & 0xFF) << 16
        | (bytes[from + 3] & 0xFF) << 24;
  }
}
