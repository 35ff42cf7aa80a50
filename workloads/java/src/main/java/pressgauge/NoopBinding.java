package pressgauge;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;

/**
 * A database that does nothing, at once: it shows what the client alone can offer. Reads return the
 * first record, whole.
 */
public final class NoopBinding extends DB {
  private Map<String, ByteIterator> answer;

  @Override
  public void init() {
    ClientRecord.of(getProperties()).forgetful();
    var documents = Documents.of(new Settings(getProperties()));
    answer = documents.blank();
    documents.fill(answer, 0, 0);
  }

  @Override
  public Status read(
      String table, String key, Set<String> asked, Map<String, ByteIterator> result) {
    result.putAll(answer);
    return Status.OK;
  }

  @Override
  public Status scan(
      String table,
      String startKey,
      int count,
      Set<String> asked,
      Vector<HashMap<String, ByteIterator>> result) {
    for (int i = 0; i < count; i++) {
      var values = new HashMap<String, ByteIterator>();
      read(table, startKey, asked, values);
      result.add(values);
    }
    return Status.OK;
  }

  @Override
  public Status update(String table, String key, Map<String, ByteIterator> values) {
    return Status.OK;
  }

  @Override
  public Status insert(String table, String key, Map<String, ByteIterator> values) {
    return Status.OK;
  }

  @Override
  public Status delete(String table, String key) {
    return Status.OK;
  }
}
