package pressgauge;

import java.util.Map;
import java.util.Set;
import org.bson.BsonType;
import org.bson.RawBsonDocument;
import site.ycsb.ByteIterator;

/**
 * Documents of any shape, with an {@code _id} of any type. Whole ones pass through YCSB as one
 * value; updates set paths.
 *
 * @param paths those that updates write, by their dotted names
 */
record TemplateLayout(Map<String, FieldPath> paths) implements Layout {
  /** Which name a whole document goes by. */
  static final String WHOLE = "";

  @Override
  public void key(BsonBuffer buffer, String name, String key) {
    buffer.raw(name, RawKey.parse(key));
  }

  @Override
  public String key(RawBsonDocument stored) {
    try {
      var fields = new BsonFields(stored);
      return fields.next() && fields.isNamed("_id") ? RawKey.of(fields.value()) : "";
    } catch (IllegalStateException e) {
      return "";
    }
  }

  @Override
  public int document(BsonBuffer buffer, String key, Map<String, ByteIterator> values) {
    int start = buffer.size();
    var whole = BsonValue.of(values.get(WHOLE));
    buffer.bytes(whole.array(), whole.offset(), whole.length());
    return start;
  }

  /** Whether all the paths asked for came back; the result is the whole of what did. */
  @Override
  public boolean unpack(RawBsonDocument read, Set<String> asked, Map<String, ByteIterator> result) {
    var document = read.getByteBuffer().asNIO();
    int length = document.remaining();
    result.put(
        WHOLE, new RawValue(BsonType.DOCUMENT, document.array(), document.position(), length));
    for (var name : asked == null ? paths.keySet() : asked) {
      var path = paths.get(name);
      if (path != null && path.in(document) == null) {
        return false;
      }
    }
    return true;
  }
}
