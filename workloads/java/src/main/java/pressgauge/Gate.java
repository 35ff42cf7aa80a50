package pressgauge;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * What operations begin through: while it is closed none does, and none is in flight, so that the
 * database behind can be frozen. The time between its opening and its closing is a turn.
 *
 * <p>Without someone who attends it ({@link Conductor}) it stands open from the first thread's
 * arrival on.
 */
final class Gate {
  static final String PROPERTY = "pressgauge.gate";

  /** One thread's way through the gate. */
  static final class Pass {
    private volatile boolean inside;
    private volatile Thread thread;
    private long dueAtNs;

    /** When the operation was due that may begin, by {@link System#nanoTime}. */
    long dueAtNs() {
      return dueAtNs;
    }

    private void wake() {
      LockSupport.unpark(thread);
    }
  }

  /**
   * An opening of the gate, from which gate time goes on.
   *
   * @param sinceNs real time
   * @param gateNs gate time at that moment
   */
  private record Opening(long sinceNs, long gateNs) {
    /** What was due before, and is late, is as late as it was when the gate closed. */
    long realNs(long ofGateNs) {
      return sinceNs + (ofGateNs - gateNs);
    }
  }

  private final int threads;
  private final Intervals intervals;
  private final LongSupplier clockNs;
  private final LongSupplier operations;
  private final Consumer<String> attendant;
  private final List<Pass> passes = new CopyOnWriteArrayList<>();
  private final List<Map<String, Object>> turns = new ArrayList<>();
  private volatile Opening opening; // null while it is closed
  private volatile boolean stopped;
  private volatile Thread closing;
  private volatile long pacedSinceNs; // in gate time; -1 while no pace is kept
  private long openedMs;
  private long gateNs;
  private Long measuredMs;
  private Long allUntilMs;
  private boolean inTurn;
  private int arrived;
  private int gone;
  private boolean ended;

  /**
   * @param threads how many will arrive
   * @param intervals cut at the edges of turns
   * @param clockNs real time
   * @param operations attempted so far
   * @param attendant is told what happens, a line each; null if there is none
   */
  Gate(
      int threads,
      Intervals intervals,
      LongSupplier clockNs,
      LongSupplier operations,
      Consumer<String> attendant) {
    this.threads = threads;
    this.intervals = intervals;
    this.clockNs = clockNs;
    this.operations = operations;
    this.attendant = attendant;
    pacedSinceNs = attendant == null ? 0 : -1;
  }

  static boolean isAttended(Settings settings) {
    return !settings.text(PROPERTY, "").isEmpty();
  }

  // What threads do.

  Pass pass() {
    var pass = new Pass();
    passes.add(pass);
    return pass;
  }

  /**
   * Waits until an operation may begin, which {@link #leave} ends.
   *
   * @param dueNs not before this gate time, which passes while the gate is open; 0 for at once
   * @return whether it may; false if none will any more
   */
  boolean enter(Pass pass, long dueNs) {
    if (pass.thread == null) {
      arrive(pass);
    }
    while (!stopped) {
      var seen = opening;
      if (seen == null) {
        LockSupport.park(this);
        continue;
      }
      long earlyNs = dueNs > 0 ? seen.realNs(dueNs) - clockNs.getAsLong() : 0;
      if (earlyNs > 0) {
        LockSupport.parkNanos(this, earlyNs);
        continue;
      }
      // Either this thread sees that the gate is closed, or who closes it sees the thread inside.
      pass.inside = true;
      if (opening == seen) {
        pass.dueAtNs = seen.realNs(dueNs);
        return true;
      }
      leave(pass);
    }
    return false;
  }

  void leave(Pass pass) {
    pass.inside = false;
    if (opening == null) {
      LockSupport.unpark(closing);
    }
  }

  private synchronized void arrive(Pass pass) {
    pass.thread = Thread.currentThread();
    arrived++;
    if (attendant == null) {
      opening = opening == null ? new Opening(clockNs.getAsLong(), 0) : opening;
    } else if (arrived == threads) {
      attendant.accept("ready");
    }
  }

  /** A thread's last operation is done, and still inside the gate. */
  synchronized void gone() {
    if (attendant == null) { // who else reads at the turn's end what mongod has used
      endOfAll();
    }
    gone++;
    if (gone == threads) {
      finish();
    }
  }

  /** From now on not all threads work: what is measured ends here, in all series at once. */
  private void endOfAll() {
    if (allUntilMs == null) {
      allUntilMs = intervals.cut();
    }
  }

  /** Until when every thread worked, in Unix time; null if they took turns or still do. */
  synchronized Long allUntilMs() {
    return attendant == null ? allUntilMs : null;
  }

  // What its attendant does.

  /**
   * Begins a turn.
   *
   * @throws UsageException if it isn't the time, as of the other commands
   */
  synchronized void open() {
    if (ended) {
      return;
    }
    require(arrived == threads && !inTurn, "open");
    openedMs = intervals.begin();
    measuredMs = null;
    allUntilMs = null;
    inTurn = true;
    attendant.accept("opened " + openedMs);
    opening = new Opening(clockNs.getAsLong(), gateNs);
    passes.forEach(Pass::wake);
  }

  /** The gate time since when operations keep their pace; negative if they don't yet. */
  long pacedSinceNs() {
    return pacedSinceNs;
  }

  /** From the next turn on operations keep their pace; warm-ups before go as fast as they can. */
  synchronized void pace() {
    if (ended) {
      return;
    }
    require(!inTurn, "pace");
    pacedSinceNs = gateNs;
  }

  /**
   * Begins the measured part of a turn. What is late by then is so by the switch to this turn, and
   * is due anew from here: it would otherwise wait in front of all that is measured.
   */
  synchronized void mark() {
    if (ended) {
      return;
    }
    require(inTurn && measuredMs == null, "mark");
    if (pacedSinceNs >= 0) {
      pacedSinceNs = gateNs + clockNs.getAsLong() - opening.sinceNs;
    }
    measuredMs = intervals.cut();
    attendant.accept("marked " + measuredMs);
  }

  /** Ends a turn, when the operations in flight have ended. */
  void close() {
    synchronized (this) {
      if (ended) {
        return;
      }
      require(inTurn, "close");
      closing = Thread.currentThread();
      gateNs += clockNs.getAsLong() - opening.sinceNs;
      opening = null;
      endOfAll();
    }
    while (passes.stream().anyMatch(pass -> pass.inside)) {
      LockSupport.park(this);
    }
    synchronized (this) {
      if (!ended) {
        attendant.accept("closed " + endTurn() + ' ' + operations.getAsLong());
      }
    }
  }

  /** There are no more turns. */
  synchronized void end() {
    if (ended) {
      return;
    }
    require(!inTurn, "end");
    ended = true;
  }

  /** Ends the waiting: {@link #enter} is false from now on. */
  void release() {
    synchronized (this) {
      endOfAll();
    }
    stopped = true;
    passes.forEach(Pass::wake);
  }

  /** Ends the last turn, if the attendant hasn't: all threads have gone. */
  synchronized void finish() {
    if (ended || attendant == null) {
      return;
    }
    ended = true;
    opening = null;
    long nowMs = inTurn ? endTurn() : intervals.cut();
    attendant.accept("finished " + nowMs + ' ' + operations.getAsLong());
  }

  synchronized boolean hasEnded() {
    return ended;
  }

  private long endTurn() {
    long nowMs = intervals.end();
    var turn = new LinkedHashMap<String, Object>();
    turn.put("opened_s", openedMs / 1000.0);
    turn.put("measured_s", measuredMs == null ? null : measuredMs / 1000.0);
    turn.put("all_until_s", (allUntilMs == null ? nowMs : allUntilMs) / 1000.0);
    turn.put("closed_s", nowMs / 1000.0);
    turns.add(turn);
    inTurn = false;
    return nowMs;
  }

  private static void require(boolean met, String command) {
    if (!met) {
      throw new UsageException(PROPERTY + ": it is not the time for: " + command);
    }
  }

  /** The turns so far, for the client file. */
  synchronized List<Map<String, Object>> turns() {
    return List.copyOf(turns);
  }
}
