package pressgauge;

import org.bson.RawBsonDocument;

/** Finds a record by its _id. */
final class Find extends StoreOperation {
  private final RawBsonDocument projection;

  Find(Asked asked) {
    super("FIND");
    projection = asked.projection();
  }

  @Override
  Call prepare(Turn turn) {
    var chosen = turn.choose(turn.draws());
    var query = new Store.Query(byKey(turn, chosen.key()), projection, null, 1);
    return store -> checkedOne(turn, chosen, store.find(query, found -> {}), "documents found");
  }
}
