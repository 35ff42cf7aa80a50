package pressgauge;

/** The moment at which the clients of one phase begin, by their hosts' clocks. */
final class CommonStart {
  private static final String PROPERTY = "pressgauge.startat";

  private CommonStart() {}

  /** Waits for the moment; says by how much it was missed where it has passed. */
  static void await(Settings settings) {
    if (settings.text(PROPERTY, "").isEmpty()) {
      return;
    }
    long leftMs = settings.number(PROPERTY) - System.currentTimeMillis();
    if (leftMs < 0) {
      System.err.println("pressgauge: " + PROPERTY + ": missed by " + -leftMs + " ms");
      return;
    }
    try {
      Thread.sleep(leftMs);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
