package pressgauge;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonType;

/** A path to a field, through documents only. */
record FieldPath(List<ByteBuffer> names) {
  /** Of names joined by dots. */
  static FieldPath of(String dotted) {
    var names = new ArrayList<ByteBuffer>();
    for (var name : dotted.split("\\.", -1)) {
      names.add(ByteBuffer.wrap(name.getBytes(StandardCharsets.UTF_8)).asReadOnlyBuffer());
    }
    return new FieldPath(List.copyOf(names));
  }

  /**
   * A walk that stands at the field in a document, which is all of the buffer; null if not there.
   */
  BsonFields in(ByteBuffer document) {
    return in(document, new ArrayList<>());
  }

  /**
   * As {@link #in(ByteBuffer)}.
   *
   * @param starts gets where the documents begin that the path leads through
   */
  private BsonFields in(ByteBuffer document, List<Integer> starts) {
    starts.add(document.position());
    var fields = new BsonFields(document);
    for (int depth = 0; ; depth++) {
      if (!fields.find(names.get(depth))) {
        return null;
      }
      if (depth == names.size() - 1) {
        return fields;
      }
      if (fields.type() != BsonType.DOCUMENT) {
        return null;
      }
      starts.add(fields.start());
      fields = fields.inner();
    }
  }

  /** A document, which has the field, with another value there. */
  byte[] replaced(byte[] document, RawValue value) {
    var starts = new ArrayList<Integer>();
    var field = in(littleEndian(document), starts);
    int more = value.length() - (field.end() - field.start());
    var replaced = new byte[document.length + more];
    System.arraycopy(document, 0, replaced, 0, field.start());
    System.arraycopy(value.array(), value.offset(), replaced, field.start(), value.length());
    System.arraycopy(
        document, field.end(), replaced, field.end() + more, document.length - field.end());
    replaced[field.at()] = (byte) value.type().getValue();
    var lengths = littleEndian(replaced);
    starts.forEach(start -> lengths.putInt(start, lengths.getInt(start) + more));
    return replaced;
  }

  private static ByteBuffer littleEndian(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
