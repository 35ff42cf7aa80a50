package pressgauge;

import java.nio.ByteBuffer;
import org.bson.BsonType;

/** What an index has of a document at a path, which may lead through lists. */
final class IndexedValue {
  private IndexedValue() {}

  /** The value at a path, of a list the first; null where there is none. */
  static RawValue in(ByteBuffer document, FieldPath path) {
    var fields = new BsonFields(document);
    var names = path.names();
    for (int depth = 0; fields != null && fields.find(names.get(depth)); depth++) {
      if (depth == names.size() - 1) {
        return value(fields);
      }
      fields = inner(fields);
    }
    return null;
  }

  private static RawValue value(BsonFields field) {
    if (field.type() != BsonType.ARRAY) {
      return field.value();
    }
    var entries = field.inner();
    return entries.next() ? entries.value() : null;
  }

  /** The fields of a document, or of the first one in a list; null where there are none. */
  private static BsonFields inner(BsonFields field) {
    if (field.type() == BsonType.ARRAY) {
      var entries = field.inner();
      return entries.next() && entries.type() == BsonType.DOCUMENT ? entries.inner() : null;
    }
    return field.type() == BsonType.DOCUMENT ? field.inner() : null;
  }
}
