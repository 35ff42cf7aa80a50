package pressgauge.bench;

import java.io.IOException;
import java.nio.file.Path;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Compresses and decompresses a block per operation. */
@State(Scope.Thread)
public class CodecBench {
  @Param({"none", "lz4-jni", "lz4-unsafe", "lz4-safe", "snappy", "zlib-6", "zstd-1", "zstd-6"})
  public String codec;

  @Param({"1024", "4096", "32768", "131072"})
  public int blockBytes;

  /** The file with the data. */
  @Param("")
  public String data;

  private Codec calls;
  private Blocks blocks;

  /** Reads the data. */
  @Setup
  public void setUp() throws IOException {
    calls = Codec.of(codec);
    blocks = new Blocks(calls, Path.of(data), blockBytes);
  }

  @Benchmark
  public byte[] compress() throws IOException {
    return calls.compress(blocks.raw[blocks.next()]);
  }

  @Benchmark
  public byte[] decompress() throws IOException {
    var at = blocks.next();
    return calls.decompress(blocks.compressed[at], blocks.raw[at].length);
  }
}
