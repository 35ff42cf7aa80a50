package pressgauge;

/** The draws of one operation, one after the other: pure functions of its place in the phase. */
interface Draws {
  /** The next 64 bits. */
  long next();

  /** The next number of 0..n-1, uniformly. */
  default int below(int n) {
    return ValueFunction.below(next(), n);
  }

  /** The next number from 0 up to, but not including, 1. */
  default double share() {
    return (next() >>> 11) * 0x1p-53;
  }
}
