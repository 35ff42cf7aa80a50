package pressgauge;

import org.bson.RawBsonDocument;
import site.ycsb.Status;

/** Replaces or inserts a record: a deleted one while there are any, else one that is there. */
final class Upsert extends StoreOperation {
  Upsert(Asked asked) {
    super("UPSERT");
  }

  @Override
  public boolean needsOwnRecords() {
    return true;
  }

  /** Of a deleted record, by its number among these. */
  private record Restoration(
      Upsert operation, Turn turn, long number, String key, RawBsonDocument document)
      implements Call {
    @Override
    public Status run(Store store) {
      var result = store.replace(byKey(turn, key), document, true);
      boolean right = result.getUpsertedId() != null && result.getMatchedCount() == 0;
      return operation.checked(turn, right, key + " was there, and should not have been");
    }

    @Override
    public void end() {
      turn.population().endRestoration(number);
    }
  }

  /** Of a record that is there, and can't be deleted until this has ended. */
  private record Replacement(
      Upsert operation, Turn turn, long recordNumber, String key, RawBsonDocument document)
      implements Call {
    @Override
    public Status run(Store store) {
      var result = store.replace(byKey(turn, key), document, true);
      turn.workload().record().overwrote();
      boolean right = result.getUpsertedId() == null && result.getMatchedCount() == 1;
      return operation.checked(turn, right, key + " was not there, and should have been");
    }

    @Override
    public void end() {
      turn.population().release(recordNumber);
    }
  }

  @Override
  Call prepare(Turn turn) {
    var population = turn.population();
    long number = population.beginRestoration();
    if (number >= 0) {
      long recordNumber = population.record(number);
      var key = turn.key(recordNumber);
      return new Restoration(this, turn, number, key, turn.loaded(recordNumber));
    }
    var draws = turn.draws();
    var chosen = turn.choose(draws);
    while (!population.hold(chosen.number())) {
      chosen = turn.choose(draws);
    }
    var document = turn.document(chosen.number(), Update.version(turn));
    return new Replacement(this, turn, chosen.number(), chosen.key(), document);
  }
}
