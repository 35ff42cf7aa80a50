package pressgauge;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * What a client has in every phase, whatever its operations: the gate that they begin through, who
 * attends it, the account of itself, and the status that it exits with.
 */
final class Phase {
  private static final String FILE_PROPERTY = "pressgauge.clientfile";
  static final int EXIT_UNFINISHED = 3;

  /**
   * What became of the client's threads.
   *
   * @param started those that connected
   * @param finished those that did all that they were to do
   */
  record Threads(int asked, int started, long finished) {}

  private final String name;
  private final Settings settings;
  private final ClientRecord record;
  private final ClientFile file;
  private final Conductor conductor; // null where there are no turns
  private final Gate gate;
  private volatile boolean finished;

  /**
   * Begins the account; the gate is closed until {@link #begin}, if a parent process attends it.
   *
   * @param threads how many will arrive at the gate
   * @param attempted the operations so far
   * @throws UsageException if the parent does not listen
   */
  Phase(String name, Settings settings, int threads, Intervals intervals, LongSupplier attempted) {
    this.name = name;
    this.settings = settings;
    record = ClientRecord.of(settings.properties());
    file = new ClientFile(intervals, attempted);
    conductor = Gate.isAttended(settings) ? Conductor.at(settings.path(Gate.PROPERTY)) : null;
    Consumer<String> attendant = conductor == null ? null : conductor::tell;
    gate = new Gate(threads, intervals, System::nanoTime, attempted, attendant);
  }

  /**
   * Begins to do as the parent process says, if there is one.
   *
   * @param stop ends the client's threads
   */
  void begin(Runnable stop) {
    if (conductor != null) {
      conductor.attend(gate, stop);
    }
  }

  Gate gate() {
    return gate;
  }

  /**
   * Writes the account, if it is asked for.
   *
   * @param isWhole whether nothing but threads can have failed
   * @param offeredPerS operations a second; 0 if they were unbounded
   * @param own the workload's fields
   */
  void end(Threads threads, boolean isWhole, double offeredPerS, Map<String, Object> own) {
    finished =
        isWhole
            && threads.finished() == threads.asked()
            && (conductor == null || !conductor.hasFailed());
    if (settings.text(FILE_PROPERTY, "").isEmpty()) {
      return;
    }
    try {
      file.write(settings.path(FILE_PROPERTY), offeredPerS, facts(threads, own));
    } catch (IOException e) {
      System.err.println("pressgauge: " + FILE_PROPERTY + ": can't write: " + Reason.of(e));
      finished = false;
    }
  }

  private Map<String, Object> facts(Threads threads, Map<String, Object> own) {
    var ofThreads = new LinkedHashMap<String, Object>();
    ofThreads.put("asked", threads.asked());
    ofThreads.put("started", threads.started());
    ofThreads.put("finished", threads.finished());
    ofThreads.put("died", record.deathsByThread());
    var facts = new LinkedHashMap<String, Object>();
    facts.put("phase", name);
    facts.put("threads", ofThreads);
    facts.putAll(record.facts());
    facts.putAll(own);
    if (conductor == null) {
      facts.put("all_until_s", gate.allUntilMs() == null ? null : gate.allUntilMs() / 1000.0);
    } else {
      facts.put("turns", gate.turns());
    }
    return facts;
  }

  /** What the process of a phase exits with; null: it did not get as far as that. */
  static int exitStatus(Phase phase) {
    if (phase != null && phase.finished) {
      return 0;
    }
    System.err.println("pressgauge: unfinished: threads died, couldn't start or were stopped");
    return EXIT_UNFINISHED;
  }
}
