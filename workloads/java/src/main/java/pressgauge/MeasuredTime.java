package pressgauge;

import java.util.Timer;
import java.util.TimerTask;
import java.util.function.LongSupplier;

/**
 * The time for which a client that nobody attends is measured. It begins when the client is warm,
 * which takes seconds and operations: its compiler goes by what it has seen run, and where the
 * database is slow it has seen little.
 */
final class MeasuredTime {
  static final String PROPERTY = "pressgauge.measureseconds";
  private static final long LOOK_MS = 100;

  private final long warmupNs;
  private final long warmupOperations;
  private final long measureNs;
  private final LongSupplier operations;
  private long warmNs = -1;

  MeasuredTime(Settings settings, LongSupplier operations) {
    warmupNs = seconds(settings, "pressgauge.warmupseconds", 0);
    warmupOperations = settings.count("pressgauge.warmupoperations", 0, 0, Integer.MAX_VALUE);
    measureNs = seconds(settings, PROPERTY, 1);
    this.operations = operations;
  }

  private static long seconds(Settings settings, String property, int least) {
    return 1_000_000_000L * settings.count(property, least, least, 10_000_000);
  }

  /** Stops the phase in time, if a time is set. */
  static void end(Settings settings, LongSupplier operations, Runnable stop) {
    if (settings.text(PROPERTY, "").isEmpty()) {
      return;
    }
    var time = new MeasuredTime(settings, operations);
    var timer = new Timer("measured time", true);
    long startNs = System.nanoTime();
    var look =
        new TimerTask() {
          @Override
          public void run() {
            if (time.isOver(System.nanoTime() - startNs)) {
              timer.cancel();
              stop.run();
            }
          }
        };
    timer.schedule(look, LOOK_MS, LOOK_MS);
  }

  /**
   * @param passedNs since the client began; never less than before
   */
  boolean isOver(long passedNs) {
    if (warmNs < 0 && passedNs >= warmupNs && operations.getAsLong() >= warmupOperations) {
      warmNs = passedNs;
    }
    return warmNs >= 0 && passedNs - warmNs >= measureNs;
  }
}
