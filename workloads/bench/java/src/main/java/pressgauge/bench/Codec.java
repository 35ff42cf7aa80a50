package pressgauge.bench;

import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import java.io.IOException;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import net.jpountz.lz4.LZ4Factory;
import org.xerial.snappy.Snappy;

/**
 * A codec of the JVM, for one thread. Blocks come back in arrays of their own, as a program would
 * have them.
 */
interface Codec {
  byte[] compress(byte[] block) throws IOException;

  /** Gives back a block that was so many bytes long. */
  byte[] decompress(byte[] compressed, int length) throws IOException;

  /** The codec of this name. */
  static Codec of(String name) {
    return switch (name) {
      case "none" -> new Copy();
      case "lz4-jni" -> new Lz4(LZ4Factory.nativeInstance());
      case "lz4-unsafe" -> new Lz4(LZ4Factory.unsafeInstance());
      case "lz4-safe" -> new Lz4(LZ4Factory.safeInstance());
      case "snappy" -> new SnappyJni();
      case "zlib-6" -> new Deflate(6);
      case "zstd-1" -> new Zstd(1);
      case "zstd-6" -> new Zstd(6);
      default -> throw new IllegalArgumentException(name);
    };
  }

  /** A copy in memory: the ceiling. */
  record Copy() implements Codec {
    @Override
    public byte[] compress(byte[] block) {
      return block.clone();
    }

    @Override
    public byte[] decompress(byte[] compressed, int length) {
      return compressed.clone();
    }
  }

  /** LZ4's blocks, by JNI or in Java. */
  record Lz4(LZ4Factory factory) implements Codec {
    @Override
    public byte[] compress(byte[] block) {
      return factory.fastCompressor().compress(block);
    }

    @Override
    public byte[] decompress(byte[] compressed, int length) {
      var block = new byte[length];
      factory.safeDecompressor().decompress(compressed, 0, compressed.length, block, 0);
      return block;
    }
  }

  /** Google's snappy by JNI. */
  record SnappyJni() implements Codec {
    @Override
    public byte[] compress(byte[] block) throws IOException {
      return Snappy.compress(block);
    }

    @Override
    public byte[] decompress(byte[] compressed, int length) throws IOException {
      return Snappy.uncompress(compressed);
    }
  }

  /** The JDK's own, which is the system's or its own zlib. */
  final class Deflate implements Codec {
    private final Deflater deflater;
    private final Inflater inflater = new Inflater();
    private byte[] buffer = new byte[1 << 17];

    Deflate(int level) {
      deflater = new Deflater(level);
    }

    @Override
    public byte[] compress(byte[] block) {
      deflater.reset();
      deflater.setInput(block);
      deflater.finish();
      var written = 0;
      while (!deflater.finished()) {
        if (written == buffer.length) {
          buffer = Arrays.copyOf(buffer, 2 * buffer.length);
        }
        written += deflater.deflate(buffer, written, buffer.length - written);
      }
      return Arrays.copyOf(buffer, written);
    }

    @Override
    public byte[] decompress(byte[] compressed, int length) throws IOException {
      inflater.reset();
      inflater.setInput(compressed);
      var block = new byte[length];
      try {
        inflater.inflate(block);
      } catch (DataFormatException damaged) {
        throw new IOException(damaged);
      }
      return block;
    }
  }

  /** zstd by JNI, with contexts that are used again. */
  final class Zstd implements Codec {
    private final ZstdCompressCtx compress = new ZstdCompressCtx();
    private final ZstdDecompressCtx decompress = new ZstdDecompressCtx();

    Zstd(int level) {
      compress.setLevel(level);
    }

    @Override
    public byte[] compress(byte[] block) {
      return compress.compress(block);
    }

    @Override
    public byte[] decompress(byte[] compressed, int length) {
      return decompress.decompress(compressed, length);
    }
  }
}
