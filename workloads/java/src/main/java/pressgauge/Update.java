package pressgauge;

import java.util.LinkedHashMap;
import site.ycsb.ByteIterator;
import site.ycsb.Status;

/** Writes fields of a record without having read it. */
final class Update implements Operation {
  /** Blind updates have no version to follow; they take one of so many in turn. */
  private static final int VERSIONS = 9999;

  @Override
  public String name() {
    return "UPDATE";
  }

  @Override
  public String proportion() {
    return "0.05";
  }

  /** The version that a blind update gives. */
  static long version(Turn turn) {
    return 1 + turn.index() % VERSIONS;
  }

  @Override
  public Status run(Turn turn) {
    long recordNumber = turn.chooseRecord();
    long version = version(turn);
    var documents = turn.documents();
    var values = new LinkedHashMap<String, ByteIterator>();
    for (int field : turn.fieldsToWrite()) {
      documents.put(values, recordNumber, field, version);
    }
    return turn.db().update(turn.table(), turn.key(recordNumber), values);
  }
}
