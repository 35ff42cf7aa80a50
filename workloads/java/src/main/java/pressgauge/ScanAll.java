package pressgauge;

import org.bson.RawBsonDocument;

/** Reads the whole collection, in the order in which it lies. */
final class ScanAll extends StoreOperation {
  private final RawBsonDocument projection;

  ScanAll(Asked asked) {
    super("SCAN-ALL");
    projection = asked.projection();
  }

  @Override
  Call prepare(Turn turn) {
    var query = new Store.Query(Messages.EVERYTHING, projection, null, 0);
    long restored = turn.population().restored();
    return store -> {
      int found = store.find(query, one -> {});
      long least = turn.population().presentSince(restored);
      return checked(turn, found >= least, found + " documents found, not " + least);
    };
  }
}
