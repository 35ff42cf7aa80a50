package pressgauge;

import org.bson.RawBsonDocument;
import site.ycsb.Status;

/** Deletes the next record in the order of the {@link Population}. */
final class Delete extends StoreOperation {
  private static final Status TOO_FEW_LEFT =
      new Status("TOO_FEW_LEFT", "Half of the loaded records are deleted.");

  Delete(Asked asked) {
    super("DELETE");
  }

  @Override
  public boolean needsOwnRecords() {
    return true;
  }

  private record Deletion(
      Delete operation, Turn turn, long number, String key, RawBsonDocument filter)
      implements Call {
    @Override
    public Status run(Store store) {
      if (number < 0) {
        turn.workload()
            .record()
            .tell(operation.name(), TOO_FEW_LEFT, "let as many come back by inserts or upserts");
        return TOO_FEW_LEFT;
      }
      long deleted = store.delete(filter);
      turn.workload().record().overwrote();
      return operation.checked(turn, deleted == 1, key + ": " + deleted + " documents deleted");
    }

    @Override
    public void end() {
      if (number >= 0) {
        turn.population().endDeletion(number);
      }
    }
  }

  @Override
  Call prepare(Turn turn) {
    long number = turn.population().beginDeletion();
    var key = number < 0 ? "" : turn.key(turn.population().record(number));
    return new Deletion(this, turn, number, key, number < 0 ? null : byKey(turn, key));
  }
}
