package pressgauge;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * MurmurHash3, x64, of 128 bits, seed 0. It is fast without the optimising compiler, too; SHA-256
 * would take longer for a value than the driver does.
 */
record Murmur3(long first, long second) {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long C1 = 0x87c37b91114253d5L;
  private static final long C2 = 0x4cf5ad432745937fL;
  private static final int BLOCK = 2 * Long.BYTES;

  /** The hash of a part of an array. */
  static Murmur3 of(byte[] bytes, int from, int length) {
    long h1 = 0;
    long h2 = 0;
    int at = from;
    for (int end = from + length - length % BLOCK; at < end; at += BLOCK) {
      h1 ^= first((long) LONGS.get(bytes, at));
      h1 = (Long.rotateLeft(h1, 27) + h2) * 5 + 0x52dce729;
      h2 ^= second((long) LONGS.get(bytes, at + Long.BYTES));
      h2 = (Long.rotateLeft(h2, 31) + h1) * 5 + 0x38495ab5;
    }
    int rest = from + length - at;
    h2 ^= second(little(bytes, at + Long.BYTES, rest - Long.BYTES)) ^ length;
    h1 ^= first(little(bytes, at, Math.min(rest, Long.BYTES))) ^ length;
    h1 += h2;
    h2 += h1;
    h1 = finished(h1);
    h2 = finished(h2);
    h1 += h2;
    return new Murmur3(h1, h2 + h1);
  }

  private static long first(long k) {
    return Long.rotateLeft(k * C1, 31) * C2;
  }

  private static long second(long k) {
    return Long.rotateLeft(k * C2, 33) * C1;
  }

  /** Up to eight bytes as a number, the first one lowest; 0 of none. */
  private static long little(byte[] bytes, int from, int length) {
    long number = 0;
    for (int i = 0; i < length; i++) {
      number |= (bytes[from + i] & 0xFFL) << (Byte.SIZE * i);
    }
    return number;
  }

  private static long finished(long h) {
    h = (h ^ h >>> 33) * 0xff51afd7ed558ccdL;
    h = (h ^ h >>> 33) * 0xc4ceb9fe1a85ec53L;
    return h ^ h >>> 33;
  }
}
