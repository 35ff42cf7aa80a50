package pressgauge.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

/** Prints what needs no timing: `CODEC BLOCK-BYTES RATIO`. */
public final class Facts {
  private Facts() {}

  /** {@code DATA CODEC,… BYTES,…}: ratios. */
  public static void main(String[] arguments) throws IOException {
    for (var name : arguments[1].split(",")) {
      for (var size : arguments[2].split(",")) {
        var blocks = new Blocks(Codec.of(name), Path.of(arguments[0]), Integer.parseInt(size));
        System.out.printf(
            Locale.ROOT, "%s %s %.6f%n", name, size, total(blocks.raw) / total(blocks.compressed));
      }
    }
  }

  private static double total(byte[][] blocks) {
    return Stream.of(blocks).mapToLong(block -> block.length).sum();
  }
}
