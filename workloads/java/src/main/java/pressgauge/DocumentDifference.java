package pressgauge;

import java.nio.ByteBuffer;
import org.bson.BsonType;

/**
 * The first difference between two documents.
 *
 * @param path of the field that differs; empty if none does
 * @param why how it differs; empty if none does
 */
record DocumentDifference(String path, String why) {
  private static final DocumentDifference NONE = new DocumentDifference("", "");

  /**
   * Compares documents byte by byte.
   *
   * @param stored the stored document, as far as it is compared
   * @param end where the comparison ends in it
   */
  static DocumentDifference between(ByteBuffer expected, ByteBuffer stored, int end) {
    int from = stored.position();
    if (stored.getInt(from) != stored.remaining()) {
      return new DocumentDifference("", "it is malformed");
    }
    var content = stored.slice(from + Integer.BYTES, end - from - Integer.BYTES);
    int length = expected.limit() - Integer.BYTES - 1;
    if (content.equals(expected.slice(Integer.BYTES, length))) {
      return NONE;
    }
    try {
      return between("", new BsonFields(expected), new BsonFields(stored), end);
    } catch (IllegalStateException e) {
      return new DocumentDifference("", e.getMessage());
    }
  }

  private static DocumentDifference between(
      String above, BsonFields expected, BsonFields stored, int end) {
    while (expected.next()) {
      var path = above + expected.name();
      if (!stored.next() || stored.at() >= end) {
        return new DocumentDifference(path, "it is missing");
      }
      if (!stored.name().equals(expected.name())) {
        return new DocumentDifference(path, "field " + stored.name() + " is in its place");
      }
      if (stored.type() != expected.type()) {
        var types = "it is of type %s, not %s".formatted(stored.type(), expected.type());
        return new DocumentDifference(path, types);
      }
      var found = stored.value().bytes();
      int at = found.mismatch(expected.value().bytes());
      if (at >= 0) {
        var difference = new DocumentDifference(path, "it differs at byte " + at);
        boolean nested = stored.type() == BsonType.DOCUMENT || stored.type() == BsonType.ARRAY;
        return nested ? within(path, expected, stored, difference) : difference;
      }
    }
    boolean more = stored.next() && stored.at() < end;
    return more ? new DocumentDifference(above + stored.name(), "it should not be there") : NONE;
  }

  /** The difference within a field's value; another if all its fields are alike. */
  private static DocumentDifference within(
      String path, BsonFields expected, BsonFields stored, DocumentDifference otherwise) {
    var inner = between(path + '.', expected.inner(), stored.inner(), stored.end());
    return inner.equals(NONE) ? otherwise : inner;
  }
}
