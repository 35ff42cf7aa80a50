package pressgauge;

import java.util.List;
import org.bson.RawBsonDocument;
import site.ycsb.Status;

/** Counts documents by the values of a path: those that equal a chosen one in an index, or all. */
final class Aggregate extends StoreOperation {
  private static final String COUNT = "n";

  private final IndexMatch match;
  private final RawBsonDocument group;
  private final boolean ofAll;

  Aggregate(Asked asked) {
    super("AGGREGATE");
    var index = asked.paths("index");
    ofAll = index.isEmpty();
    match = new IndexMatch(asked, index, "");
    group = group(asked.text("group"));
  }

  private static RawBsonDocument group(String path) {
    var buffer = new BsonBuffer(64);
    int start = buffer.begin();
    int group = buffer.begin("$group");
    buffer.string("_id", "$" + path);
    int count = buffer.begin(COUNT);
    buffer.int32("$sum", 1);
    buffer.end(count);
    buffer.end(group);
    return Messages.ended(buffer, start);
  }

  @Override
  Call prepare(Turn turn) {
    var chosen = turn.choose(turn.draws());
    var buffer = turn.store().buffer();
    int start = buffer.begin();
    int stage = buffer.begin("$match");
    boolean isCertain = match.write(buffer, turn, chosen.number());
    buffer.end(stage);
    var pipeline = List.of(Messages.ended(buffer, start), group);
    long restored = turn.population().restored();
    return store -> {
      var sum = new long[1];
      store.aggregate(pipeline, counted -> sum[0] += counted.getInt32(COUNT).getValue());
      return checked(turn, chosen, isCertain, sum[0], restored);
    };
  }

  private Status checked(
      Turn turn, Turn.Chosen chosen, boolean isCertain, long sum, long restored) {
    if (ofAll) {
      long least = turn.population().presentSince(restored);
      return checked(turn, sum >= least, sum + " documents in all groups, not " + least);
    }
    boolean right = sum > 0 || !isCertain || !turn.stayed(chosen);
    return checked(turn, right, chosen.key() + " is in no group");
  }
}
