package pressgauge;

import com.mongodb.client.result.UpdateResult;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import site.ycsb.Status;

/** Writes paths of a record, each in its way, without having read it. */
final class UpdatePaths extends StoreOperation {
  private final int[] places;

  UpdatePaths(Asked asked) {
    super("UPDATE");
    places =
        Stream.of(Way.values())
            .flatMapToInt(way -> IntStream.of(asked.places(way, asked.paths(way.key()))))
            .toArray();
  }

  @Override
  int writes() {
    return 1;
  }

  @Override
  Call prepare(Turn turn) {
    var chosen = turn.choose(turn.draws());
    var filter = byKey(turn, chosen.key());
    var update = turn.update(chosen.number(), places, Update.version(turn));
    return store -> updated(this, turn, chosen, store.update(filter, update));
  }

  /** Judges what an update met, and counts it. */
  static Status updated(
      StoreOperation operation, Turn turn, Turn.Chosen chosen, UpdateResult result) {
    turn.workload().record().wrote(result.getModifiedCount());
    boolean changed = result.getModifiedCount() == result.getMatchedCount();
    return changed
        ? operation.checkedOne(turn, chosen, result.getMatchedCount(), "documents matched")
        : operation.checked(turn, false, chosen.key() + ": matched, but not modified");
  }
}
