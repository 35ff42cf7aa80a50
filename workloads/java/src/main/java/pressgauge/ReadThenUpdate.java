package pressgauge;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.TreeSet;
import org.bson.RawBsonDocument;
import site.ycsb.ByteIterator;
import site.ycsb.Status;

/** Reads a path of a record, and writes the version after the one that it read. */
final class ReadThenUpdate extends StoreOperation {
  private final int[] settable;
  private final List<RawBsonDocument> projections;

  ReadThenUpdate(Asked asked) {
    super("READ-MODIFY-WRITE");
    settable = asked.settable();
    var documents = asked.documents();
    projections =
        Arrays.stream(settable)
            .mapToObj(place -> Messages.each(new TreeSet<>(documents.toRead(place)), 1))
            .toList();
  }

  @Override
  int writes() {
    return 1;
  }

  @Override
  Call prepare(Turn turn) {
    var draws = turn.draws();
    int drawn = draws.below(settable.length);
    var chosen = turn.choose(draws);
    var query = new Store.Query(byKey(turn, chosen.key()), projections.get(drawn), null, 1);
    return store -> {
      var read = new RawBsonDocument[1];
      int found = store.find(query, one -> read[0] = one);
      return found == 1
          ? update(turn, store, chosen, settable[drawn], read[0])
          : checkedOne(turn, chosen, found, "documents found");
    };
  }

  private Status update(
      Turn turn, Store store, Turn.Chosen chosen, int place, RawBsonDocument read) {
    var documents = turn.documents();
    var values = new HashMap<String, ByteIterator>();
    boolean isWhole = turn.layout().unpack(read, documents.toRead(place), values);
    long version = isWhole ? documents.version(values, place) : -1;
    if (version < 0) {
      var name = documents.fields().get(place);
      return checked(turn, false, chosen.key() + " was read without its " + name);
    }
    var filter = byKey(turn, chosen.key());
    var update = turn.update(chosen.number(), new int[] {place}, version + 1);
    return UpdatePaths.updated(this, turn, chosen, store.update(filter, update));
  }
}
