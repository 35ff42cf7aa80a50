package pressgauge;

import java.util.ArrayList;
import java.util.List;
import org.bson.RawBsonDocument;
import site.ycsb.Status;

/**
 * Inserts records with one command: new ones, or, if asked for, deleted ones while there are any.
 */
final class InsertRecords extends StoreOperation {
  private final int count;
  private final boolean restores;

  InsertRecords(Asked asked) {
    super(Insert.NAME);
    count = asked.count("documents", 1, 1, 10_000);
    restores = asked.flag("deleted");
  }

  @Override
  public boolean needsOwnRecords() {
    return restores;
  }

  /** The records of one command. */
  private final class Records implements Call {
    private final Turn turn;
    private final List<RawBsonDocument> documents = new ArrayList<>();
    private final List<Long> fresh = new ArrayList<>();
    private final List<Runnable> ends = new ArrayList<>();

    Records(Turn turn) {
      this.turn = turn;
    }

    void take() {
      long number = restores ? turn.population().beginRestoration() : -1;
      if (number >= 0) {
        ends.add(() -> turn.population().endRestoration(number));
        documents.add(turn.loaded(turn.population().record(number)));
        return;
      }
      long key = turn.workload().nextInserted();
      ends.add(() -> turn.workload().acknowledge(key));
      fresh.add(turn.workload().recordNumber(key));
      documents.add(turn.loaded(fresh.get(fresh.size() - 1)));
    }

    @Override
    public Status run(Store store) {
      store.insert(documents);
      fresh.forEach(turn.workload().record()::inserted);
      return Status.OK;
    }

    @Override
    public void end() {
      ends.forEach(Runnable::run);
    }
  }

  @Override
  Call prepare(Turn turn) {
    var records = new Records(turn);
    try {
      for (int i = 0; i < count; i++) {
        records.take();
      }
    } catch (RuntimeException e) {
      records.end();
      throw e;
    }
    return records;
  }
}
