package pressgauge;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import org.bson.BsonType;
import org.bson.RawBsonDocument;
import site.ycsb.ByteIterator;

/** Parts of commands. */
final class Messages {
  static final RawBsonDocument EVERYTHING = each(List.of(), 1);

  private Messages() {}

  /** Gives each name one number: a projection, or an order. */
  static RawBsonDocument each(Collection<String> names, int number) {
    var buffer = new BsonBuffer(64);
    int start = buffer.begin();
    names.forEach(name -> buffer.int32(name, number));
    buffer.end(start);
    return buffer.view(start, buffer.size());
  }

  /** A document that was begun in a buffer, ended. */
  static RawBsonDocument ended(BsonBuffer buffer, int start) {
    buffer.end(start);
    return buffer.view(start, buffer.size());
  }

  /** Writes what finds the record of a key. */
  static RawBsonDocument filter(BsonBuffer buffer, Layout layout, String key) {
    int start = layout.filter(buffer, key);
    return buffer.view(start, buffer.size());
  }

  /**
   * Writes what updates paths of a record, each in its way, and counts the update in the document.
   *
   * @param places of the paths
   */
  static RawBsonDocument update(
      BsonBuffer buffer, Documents documents, long recordNumber, int[] places, long version) {
    int start = buffer.begin();
    set(buffer, documents, recordNumber, places, version);
    int increments = buffer.begin("$inc");
    for (int place : places) {
      if (documents.way(place) == Way.INCREMENT) {
        buffer.int32(documents.fields().get(place), 1);
        buffer.raw(marker(place), RawValue.int64(BsonType.INT64, 1));
      }
    }
    buffer.raw(
        WrittenVersions.NAME + '.' + WrittenVersions.WRITES, RawValue.int64(BsonType.INT64, 1));
    buffer.end(increments);
    push(buffer, documents, recordNumber, places, version);
    return ended(buffer, start);
  }

  private static String marker(int place) {
    return WrittenVersions.NAME + '.' + place;
  }

  private static void set(
      BsonBuffer buffer, Documents documents, long recordNumber, int[] places, long version) {
    var values = new LinkedHashMap<String, ByteIterator>();
    for (int place : places) {
      if (documents.way(place) == Way.SET) {
        documents.put(values, recordNumber, place, version);
      }
    }
    if (!values.isEmpty()) {
      Layout.set(buffer, values);
    }
  }

  private static void push(
      BsonBuffer buffer, Documents documents, long recordNumber, int[] places, long version) {
    int start = -1;
    for (int place : places) {
      if (documents.way(place) == Way.PUSH) {
        start = start < 0 ? buffer.begin("$push") : start;
        var entry = documents.entry(recordNumber, place, version);
        append(buffer, documents.fields().get(place), entry);
        append(buffer, marker(place), RawValue.int64(BsonType.INT64, version));
      }
    }
    if (start >= 0) {
      buffer.end(start);
    }
  }

  private static void append(BsonBuffer buffer, String path, RawValue entry) {
    int list = buffer.begin(path);
    int each = buffer.beginArray("$each");
    buffer.raw("0", entry);
    buffer.end(each);
    buffer.int32("$slice", -Way.KEPT_ENTRIES);
    buffer.end(list);
  }
}
