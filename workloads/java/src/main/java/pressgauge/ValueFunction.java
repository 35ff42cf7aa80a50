package pressgauge;

import java.nio.charset.StandardCharsets;

/**
 * The text of a field: a pure function of seed, record number, field index and version. The Python
 * twin in {@code datasets/} gives the same bytes; both are held to the same golden vectors.
 *
 * <p>A value is a marker ({@code "#<version> "}; none for version 0) and the corpus from a drawn
 * line on, together exactly {@code length} bytes. Where the cut at the end splits a character, its
 * bytes become spaces.
 */
final class ValueFunction {
  static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;
  private static final int LONGEST_VERSION_DIGITS = 18;

  private final Corpus corpus;
  private final LineChoice lines;
  private final int length;

  /** Of lines drawn at random. */
  ValueFunction(Corpus corpus, long seed, int length) {
    this(corpus, LineChoice.drawn(seed, corpus.lines()), length);
  }

  /**
   * @param length of every value, in bytes; at most the corpus's longest slice
   */
  ValueFunction(Corpus corpus, LineChoice lines, int length) {
    if (length > corpus.longestSlice()) {
      throw new IllegalArgumentException("the corpus was read for shorter values");
    }
    this.corpus = corpus;
    this.lines = lines;
    this.length = length;
  }

  /** SplitMix64's finaliser. */
  static long mix(long z) {
    z ^= z >>> 30;
    z *= 0xBF58476D1CE4E5B9L;
    z ^= z >>> 27;
    z *= 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  /** 64 well-mixed bits for a (seed, key, field, version). */
  static long draw(long seed, long key, long field, long version) {
    long h = mix(seed + GOLDEN_GAMMA * (key + 1));
    h = mix(h + GOLDEN_GAMMA * (field + 1));
    return mix(h + GOLDEN_GAMMA * (version + 1));
  }

  /** Maps a draw's upper 32 bits evenly onto 0..n-1. */
  static int below(long draw, int n) {
    return (int) (((draw >>> 32) * n) >>> 32);
  }

  /**
   * The value of a field.
   *
   * @param key the record number, not the hashed key name
   * @throws IllegalArgumentException if the version's marker is longer than the value
   */
  TextValue value(long key, int field, long version) {
    var text = corpus.text();
    int from = corpus.start(lines.line(key, field, version));
    if (version == 0) {
      int whole = wholeCharacters(text, from, length);
      if (whole == length) {
        return new TextValue(text, from, length);
      }
    }
    var marker = marker(version);
    if (marker.length > length) {
      throw new IllegalArgumentException(length + " bytes can't hold version " + version);
    }
    var own = new byte[length];
    System.arraycopy(marker, 0, own, 0, marker.length);
    int rest = length - marker.length;
    int whole = wholeCharacters(text, from, rest);
    System.arraycopy(text, from, own, marker.length, whole);
    for (int at = marker.length + whole; at < length; at++) {
      own[at] = ' ';
    }
    return new TextValue(own, 0, length);
  }

  private static byte[] marker(long version) {
    return version == 0 ? new byte[0] : ("#" + version + " ").getBytes(StandardCharsets.US_ASCII);
  }

  /** The bytes, of at most {@code length} from {@code from} on, that are whole characters. */
  private static int wholeCharacters(byte[] text, int from, int length) {
    if (!isContinuation(text[from + length])) {
      return length;
    }
    int whole = length;
    while (whole > 0 && isContinuation(text[from + whole])) {
      whole--;
    }
    return whole;
  }

  private static boolean isContinuation(byte b) {
    return (b & 0xC0) == 0x80;
  }

  /** The version a value carries: 0 without a marker. */
  static long version(TextValue value) {
    return version(value.array(), value.offset(), value.length());
  }

  /** As {@link #version(TextValue)}, of {@code length} bytes from {@code from} on. */
  static long version(byte[] text, int from, int length) {
    if (length < 3 || text[from] != '#' || text[from + 1] == '0') {
      return 0;
    }
    long version = 0;
    int digits = Math.min(length - 2, LONGEST_VERSION_DIGITS);
    for (int at = from + 1; at <= from + 1 + digits; at++) {
      int digit = text[at] - '0';
      if (digit < 0 || digit > 9) {
        return text[at] == ' ' ? version : 0;
      }
      version = version * 10 + digit;
    }
    return 0;
  }
}
