package pressgauge;

import java.util.HashMap;
import site.ycsb.Status;

/** Reads a record. */
final class Read implements Operation {
  @Override
  public String name() {
    return "READ";
  }

  @Override
  public String proportion() {
    return "0.95";
  }

  @Override
  public Status run(Turn turn) {
    var key = turn.key(turn.chooseRecord());
    return turn.db().read(turn.table(), key, turn.fieldsToRead(), new HashMap<>());
  }
}
