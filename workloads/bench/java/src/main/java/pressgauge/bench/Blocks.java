package pressgauge.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** The data in blocks, as they are and as a codec has them; every one was seen to come back. */
final class Blocks {
  final byte[][] raw;
  final byte[][] compressed;
  private int next;

  Blocks(Codec codec, Path data, int blockBytes) throws IOException {
    var content = Files.readAllBytes(data);
    raw = new byte[(content.length + blockBytes - 1) / blockBytes][];
    compressed = new byte[raw.length][];
    for (var at = 0; at < raw.length; at++) {
      raw[at] =
          Arrays.copyOfRange(
              content, at * blockBytes, Math.min(content.length, (at + 1) * blockBytes));
      compressed[at] = codec.compress(raw[at]);
      if (!Arrays.equals(codec.decompress(compressed[at], raw[at].length), raw[at])) {
        throw new IOException("block " + at + " came back as another");
      }
    }
  }

  /** The number of the next block, around and around. */
  int next() {
    next = next + 1 < raw.length ? next + 1 : 0;
    return next;
  }
}
