package pressgauge.bench;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.zip.CRC32C;
import net.openhft.hashing.LongHashFunction;
import net.openhft.hashing.LongTupleHashFunction;
import org.apache.commons.codec.digest.Blake3;
import org.apache.commons.codec.digest.MurmurHash3;

/** A digest of some bytes, by its name. */
@FunctionalInterface
interface Digests {
  Object of(byte[] bytes);

  /** The digest of this name. */
  static Digests named(String name) {
    return switch (name) {
      case "sha-256", "md5" -> {
        var digest = messageDigest(name);
        yield digest::digest;
      }
      case "blake3" -> Blake3::hash;
      case "xxh3-64" -> bytes -> LongHashFunction.xx3().hashBytes(bytes);
      case "xxh3-128" -> bytes -> LongTupleHashFunction.xx128().hashBytes(bytes);
      case "murmur3" -> bytes -> MurmurHash3.hash128x64(bytes);
      case "crc32c" ->
          bytes -> {
            var sum = new CRC32C();
            sum.update(bytes);
            return sum.getValue();
          };
      default -> throw new IllegalArgumentException(name);
    };
  }

  private static MessageDigest messageDigest(String name) {
    try {
      return MessageDigest.getInstance(name);
    } catch (NoSuchAlgorithmException missing) {
      throw new IllegalStateException(missing);
    }
  }
}
