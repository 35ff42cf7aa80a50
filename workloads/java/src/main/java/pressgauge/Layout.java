package pressgauge;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.RawBsonDocument;
import site.ycsb.ByteIterator;

/**
 * How documents of a source lie in BSON, and how they pass through YCSB, which knows keys as
 * strings and values by name. For any number of threads.
 */
interface Layout {
  /** Writes a key as the value of a field. */
  void key(BsonBuffer buffer, String name, String key);

  /** The key of a stored document; empty if it has none that a record could have. */
  String key(RawBsonDocument stored);

  /** Writes a document that is to be inserted; returns where it starts. */
  int document(BsonBuffer buffer, String key, Map<String, ByteIterator> values);

  /**
   * Gives what was read.
   *
   * @param asked the names that were; null for all
   * @return whether all of it is there
   */
  boolean unpack(RawBsonDocument read, Set<String> asked, Map<String, ByteIterator> result);

  /** Writes what finds the record of a key; returns where it starts. */
  default int filter(BsonBuffer buffer, String key) {
    int start = buffer.begin();
    key(buffer, "_id", key);
    buffer.end(start);
    return start;
  }

  /** Writes what finds the records of some keys; returns where it starts. */
  default int filter(BsonBuffer buffer, List<String> keys) {
    int start = buffer.begin();
    int id = buffer.begin("_id");
    int in = buffer.beginArray("$in");
    for (int i = 0; i < keys.size(); i++) {
      key(buffer, Integer.toString(i), keys.get(i));
    }
    buffer.end(in);
    buffer.end(id);
    buffer.end(start);
    return start;
  }

  /** Writes what sets fields of a document, or paths in it; returns where it starts. */
  static int update(BsonBuffer buffer, Map<String, ByteIterator> values) {
    int start = buffer.begin();
    set(buffer, values);
    buffer.end(start);
    return start;
  }

  /** Writes the part of an update that sets fields of a document, or paths in it. */
  static void set(BsonBuffer buffer, Map<String, ByteIterator> values) {
    int set = buffer.begin("$set");
    values.forEach((name, value) -> BsonValue.of(value).write(buffer, name));
    buffer.end(set);
  }
}
