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

    private void wake() {
      LockSupport.unpark(thread);
    }
  }

  private final int threads;
  private final Intervals intervals;
  private final LongSupplier operations;
  private final Consumer<String> attendant;
  private final List<Pass> passes = new CopyOnWriteArrayList<>();
  private final List<Map<String, Object>> turns = new ArrayList<>();
  private volatile boolean open;
  private volatile boolean stopped;
  private volatile Thread closing;
  private long openedMs;
  private Long measuredMs;
  private boolean inTurn;
  private int arrived;
  private int gone;
  private boolean ended;

  /**
   * @param threads how many will arrive
   * @param intervals cut at the edges of turns
   * @param operations attempted so far
   * @param attendant is told what happens, a line each; null if there is none
   */
  Gate(int threads, Intervals intervals, LongSupplier operations, Consumer<String> attendant) {
    this.threads = threads;
    this.intervals = intervals;
    this.operations = operations;
    this.attendant = attendant;
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

  /** Waits until an operation may begin, which {@link #leave} ends; false if none will. */
  boolean enter(Pass pass) {
    if (pass.thread == null) {
      arrive(pass);
    }
    while (!stopped) {
      if (!open) {
        LockSupport.park(this);
        continue;
      }
      // Either this thread sees that the gate is closed, or who closes it sees the thread inside.
      pass.inside = true;
      if (open) {
        return true;
      }
      leave(pass);
    }
    return false;
  }

  void leave(Pass pass) {
    pass.inside = false;
    if (!open) {
      LockSupport.unpark(closing);
    }
  }

  private synchronized void arrive(Pass pass) {
    pass.thread = Thread.currentThread();
    arrived++;
    if (attendant == null) {
      open = true;
    } else if (arrived == threads) {
      attendant.accept("ready");
    }
  }

  /** A thread's last operation is done, and still inside the gate. */
  synchronized void gone() {
    gone++;
    if (gone == threads) {
      finish();
    }
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
    inTurn = true;
    attendant.accept("opened " + openedMs);
    open = true;
    passes.forEach(Pass::wake);
  }

  /** Begins the measured part of a turn. */
  synchronized void mark() {
    if (ended) {
      return;
    }
    require(inTurn && measuredMs == null, "mark");
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
      open = false;
    }
    while (passes.stream().anyMatch(pass -> pass.inside) && !hasEnded()) {
      LockSupport.park(this);
    }
    synchronized (this) {
      if (!ended) {
        attendant.accept("closed " + endTurn() + ' ' + operations.getAsLong());
      }
    }
  }

  /** No more turns: whoever waits goes away. */
  synchronized void end() {
    if (ended) {
      return;
    }
    require(!inTurn, "end");
    ended = true;
    release();
  }

  /** Ends the waiting: {@link #enter} is false from now on. */
  void release() {
    stopped = true;
    passes.forEach(Pass::wake);
  }

  /** Ends the last turn, if the attendant hasn't: all threads have gone. */
  synchronized void finish() {
    if (ended || attendant == null) {
      return;
    }
    ended = true;
    open = false;
    long nowMs = inTurn ? endTurn() : intervals.cut();
    attendant.accept("finished " + nowMs + ' ' + operations.getAsLong());
    LockSupport.unpark(closing);
  }

  synchronized boolean hasEnded() {
    return ended;
  }

  private long endTurn() {
    long nowMs = intervals.end();
    var turn = new LinkedHashMap<String, Object>();
    turn.put("opened_s", openedMs / 1000.0);
    turn.put("measured_s", measuredMs == null ? null : measuredMs / 1000.0);
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
