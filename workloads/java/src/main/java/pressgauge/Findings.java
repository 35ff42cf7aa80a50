package pressgauge;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import org.bson.Document;
import pressgauge.Documents.Checked;

/** What a verification found, in a part of a collection or in all of it. */
final class Findings {
  private static final int MOST_EXAMPLES = 10;
  private static final int LANES = 4;

  /** A document that isn't as it should be; record is -1 and field empty where there is none. */
  record Example(String key, int recordNumber, String field, String why) {
    Document toDocument() {
      return new Document("key", key)
          .append("record", recordNumber < 0 ? null : recordNumber)
          .append("field", field.isEmpty() ? null : field)
          .append("why", why);
    }
  }

  private final BitSet seen = new BitSet();
  private final long[] contentHash = new long[LANES];
  private final List<Example> examples = new ArrayList<>();
  private long checked;
  private long altered;
  private long surplus;
  private long versionSum;
  private long writeSum;

  /**
   * Counts a document that was recomputed.
   *
   * @param digest the SHA-256 of its BSON bytes
   * @param found what its check read in it
   */
  void checked(int recordNumber, byte[] digest, Checked found) {
    seen.set(recordNumber);
    checked++;
    versionSum += found.versions();
    writeSum += found.writes();
    add(digest);
  }

  void altered(Example example) {
    altered++;
    example(example);
  }

  /** Counts a document that should not be there. */
  void surplus(String key, byte[] digest, String why) {
    surplus++;
    add(digest);
    example(new Example(key, -1, "", why));
  }

  void example(Example example) {
    if (examples.size() < MOST_EXAMPLES) {
      examples.add(example);
    }
  }

  /** A sum, so that it doesn't depend on the order in which documents are read. */
  private void add(byte[] digest) {
    var words = ByteBuffer.wrap(digest).asLongBuffer();
    for (int lane = 0; lane < LANES; lane++) {
      contentHash[lane] += words.get(lane);
    }
  }

  synchronized void merge(Findings part) {
    seen.or(part.seen);
    checked += part.checked;
    altered += part.altered;
    surplus += part.surplus;
    versionSum += part.versionSum;
    writeSum += part.writeSum;
    for (int lane = 0; lane < LANES; lane++) {
      contentHash[lane] += part.contentHash[lane];
    }
    part.examples.forEach(this::example);
  }

  boolean hasSeen(int recordNumber) {
    return seen.get(recordNumber);
  }

  /** Whether there are missing documents, and room for examples of them. */
  boolean wantsMissing(long records) {
    return checked < records && examples.size() < MOST_EXAMPLES;
  }

  long checked() {
    return checked;
  }

  Document toDocument() {
    var hash = ByteBuffer.allocate(LANES * Long.BYTES);
    hash.asLongBuffer().put(contentHash);
    return new Document("checked", checked)
        .append("altered", altered)
        .append("surplus", surplus)
        .append("version_sum", versionSum)
        .append("write_sum", writeSum)
        .append("content_hash", HexFormat.of().formatHex(hash.array()))
        .append("examples", examples.stream().map(Example::toDocument).toList());
  }
}
