package pressgauge;

import java.util.Set;
import org.bson.RawBsonDocument;
import site.ycsb.Status;

/** Finds documents in the order of their _id, from a chosen one on. */
final class ScanFrom extends StoreOperation {
  private static final RawBsonDocument BY_ID = Messages.each(Set.of("_id"), 1);

  private final RawBsonDocument projection;
  private final int limit;

  ScanFrom(Asked asked) {
    super("SCAN");
    projection = asked.projection();
    limit = asked.count("limit", 100, 1, 1_000_000);
  }

  @Override
  Call prepare(Turn turn) {
    var chosen = turn.choose(turn.draws());
    var buffer = turn.store().buffer();
    int start = buffer.begin();
    int from = buffer.begin("_id");
    turn.layout().key(buffer, "$gte", chosen.key());
    buffer.end(from);
    var query = new Store.Query(Messages.ended(buffer, start), projection, BY_ID, limit);
    return store -> {
      var first = new RawBsonDocument[1];
      int found = store.find(query, one -> first[0] = first[0] == null ? one : first[0]);
      return checked(turn, chosen, found, first[0]);
    };
  }

  private Status checked(Turn turn, Turn.Chosen chosen, int found, RawBsonDocument first) {
    boolean begins = first != null && turn.layout().key(first).equals(chosen.key());
    return checked(
        turn,
        found <= limit && (begins || !turn.stayed(chosen)),
        "%d documents, of %d at most, do not begin with %s".formatted(found, limit, chosen.key()));
  }
}
