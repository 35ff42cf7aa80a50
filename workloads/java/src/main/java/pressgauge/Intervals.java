package pressgauge;

import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * What is cut into intervals: all series of latencies, and the client's own samples. At the edges
 * of a turn they are cut at one moment, the same for all; in between each may cut itself while it
 * holds this object's lock, so that no such cut falls between a moment and its cuts.
 */
final class Intervals {
  static final String PROPERTY = "pressgauge.internal.intervals";

  private final LongSupplier clockMs;
  private final List<LongConsumer> parts = new ArrayList<>();
  private boolean idle;

  /**
   * @param clockMs Unix time
   * @param idle whether nothing runs until the first turn
   */
  Intervals(LongSupplier clockMs, boolean idle) {
    this.clockMs = clockMs;
    this.idle = idle;
  }

  /** The process's intervals. */
  static Intervals of(Properties properties) {
    return (Intervals)
        properties.computeIfAbsent(
            PROPERTY,
            name ->
                new Intervals(
                    System::currentTimeMillis, Gate.isAttended(new Settings(properties))));
  }

  /**
   * @param part ends its interval at the given moment; called with this object's lock held
   */
  synchronized void add(LongConsumer part) {
    parts.add(part);
  }

  /** Unix time; for those who hold the lock. */
  long nowMs() {
    return clockMs.getAsLong();
  }

  /** Whether the gate is closed: an interval in which nothing ended isn't worth a line. */
  boolean areIdle() {
    return idle;
  }

  /** Cuts all at a turn's beginning; gives the moment. */
  synchronized long begin() {
    long nowMs = cut();
    idle = false;
    return nowMs;
  }

  /** Cuts all; gives the moment. */
  synchronized long cut() {
    long nowMs = nowMs();
    parts.forEach(part -> part.accept(nowMs));
    return nowMs;
  }

  /** Cuts all at a turn's end; gives the moment. */
  synchronized long end() {
    long nowMs = cut();
    idle = true;
    return nowMs;
  }
}
