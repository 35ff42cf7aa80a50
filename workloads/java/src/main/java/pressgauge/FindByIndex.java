package pressgauge;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.bson.RawBsonDocument;
import site.ycsb.Status;

/** Finds the documents that have a chosen one's values in an index, in the index's order. */
final class FindByIndex extends StoreOperation {
  private final IndexMatch match;
  private final RawBsonDocument projection;
  private final RawBsonDocument sort;
  private final int limit;

  FindByIndex(Asked asked) {
    super("FIND-BY-INDEX");
    var index = asked.paths("index");
    int equal = asked.count("equal", 1, 0, index.size());
    boolean ranged = asked.flag("range") && equal < index.size();
    int direction = asked.count("sort", 0, -1, 1);
    match =
        new IndexMatch(
            asked,
            index.subList(0, ranged ? equal + 1 : equal),
            ranged ? (direction < 0 ? "$lte" : "$gte") : "");
    boolean sorted = direction != 0 && equal < index.size();
    sort = sorted ? Messages.each(List.of(index.get(equal)), direction) : null;
    projection = asked.projection();
    limit = asked.count("limit", 100, 1, 1_000_000);
  }

  @Override
  Call prepare(Turn turn) {
    var chosen = turn.choose(turn.draws());
    var matched = match.of(turn, chosen.number());
    var query = new Store.Query(matched.filter(), projection, sort, limit);
    return store -> {
      var met = new AtomicBoolean();
      int found = store.find(query, one -> met.set(met.get() || isChosen(turn, chosen, one)));
      return checked(turn, chosen, matched.isCertain(), found, met.get());
    };
  }

  private static boolean isChosen(Turn turn, Turn.Chosen chosen, RawBsonDocument found) {
    return turn.layout().key(found).equals(chosen.key());
  }

  private Status checked(
      Turn turn, Turn.Chosen chosen, boolean isCertain, int found, boolean isMet) {
    boolean mustBeMet = isCertain && found < limit && turn.stayed(chosen);
    return checked(
        turn,
        found <= limit && (isMet || !mustBeMet),
        "%s is not among %d documents found, of %d at most".formatted(chosen.key(), found, limit));
  }
}
