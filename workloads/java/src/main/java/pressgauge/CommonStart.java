package pressgauge;

/** The moment at which the clients of one phase begin, by their hosts' clocks. */
final class CommonStart {
  private static final String PROPERTY = "pressgauge.startat";

  /**
   * The harness means seconds: what is further off comes of another clock, and no one would wait.
   */
  private static final long FURTHEST_MS = 60_000;

  private CommonStart() {}

  /**
   * Waits for the moment; says by how much it was missed where it has passed.
   *
   * @throws UsageException if it is more than a minute off
   */
  static void await(Settings settings) {
    if (settings.text(PROPERTY, "").isEmpty()) {
      return;
    }
    long leftMs = settings.number(PROPERTY) - System.currentTimeMillis();
    if (leftMs < 0) {
      System.err.println("pressgauge: " + PROPERTY + ": missed by " + -leftMs + " ms");
      return;
    }
    if (leftMs > FURTHEST_MS) {
      throw new UsageException(
          PROPERTY + ": " + leftMs + " ms from now; set the hosts' clocks, and the controller's");
    }
    try {
      Thread.sleep(leftMs);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
