package pressgauge;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;
import site.ycsb.measurements.Measurements;

/** The operations of one client thread. */
final class Worker {
  private final TextWorkload workload;
  private final ClientRecord record;
  private final Measurements measurements = Measurements.getMeasurements();
  private final int thread;
  private final int threads;
  private final int share;
  private final Gate gate;
  private final Gate.Pass pass;
  private final Pace pace;
  private final Map<String, ByteIterator> document;
  private final Map<String, LongAdder> successes = new HashMap<>();
  private int done;
  private int firstPaced;
  private long pacedSince = -1; // in gate time: from then on its operations are due one by one
  private int failuresInARow;
  private boolean died;

  /**
   * @param share the operations this thread is to do
   * @param pace when; null for as fast as it can
   */
  Worker(TextWorkload workload, int thread, int threads, int share, Pace pace) {
    this.workload = workload;
    this.record = workload.record();
    this.thread = thread;
    this.threads = threads;
    this.share = share;
    gate = workload.gate();
    pass = gate.pass();
    this.pace = pace;
    document = workload.documents().blank();
  }

  /** Whether the thread did what it had to. */
  boolean isDone(boolean stopped) {
    return !died && (stopped || done == share);
  }

  /** Inserts the next record of a load; false ends the thread. */
  boolean load(DB db) {
    long next = workload.loadOrder().record(thread, threads, done);
    return throughGate(() -> attempt(Insert.NAME, () -> Insert.insert(turn(db), next)));
  }

  /** Does the next operation of a run phase; false ends the thread. */
  boolean operate(DB db) {
    return throughGate(
        () -> {
          var turn = turn(db);
          var operation = workload.mix().operation(turn.index());
          return attempt(operation.name(), () -> operation.run(turn));
        });
  }

  private boolean throughGate(BooleanSupplier operation) {
    long dueNs = dueNs();
    if (!gate.enter(pass, dueNs)) {
      return false;
    }
    if (pace != null) {
      measurements.setIntendedStartTimeNs(dueNs > 0 ? pass.dueAtNs() : System.nanoTime());
    }
    try {
      boolean goesOn = operation.getAsBoolean();
      if (!goesOn || done == share) {
        goAway();
      }
      return goesOn;
    } finally {
      gate.leave(pass);
    }
  }

  /** When the next operation is due, in gate time; 0 for at once. */
  private long dueNs() {
    long pacedSinceNs = gate.pacedSinceNs();
    if (pace == null || pacedSinceNs < 0) {
      return 0;
    }
    if (pacedSinceNs != pacedSince) {
      pacedSince = pacedSinceNs;
      firstPaced = done;
    }
    return Math.max(1, pacedSinceNs + pace.dueNs(done - firstPaced));
  }

  /** Sends what is pending while the gate is still open, and tells that nothing will follow. */
  private void goAway() {
    try {
      record.flushRemainder();
    } catch (RuntimeException | Error e) {
      die(Reason.of(e));
    } finally {
      gate.gone();
    }
  }

  private Turn turn(DB db) {
    long index = workload.partition().operation((long) done * threads + thread);
    return new Turn(workload, measurements, document, db, index);
  }

  private interface Attempt {
    Status run();
  }

  /**
   * Counts an operation's status. A failure doesn't end the thread, as it would under YCSB, unless
   * it is one of too many in a row; what ends a thread is told and counted.
   */
  private boolean attempt(String operation, Attempt attempt) {
    Status status;
    try {
      status = attempt.run();
    } catch (RecordRefused e) {
      status = RecordRefused.STATUS;
      record.tell(operation, status, e.getMessage());
    } catch (RuntimeException | Error e) {
      // YCSB would exit with 0 on an exception, and lose the thread unseen on an error.
      return die(Reason.of(e));
    }
    done++;
    count(operation, status);
    failuresInARow = status.isOk() ? 0 : failuresInARow + 1;
    if (failuresInARow < workload.maxFailures()) {
      return true;
    }
    return die(
        failuresInARow + " failures in a row, at last " + operation + ' ' + status.getName());
  }

  private void count(String operation, Status status) {
    if (status == Status.OK) {
      successes.computeIfAbsent(operation, name -> record.counter(name, Status.OK)).increment();
    } else {
      record.count(operation, status, 1);
    }
  }

  private boolean die(String why) {
    died = true;
    record.died(thread, why);
    return false;
  }
}
