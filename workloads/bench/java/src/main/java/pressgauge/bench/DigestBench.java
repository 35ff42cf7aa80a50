package pressgauge.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Digests some of the data per operation. */
@State(Scope.Thread)
public class DigestBench {
  @Param({"sha-256", "blake3", "xxh3-64", "xxh3-128", "murmur3", "crc32c", "md5"})
  public String digest;

  @Param({"4", "100", "1048576"})
  public int length;

  /** The file with the data. */
  @Param("")
  public String data;

  private Digests call;
  private byte[][] inputs;
  private int next;

  /**
   * Cuts the data into inputs, of which there are few enough to stay in the cache where they are
   * short.
   */
  @Setup
  public void setUp() throws IOException {
    call = Digests.named(digest);
    var content = Files.readAllBytes(Path.of(data));
    inputs = new byte[Math.max(1, Math.min(64, content.length / length))][];
    for (var at = 0; at < inputs.length; at++) {
      inputs[at] = Arrays.copyOfRange(content, at * length, (at + 1) * length);
    }
  }

  @Benchmark
  public Object digest() {
    next = next + 1 < inputs.length ? next + 1 : 0;
    return call.of(inputs[next]);
  }
}
