package pressgauge;

import java.util.Arrays;
import java.util.List;
import org.bson.Document;
import org.bson.RawBsonDocument;

/** The references that a verification met: where they lead, and how many there are of them. */
final class ReferenceCount {
  private long[] led = new long[1024]; // the first 64 bits of each that led somewhere; may repeat
  private int count;
  private long dangling;

  /**
   * Counts the references of documents.
   *
   * @param stored as they lie in the database
   * @param resolved the same, with what was found for their references
   */
  void count(List<RawBsonDocument> stored, List<RawBsonDocument> resolved) {
    for (int i = 0; i < stored.size(); i++) {
      var before = new BsonFields(stored.get(i));
      var after = new BsonFields(resolved.get(i));
      while (before.next() && after.next()) {
        var reference = Reference.of(before);
        if (reference != null) {
          count(reference, Reference.of(after) == null);
        }
      }
    }
  }

  private synchronized void count(Reference reference, boolean leads) {
    if (!leads) {
      dangling++;
      return;
    }
    if (count == led.length) {
      distinct();
      led = Arrays.copyOf(led, Math.max(led.length, 2 * count));
    }
    led[count++] = reference.first();
  }

  /** Leaves one of each, and returns how many there are. */
  private int distinct() {
    Arrays.sort(led, 0, count);
    int kept = 0;
    for (int i = 0; i < count; i++) {
      if (i == 0 || led[i] != led[i - 1]) {
        led[kept++] = led[i];
      }
    }
    count = kept;
    return count;
  }

  /**
   * For the verification's file.
   *
   * @param entries of the dictionary
   * @param isWhole whether all documents were read; else nothing is known of surplus entries
   */
  synchronized Document toDocument(long entries, boolean isWhole) {
    int referenced = distinct();
    return new Document("entries", entries)
        .append("referenced", referenced)
        .append("dangling", dangling)
        .append("surplus", isWhole ? entries - referenced : null);
  }
}
