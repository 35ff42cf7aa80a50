package pressgauge;

import java.util.HashMap;
import java.util.Vector;
import site.ycsb.ByteIterator;
import site.ycsb.Status;

/** Reads records in the order of their keys, from a chosen one on. */
final class Scan implements Operation {
  @Override
  public String name() {
    return "SCAN";
  }

  @Override
  public Status run(Turn turn) {
    var start = turn.key(turn.chooseRecord());
    int length = turn.workload().scanLength();
    var result = new Vector<HashMap<String, ByteIterator>>();
    return turn.db().scan(turn.table(), start, length, turn.fieldsToRead(), result);
  }
}
