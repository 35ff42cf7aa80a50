package pressgauge;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.Vector;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;

/** Keeps what is written, as strings; for tests of the workload. */
class MemoryDb extends DB {
  final Map<String, Map<String, String>> documents = new TreeMap<>();

  /** The key and field of each value updated since the test last cleared them. */
  final Set<String> updated = new HashSet<>();

  @Override
  public Status insert(String table, String key, Map<String, ByteIterator> values) {
    var document = new LinkedHashMap<String, String>();
    values.forEach((name, value) -> document.put(name, value.toString()));
    boolean isNew = documents.putIfAbsent(key, document) == null;
    return isNew ? Status.OK : Status.ERROR;
  }

  @Override
  public Status read(
      String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
    if (!documents.containsKey(key)) {
      return Status.NOT_FOUND;
    }
    documents
        .get(key)
        .forEach(
            (name, value) -> {
              if (fields == null || fields.contains(name)) {
                var bytes = value.getBytes(StandardCharsets.UTF_8);
                result.put(name, new TextValue(bytes, 0, bytes.length));
              }
            });
    return Status.OK;
  }

  @Override
  public Status update(String table, String key, Map<String, ByteIterator> values) {
    var document = documents.get(key);
    if (document == null) {
      return Status.NOT_FOUND;
    }
    values.forEach(
        (name, value) -> {
          document.put(name, value.toString());
          updated.add(key + ' ' + name);
        });
    return Status.OK;
  }

  @Override
  public Status scan(
      String table,
      String startKey,
      int count,
      Set<String> fields,
      Vector<HashMap<String, ByteIterator>> result) {
    return documents.containsKey(startKey) ? Status.OK : Status.NOT_FOUND;
  }

  @Override
  public Status delete(String table, String key) {
    return documents.remove(key) == null ? Status.NOT_FOUND : Status.OK;
  }
}
