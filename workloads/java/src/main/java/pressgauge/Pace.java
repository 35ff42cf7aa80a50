package pressgauge;

/**
 * When a thread's operations are due, in gate time. All threads together keep an even pace: each
 * has one place within a tick.
 *
 * @param tickNs from one operation of a thread to its next
 * @param place 0 for the tick's beginning, below 1
 */
record Pace(double tickNs, double place) {
  static final String PROPERTY = "pressgauge.pace";

  private static final double FASTEST_PER_S = 1e9;

  /** Of all threads together, in operations per second; 0 if they are to go as fast as they can. */
  static double perS(Settings settings) {
    return settings.text(PROPERTY, "").isEmpty() ? 0 : settings.rate(PROPERTY, FASTEST_PER_S);
  }

  /** One thread's part. */
  static Pace of(double perS, int thread, int threads) {
    return new Pace(1e9 * threads / perS, (double) thread / threads);
  }

  long dueNs(long operation) {
    return (long) (tickNs * (operation + place));
  }
}
