package pressgauge;

import site.ycsb.Status;

/** Inserts the next record. */
final class Insert implements Operation {
  static final String NAME = "INSERT";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Status run(Turn turn) {
    var workload = turn.workload();
    long key = workload.nextInserted();
    try {
      return insert(turn, workload.recordNumber(key));
    } finally {
      workload.acknowledge(key);
    }
  }

  /** Inserts a record, here or in a load. */
  static Status insert(Turn turn, long recordNumber) {
    turn.documents().fill(turn.document(), recordNumber, 0);
    var status = turn.db().insert(turn.table(), turn.key(recordNumber), turn.document());
    if (status.isOk()) {
      turn.workload().record().inserted(recordNumber);
    }
    return status;
  }
}
