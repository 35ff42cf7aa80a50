package pressgauge;

/**
 * A drawn order of 0 to n - 1 that is nowhere written down: what stands at a place follows from the
 * place, and a place from what stands there. A Feistel network, repeated until it stays within n.
 */
record Permutation(long seed, int n) {
  private static final int ROUNDS = 4;

  /** What stands at a place. */
  int at(int place) {
    long value = place;
    do {
      value = scrambled(value);
    } while (value >= n);
    return (int) value;
  }

  /** Where something stands. */
  int placeOf(int value) {
    long place = value;
    do {
      place = unscrambled(place);
    } while (place >= n);
    return (int) place;
  }

  /** Half of the bits that hold n - 1, rounded up. */
  private int half() {
    return Math.max(1, (33 - Integer.numberOfLeadingZeros(n - 1)) / 2);
  }

  private long scrambled(long value) {
    int bits = half();
    long mask = (1L << bits) - 1;
    long left = value >>> bits;
    long right = value & mask;
    for (int round = 0; round < ROUNDS; round++) {
      long next = left ^ (ValueFunction.draw(seed, right, round, n) & mask);
      left = right;
      right = next;
    }
    return left << bits | right;
  }

  private long unscrambled(long value) {
    int bits = half();
    long mask = (1L << bits) - 1;
    long left = value >>> bits;
    long right = value & mask;
    for (int round = ROUNDS - 1; round >= 0; round--) {
      long before = right ^ (ValueFunction.draw(seed, left, round, n) & mask);
      right = left;
      left = before;
    }
    return left << bits | right;
  }
}
