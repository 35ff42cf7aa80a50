package pressgauge;

import com.mongodb.MongoException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import site.ycsb.Client;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;
import site.ycsb.Workload;
import site.ycsb.WorkloadException;
import site.ycsb.measurements.Measurements;

/**
 * Recorded traffic as a workload: each of YCSB's threads is a lane, which asks its operations in
 * their order, when they are due. Recorded time passes while the gate is open, and stands still
 * while another arm has its turn.
 *
 * <ul>
 *   <li>{@code pressgauge.corpus}: the recording, as {@code datasets/recordings} prepares it
 *   <li>{@code threadcount}: its lanes
 *   <li>{@code pressgauge.operations}: the kinds of its operations, separated by commas
 *   <li>{@code pressgauge.speed}: how much faster than recorded, a decimal; {@code max} for as fast
 *       as each lane can
 *   <li>{@code pressgauge.clientfile}, {@code pressgauge.gate}, {@code pressgauge.startat}, {@code
 *       pressgauge.maxfailures}: as {@link TextWorkload} has them
 * </ul>
 *
 * <p>An operation's latency is of its command; how late it began is measured as {@link #LATENESS}.
 */
public final class Replay extends Workload {
  static final String LATENESS = "LATENESS";

  private static final int EXIT_USAGE = 2;
  private static final int MOST_WAITING_BYTES = 64 << 20;
  private static final double FASTEST = 1e6;

  private final ProcessEnd end;
  private final Answers answers = new Answers();
  private final Cursors cursors = new Cursors();
  private final List<Lane> started = new ArrayList<>();
  private final AtomicInteger over = new AtomicInteger();
  private Properties properties;
  private Settings settings;
  private ClientRecord record;
  private Phase phase;
  private Lanes lanes;
  private SharedClient client;
  private Asker asker;
  private double speed;
  private int threads;
  private int maxFailures;

  /** For YCSB's client. */
  public Replay() {
    this(new ProcessEnd.OfJvm());
  }

  Replay(ProcessEnd end) {
    this.end = end;
  }

  @Override
  public void init(Properties properties) throws WorkloadException {
    super.init(properties);
    this.properties = properties;
    try {
      configure();
      client = SharedClient.acquire(properties);
      asker = new Asker(client, cursors);
      CommonStart.await(settings);
      openSeries();
      var name = settings.text("pressgauge.phase", "run");
      var intervals = Intervals.of(properties);
      phase = new Phase(name, settings, threads, intervals, this::attempted);
      phase.begin(this::requestStop);
      lanes.readAhead(settings.path("pressgauge.corpus"));
    } catch (UsageException e) {
      // YCSB would print two stack traces and exit with 0.
      System.err.println("pressgauge: " + e.getMessage());
      end.now(EXIT_USAGE);
    } catch (DBException e) {
      System.err.println(e);
      end.now(Phase.EXIT_UNFINISHED);
    }
    end.correct(() -> Phase.exitStatus(phase));
  }

  private void configure() {
    settings = new Settings(properties);
    record = ClientRecord.of(properties);
    threads = settings.count(Client.THREAD_COUNT_PROPERTY, 1, 1, 100_000);
    maxFailures = settings.count("pressgauge.maxfailures", 5, 1, Integer.MAX_VALUE);
    boolean isTimed = !settings.text("pressgauge.speed").equals("max");
    speed = isTimed ? settings.rate("pressgauge.speed", FASTEST) : 0;
    lanes = new Lanes(threads, MOST_WAITING_BYTES);
  }

  private void openSeries() {
    for (var name : settings.text("pressgauge.operations").split(",")) {
      Series.open(name, properties);
    }
    if (isTimed()) {
      Series.open(LATENESS, properties);
    }
    Series.open("CLEANUP", properties);
  }

  private long attempted() {
    return record.attempted("");
  }

  private boolean isTimed() {
    return speed > 0;
  }

  @Override
  public void requestStop() {
    super.requestStop();
    phase.gate().release();
  }

  @Override
  public Object initThread(Properties properties, int thread, int threads) {
    var lane = new Lane(thread);
    synchronized (started) {
      started.add(lane);
    }
    return lane;
  }

  @Override
  public boolean doInsert(DB db, Object lane) {
    throw new UnsupportedOperationException("a recording is replayed in a run phase");
  }

  @Override
  public boolean doTransaction(DB db, Object lane) {
    return ((Lane) lane).next();
  }

  /** One thread's operations. */
  private final class Lane {
    private final int number;
    private final Gate gate = phase.gate();
    private final Gate.Pass pass = gate.pass();
    private final Measurements measurements = Measurements.getMeasurements();
    private int failuresInARow;
    private boolean arrived;
    private boolean died;
    private boolean done;

    private Lane(int number) {
      this.number = number;
    }

    /** Asks the lane's next operation; false ends the thread. */
    private boolean next() {
      try {
        return (arrived || arrive()) && operate();
      } catch (MongoException e) {
        return die(MongoFailure.line(e));
      } catch (RuntimeException | Error e) {
        // YCSB would exit with 0 on an exception, and lose the thread unseen on an error.
        return die(Reason.of(e));
      }
    }

    /** At the gate, which opens when all are there: some lanes have nothing to do for long. */
    private boolean arrive() {
      asker.greet();
      arrived = true;
      if (!gate.enter(pass, 0)) {
        return false;
      }
      gate.leave(pass);
      return true;
    }

    private boolean operate() {
      var operation = lanes.take(number, Replay.this::isStopRequested);
      if (operation == null) {
        done = true;
        laneIsOver();
        return false;
      }
      Cursors.Open open = null;
      if (operation.asksMore()) { // before the gate: what it waits for may have to pass it, too
        open = cursors.await(operation, Replay.this::isStopRequested);
        if (open == Cursors.Open.NONE) {
          answers.add(operation, null);
          cursors.pass(operation, open);
          return true;
        }
      }
      if (!gate.enter(pass, dueNs(operation))) {
        return false;
      }
      try {
        return ask(operation, open);
      } finally {
        gate.leave(pass);
      }
    }

    private long dueNs(RecordedOperation operation) {
      return isTimed() ? Math.max(1, (long) (operation.dueUs() * 1000 / speed)) : 0;
    }

    private boolean ask(RecordedOperation operation, Cursors.Open open) {
      var name = operation.name();
      long startNs = System.nanoTime();
      if (isTimed()) {
        measurements.measure(LATENESS, us(startNs - pass.dueAtNs()));
      }
      var status = Status.OK;
      try {
        answers.add(operation, asker.ask(operation, open));
        measurements.measure(name, us(System.nanoTime() - startNs));
        measurements.reportStatus(name, status);
      } catch (MongoException e) {
        status = MongoFailure.status(e);
        record.tell(name, status, MongoFailure.line(e));
      }
      record.counter(name, status).increment();
      failuresInARow = status.isOk() ? 0 : failuresInARow + 1;
      if (failuresInARow < maxFailures) {
        return true;
      }
      return die(failuresInARow + " failures in a row, at last " + name + ' ' + status.getName());
    }

    /** Ends the replay: what is left of this lane would keep the others from going on. */
    private boolean die(String why) {
      died = true;
      record.died(number, why);
      requestStop();
      return false;
    }

    private boolean isDone() {
      return !died && (done || isStopRequested());
    }
  }

  private static int us(long ns) {
    return (int) Math.min(Integer.MAX_VALUE, Math.max(0, ns / 1000));
  }

  /**
   * The traffic is over with its last lane: that others have been through for long is its shape.
   */
  private void laneIsOver() {
    if (over.incrementAndGet() == threads) {
      for (int lane = 0; lane < threads; lane++) {
        phase.gate().gone();
      }
    }
  }

  @Override
  public void cleanup() throws WorkloadException {
    phase.gate().finish();
    client.release(properties);
    long done = started.stream().filter(Lane::isDone).count();
    if (lanes.failure() != null) {
      System.err.println("pressgauge: the recording: " + lanes.failure());
    }
    var own = new LinkedHashMap<String, Object>();
    own.put("versions_written", 0);
    own.put("records_deleted", 0); // whose number follows from the order; of others answers tell
    own.put("records_restored", 0);
    own.put("answers", answers.facts());
    phase.end(new Phase.Threads(threads, started.size(), done), lanes.failure() == null, 0, own);
  }
}
