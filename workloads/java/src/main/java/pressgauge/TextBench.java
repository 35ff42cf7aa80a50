package pressgauge;

import org.bson.Document;

/**
 * Prints how many bytes of values one core assembles a second, from the draw to the bytes of a BSON
 * document: {@code text_bytes_per_s} as a load does (no version marker), and {@code
 * successor_bytes_per_s} as a read-modify-write does.
 */
public final class TextBench {
  private static final int ROUNDS = 5;
  private static final int DOCUMENTS = 1_000_000;

  private TextBench() {}

  /** Takes the workload's properties; see {@link Tool#main} for the exit status. */
  public static void main(String[] arguments) {
    System.exit(Tool.main("bench", arguments, TextBench::run, System.err));
  }

  private static void run(Settings settings) {
    var bench =
        new Document("text_bytes_per_s", bytesPerS(settings, 0))
            .append("successor_bytes_per_s", bytesPerS(settings, 1));
    System.out.println(bench.toJson());
  }

  /** The last of several rounds, the others being warm-up. */
  private static double bytesPerS(Settings settings, long version) {
    var documents = Documents.of(settings);
    var document = documents.blank();
    var layout = documents.layout();
    var buffer = new BsonBuffer(64 * 1024);
    double bytesPerS = 0;
    for (int round = 0; round < ROUNDS; round++) {
      long bytes = 0;
      long startNs = System.nanoTime();
      for (int record = 0; record < DOCUMENTS; record++) {
        documents.fill(document, record, version);
        for (var value : document.values()) {
          bytes += value.bytesLeft();
        }
        buffer.clear();
        layout.document(buffer, "user", document);
      }
      bytesPerS = bytes * 1e9 / (System.nanoTime() - startNs);
    }
    return bytesPerS;
  }
}
