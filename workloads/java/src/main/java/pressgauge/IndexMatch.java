package pressgauge;

import java.util.List;
import org.bson.BsonType;
import org.bson.RawBsonDocument;

/**
 * What finds documents by an index, with the values of a chosen one: equal in the first paths, and
 * perhaps from its value on in the next.
 */
final class IndexMatch {
  private static final RawValue NULL = new RawValue(BsonType.NULL, new byte[0]);

  /**
   * A filter.
   *
   * @param isCertain whether the chosen document must be among those that it finds
   */
  record Match(RawBsonDocument filter, boolean isCertain) {}

  private final List<String> names;
  private final List<FieldPath> paths;
  private final String range;
  private final boolean stays;

  /**
   * @param names of the paths that are matched
   * @param range how the last of them is: {@code $gte} or {@code $lte}; empty if it is equal, too
   */
  IndexMatch(Asked asked, List<String> names, String range) {
    this.names = names;
    this.range = range;
    paths = names.stream().map(FieldPath::of).toList();
    var written = asked.documents().fields();
    stays = names.stream().noneMatch(name -> written.stream().anyMatch(one -> meet(one, name)));
  }

  /** Whether one of two paths is the other, or leads through it. */
  private static boolean meet(String path, String other) {
    return (path + '.').startsWith(other + '.') || (other + '.').startsWith(path + '.');
  }

  /** Matches a record as it was loaded. */
  Match of(Turn turn, long recordNumber) {
    var buffer = turn.store().buffer();
    int start = buffer.begin();
    boolean isCertain = write(buffer, turn, recordNumber);
    return new Match(Messages.ended(buffer, start), isCertain);
  }

  /** Writes the conditions into a document; returns whether it must find the record. */
  boolean write(BsonBuffer buffer, Turn turn, long recordNumber) {
    boolean isCertain = stays;
    for (int i = 0; i < paths.size(); i++) {
      var value = turn.documents().indexed(recordNumber, paths.get(i));
      isCertain &= value != null;
      int condition = buffer.begin(names.get(i));
      boolean isLast = i == paths.size() - 1 && !range.isEmpty();
      buffer.raw(isLast ? range : "$eq", value == null ? NULL : value);
      buffer.end(condition);
    }
    return isCertain;
  }
}
