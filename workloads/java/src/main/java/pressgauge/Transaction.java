package pressgauge;

import java.util.ArrayList;
import java.util.List;
import org.bson.RawBsonDocument;
import site.ycsb.Status;

/** Finds records and updates others, in one transaction. */
final class Transaction extends StoreOperation {
  private final int reads;
  private final int updates;
  private final int[] settable;

  Transaction(Asked asked) {
    super("TRANSACTION");
    reads = asked.count("reads", 1, 0, 1000);
    updates = asked.count("updates", 1, 0, 1000);
    settable = asked.settable();
  }

  @Override
  int writes() {
    return updates;
  }

  /** One find, or one update, of the transaction. */
  private record Part(Turn.Chosen chosen, RawBsonDocument filter, RawBsonDocument update) {}

  @Override
  Call prepare(Turn turn) {
    var draws = turn.draws();
    var parts = new ArrayList<Part>();
    for (int i = 0; i < reads + updates; i++) {
      var chosen = turn.choose(draws);
      var filter = byKey(turn, chosen.key());
      parts.add(new Part(chosen, filter, i < reads ? null : update(turn, draws, chosen)));
    }
    return store -> run(turn, store, parts);
  }

  private RawBsonDocument update(Turn turn, Draws draws, Turn.Chosen chosen) {
    int place = settable[draws.below(settable.length)];
    return turn.update(chosen.number(), new int[] {place}, Update.version(turn));
  }

  private Status run(Turn turn, Store store, List<Part> parts) {
    var written = new long[1];
    var status =
        store.together(
            session -> {
              written[0] = 0;
              for (var part : parts) {
                long met = met(session, part, written);
                var found = checkedOne(turn, part.chosen(), met, "documents met");
                if (!found.isOk()) {
                  return found;
                }
              }
              return Status.OK;
            });
    turn.workload().record().wrote(written[0]);
    return status;
  }

  private static long met(Store session, Part part, long[] written) {
    if (part.update() == null) {
      return session.find(new Store.Query(part.filter(), null, null, 1), found -> {});
    }
    var result = session.update(part.filter(), part.update());
    written[0] += result.getModifiedCount();
    return result.getMatchedCount();
  }
}
