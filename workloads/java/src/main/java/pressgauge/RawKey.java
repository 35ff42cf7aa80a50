package pressgauge;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.bson.BsonType;

/**
 * An {@code _id} of any type as a key that YCSB can carry and a reader can recognise: {@code
 * int:5}, {@code string:o-17}, {@code objectId:65b0…}, and any other as its type's number and its
 * bytes.
 */
final class RawKey {
  private static final HexFormat HEX = HexFormat.of();

  private RawKey() {}

  static String of(RawValue id) {
    var bytes = id.bytes();
    return switch (id.type()) {
      case INT32 -> "int:" + bytes.getInt(0);
      case INT64 -> "long:" + bytes.getLong(0);
      case DATE_TIME -> "date:" + bytes.getLong(0);
      case DOUBLE -> "double:" + bytes.getDouble(0);
      case STRING -> "string:" + text(id);
      case OBJECT_ID -> "objectId:" + hex(id);
      default -> HEX.toHexDigits((byte) id.type().getValue()) + ":" + hex(id);
    };
  }

  /** The {@code _id} of a key that {@link #of} made. */
  static RawValue parse(String key) {
    int colon = key.indexOf(':');
    var value = key.substring(colon + 1);
    var kind = key.substring(0, colon);
    return switch (kind) {
      case "int" -> RawValue.int32(Integer.parseInt(value));
      case "long" -> RawValue.int64(BsonType.INT64, Long.parseLong(value));
      case "date" -> RawValue.int64(BsonType.DATE_TIME, Long.parseLong(value));
      case "double" ->
          RawValue.int64(BsonType.DOUBLE, Double.doubleToRawLongBits(Double.parseDouble(value)));
      case "string" -> string(value.getBytes(StandardCharsets.UTF_8));
      case "objectId" -> new RawValue(BsonType.OBJECT_ID, HEX.parseHex(value));
      default ->
          new RawValue(BsonType.findByValue(HexFormat.fromHexDigits(kind)), HEX.parseHex(value));
    };
  }

  /** A string of these bytes of UTF-8. */
  static RawValue string(byte[] text) {
    var bytes = RawValue.littleEndian(Integer.BYTES + text.length + 1);
    return new RawValue(BsonType.STRING, bytes.putInt(text.length + 1).put(text).array());
  }

  /** The text of a string. */
  static String text(RawValue string) {
    return new String(
        string.array(),
        string.offset() + Integer.BYTES,
        string.length() - Integer.BYTES - 1,
        StandardCharsets.UTF_8);
  }

  private static String hex(RawValue value) {
    return HEX.formatHex(value.array(), value.offset(), value.offset() + value.length());
  }
}
