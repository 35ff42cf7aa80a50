package pressgauge;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * Which operation, on which key and field, comes at a place in a phase: pure functions of seed,
 * phase and the operation's index among all threads and clients. So the same operations happen
 * however many threads share them.
 */
final class OperationMix {
  private static final int OF_KIND = 0;
  private static final int OF_KEY = 1;
  private static final int OF_FIELD = 2;
  private static final int OF_DRAWS = 3; // and all above

  private final long seed;
  private final long phase;
  private final List<Operation> operations;
  private final double[] upTo;
  private final boolean own;

  /**
   * @throws UsageException if a proportion is wrong, or of an operation that there isn't
   */
  OperationMix(Settings settings, Operations operations, long seed, String phase) {
    this.seed = seed;
    this.phase = hash(phase);
    own = operations.isOwn(settings);
    var weighted = own ? Operations.own(settings) : operations.ycsb(settings);
    this.operations = weighted.stream().map(Operations.Weighted::operation).toList();
    upTo = new double[weighted.size()];
    double sum = 0;
    for (int at = 0; at < upTo.length; at++) {
      sum += weighted.get(at).weight();
      upTo[at] = sum;
    }
    if (sum <= 0) {
      throw new UsageException("readproportion and the other proportions: all are 0");
    }
  }

  /** Whether it is a mix of one's own, not one of YCSB's. */
  boolean isOwn() {
    return own;
  }

  private static long hash(String text) {
    long h = 0;
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      h = ValueFunction.mix(h * 31 + b + 1);
    }
    return h;
  }

  /** The names of the series that the mix fills. */
  Set<String> series() {
    var series = new TreeSet<String>();
    for (int at = 0; at < upTo.length; at++) {
      if (isDone(at)) {
        series.addAll(operations.get(at).series());
      }
    }
    return series;
  }

  /** Whether the mix has operations of a kind. */
  boolean has(Class<? extends Operation> kind) {
    return has(kind::isInstance);
  }

  /** Whether the mix has an operation of which something is true. */
  boolean has(Predicate<Operation> what) {
    return IntStream.range(0, upTo.length)
        .anyMatch(at -> what.test(operations.get(at)) && isDone(at));
  }

  private boolean isDone(int at) {
    return upTo[at] > (at == 0 ? 0 : upTo[at - 1]);
  }

  /** Operations are chosen in proportion, whether or not the proportions add up to 1. */
  Operation operation(long index) {
    double drawn = (draw(index, OF_KIND) >>> 11) * 0x1p-53 * upTo[upTo.length - 1];
    int at = 0;
    while (drawn >= upTo[at]) {
      at++;
    }
    return operations.get(at);
  }

  /** A key, uniformly of 0..n-1. */
  int key(long operation, int n) {
    return ValueFunction.below(draw(operation, OF_KEY), n);
  }

  /** A field, uniformly of 0..n-1. */
  int field(long operation, int n) {
    return ValueFunction.below(draw(operation, OF_FIELD), n);
  }

  /** As many draws as an operation wants, from their beginning. */
  Draws draws(long operation) {
    return new Draws() {
      private int purpose = OF_DRAWS;

      @Override
      public long next() {
        return draw(operation, purpose++);
      }
    };
  }

  private long draw(long operation, int purpose) {
    return ValueFunction.draw(seed, operation, purpose, phase);
  }
}
