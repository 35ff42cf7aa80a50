package pressgauge;

import java.util.ArrayList;
import java.util.List;
import org.bson.BsonType;

/** Lists as BSON stores them. */
final class ListValue {
  private ListValue() {}

  /**
   * The entries of the list at which a walk stands.
   *
   * @throws IllegalStateException if it is malformed
   */
  static List<RawValue> entries(BsonFields list) {
    var entries = new ArrayList<RawValue>();
    var fields = list.inner();
    while (fields.next()) {
      entries.add(fields.value());
    }
    return entries;
  }

  /** A list of the last so many of some entries. */
  static RawValue ofLast(int most, List<RawValue> entries) {
    var kept = entries.subList(Math.max(0, entries.size() - most), entries.size());
    var buffer = new BsonBuffer(256);
    int start = buffer.begin();
    for (int i = 0; i < kept.size(); i++) {
      buffer.raw(Integer.toString(i), kept.get(i));
    }
    buffer.end(start);
    return new RawValue(BsonType.ARRAY, buffer.toArray());
  }
}
