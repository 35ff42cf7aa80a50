package pressgauge;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.RawBsonDocument;
import site.ycsb.ByteIterator;

/** Documents {@code {_id: <key>, <field>: <string>, ...}}, a value for each field. */
record TextLayout(List<String> fields) implements Layout {
  @Override
  public void key(BsonBuffer buffer, String name, String key) {
    buffer.string(name, key);
  }

  @Override
  public String key(RawBsonDocument stored) {
    try {
      var strings = new BsonFields(stored);
      return strings.next() && strings.isNamed("_id") ? strings.text().toString() : "";
    } catch (IllegalStateException e) {
      return "";
    }
  }

  @Override
  public int document(BsonBuffer buffer, String key, Map<String, ByteIterator> values) {
    int start = buffer.begin();
    buffer.string("_id", key);
    values.forEach((name, value) -> buffer.string(name, TextValue.of(value)));
    buffer.end(start);
    return start;
  }

  /** Whether all the fields asked for came back, each as a string. */
  @Override
  public boolean unpack(RawBsonDocument read, Set<String> asked, Map<String, ByteIterator> result) {
    var strings = new BsonFields(read);
    int next = 0;
    try {
      while (strings.next()) {
        if (next < fields.size() && strings.isNamed(fields.get(next))) {
          // Fields come in their order, so that hardly a name is ever decoded.
          result.put(fields.get(next++), strings.text());
        } else if (!strings.isNamed("_id") && !strings.isNamed(WrittenVersions.NAME)) {
          result.put(strings.name(), strings.text());
        }
      }
    } catch (IllegalStateException e) {
      return false;
    }
    return result.keySet().containsAll(asked == null ? fields : asked);
  }
}
