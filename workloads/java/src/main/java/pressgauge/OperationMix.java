package pressgauge;

import java.nio.charset.StandardCharsets;

/**
 * Which operation, on which key and field, comes at a place in a phase: pure functions of seed,
 * phase and the operation's index among all threads and clients. So the same operations happen
 * however many threads share them.
 */
final class OperationMix {
  /** The kinds of operation, each with its property and its default there (YCSB's). */
  enum Kind {
    READ("readproportion", "0.95"),
    UPDATE("updateproportion", "0.05"),
    INSERT("insertproportion", "0"),
    SCAN("scanproportion", "0"),
    READ_MODIFY_WRITE("readmodifywriteproportion", "0");

    private final String property;
    private final String otherwise;
    private final String series = name().replace('_', '-');

    Kind(String property, String otherwise) {
      this.property = property;
      this.otherwise = otherwise;
    }

    /** The name of its series in YCSB's measurements. */
    String series() {
      return series;
    }
  }

  private static final Kind[] KINDS = Kind.values();
  private static final int OF_KIND = 0;
  private static final int OF_KEY = 1;
  private static final int OF_FIELD = 2;

  private final long seed;
  private final long phase;
  private final double[] upTo = new double[KINDS.length];

  OperationMix(Settings settings, long seed, String phase) {
    this.seed = seed;
    this.phase = hash(phase);
    double sum = 0;
    for (var kind : KINDS) {
      sum += settings.share(kind.property, kind.otherwise);
      upTo[kind.ordinal()] = sum;
    }
    if (sum <= 0) {
      throw new UsageException("readproportion and the other proportions: all are 0");
    }
  }

  private static long hash(String text) {
    long h = 0;
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      h = ValueFunction.mix(h * 31 + b + 1);
    }
    return h;
  }

  boolean has(Kind kind) {
    int at = kind.ordinal();
    return upTo[at] > (at == 0 ? 0 : upTo[at - 1]);
  }

  /** Kinds are chosen in proportion, whether or not the proportions add up to 1. */
  Kind kind(long operation) {
    double drawn = (draw(operation, OF_KIND) >>> 11) * 0x1p-53 * upTo[KINDS.length - 1];
    int at = 0;
    while (drawn >= upTo[at]) {
      at++;
    }
    return KINDS[at];
  }

  /** A key, uniformly of 0..n-1. */
  int key(long operation, int n) {
    return ValueFunction.below(draw(operation, OF_KEY), n);
  }

  /** A field, uniformly of 0..n-1. */
  int field(long operation, int n) {
    return ValueFunction.below(draw(operation, OF_FIELD), n);
  }

  private long draw(long operation, int purpose) {
    return ValueFunction.draw(seed, operation, purpose, phase);
  }
}
