package pressgauge;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import site.ycsb.Client;
import site.ycsb.DB;
import site.ycsb.WorkloadException;
import site.ycsb.generator.ExponentialGenerator;
import site.ycsb.workloads.CoreWorkload;

/**
 * YCSB's core workloads on text, or on documents of one's own: values come from a file and are made
 * before the timed region, for loads and updates alike, and a read-modify-write writes the
 * successor of what it read.
 *
 * <p>Beyond the core workload's properties:
 *
 * <ul>
 *   <li>{@code pressgauge.documents}: text (the default) or templates; see {@link Documents}
 *   <li>{@code pressgauge.corpus}, {@code pressgauge.seed}: what the values are made of, a file of
 *       text or of BSON documents; required
 *   <li>{@code pressgauge.repeat}: of text, whether its lines are drawn (the default), or each
 *       begins one value before any begins a second; see {@link LineChoice}
 *   <li>{@code pressgauge.updatepaths}, {@code pressgauge.idkind}, {@code pressgauge.idspan}: of
 *       templates, the dotted paths that updates write, separated by commas, and how their {@code
 *       _id}s go on; see {@link TemplateKeys}
 *   <li>{@code pressgauge.model}, {@code pressgauge.hashbits}, {@code pressgauge.knownhashes}: how
 *       documents lie in the database; see {@link DocumentModel}
 *   <li>{@code pressgauge.phase}: names the phase (default load or run); phases of different names
 *       draw different operations
 *   <li>{@code pressgauge.clientindex}, {@code pressgauge.clientcount}: which of how many client
 *       processes this one is (default 0 of 1); see {@link Partition}
 *   <li>{@code pressgauge.insertstart}: the first record number this client's run phase inserts
 *       (default recordcount)
 *   <li>{@code pressgauge.operations} and {@code pressgauge.keys}: a mix of one's own in place of
 *       YCSB's proportions and distribution; see {@link Asked} and {@link RecordChoice}
 *   <li>{@code pressgauge.deleted}, {@code pressgauge.restored}: how many records this client's
 *       earlier phases have deleted, and how many of them came back (default 0)
 *   <li>{@code pressgauge.startat}: the Unix time in milliseconds at which to begin, together with
 *       the other clients (default at once)
 *   <li>{@code pressgauge.gate}: the Unix socket at which a parent process listens that says when
 *       operations may begin (default none: at once); see {@link Gate} and {@link Conductor}. The
 *       client file then lists the {@code turns}, and intervals are cut at their edges
 *   <li>{@code pressgauge.pace}: operations per second of all threads together, a decimal (default
 *       as fast as they can). In place of YCSB's {@code target}: it counts only the time in which
 *       the gate is open, and so does the intended latency
 *   <li>{@code pressgauge.measureseconds}: the run phase ends so many seconds after {@code
 *       pressgauge.warmupseconds} and {@code pressgauge.warmupoperations} of this client are both
 *       past (default none: by YCSB's bounds alone); see {@link MeasuredTime}
 *   <li>{@code pressgauge.maxfailures}: consecutive failures after which a thread gives up
 *   <li>{@code pressgauge.clientfile}: where to write the client's account of itself
 * </ul>
 *
 * <p>YCSB ends with exit status 0 whatever happens. With this workload it ends with 2 if the
 * properties are wrong, and with 3 if a thread didn't finish its work.
 */
public final class TextWorkload extends CoreWorkload {
  private static final int EXIT_USAGE = 2;
  private static final int ENDLESS = Integer.MAX_VALUE;

  private final ProcessEnd end;
  private final Operations known;
  private final List<Worker> workers = new ArrayList<>();
  private Settings settings;
  private ClientRecord record;
  private Phase phase;
  private Documents documents;
  private OperationMix mix;
  private Versions versions;
  private Partition partition;
  private LoadOrder loadOrder;
  private Population population;
  private RecordChoice choice;
  private Layout layout;
  private boolean uniform;
  private boolean loads;
  private int operations;
  private long insertStart;
  private double pacePerS;
  private int maxFailures;

  /** For YCSB's client. */
  public TextWorkload() {
    this(new ProcessEnd.OfJvm(), Operations.REGISTERED);
  }

  TextWorkload(ProcessEnd end, Operations known) {
    this.end = end;
    this.known = known;
  }

  @Override
  public void init(Properties properties) throws WorkloadException {
    try {
      configure(properties);
      super.init(coreProperties(properties));
      CommonStart.await(settings);
      openSeries(properties);
      phase =
          new Phase(
              phaseName(), settings, askedThreads(), Intervals.of(properties), this::attempted);
      phase.begin(this::requestStop);
      MeasuredTime.end(settings, this::attempted, this::requestStop);
    } catch (UsageException | WorkloadException e) {
      // YCSB would print two stack traces and exit with 0.
      System.err.println("pressgauge: " + e.getMessage());
      end.now(EXIT_USAGE);
    }
    end.correct(() -> Phase.exitStatus(phase));
  }

  private void configure(Properties properties) {
    settings = new Settings(properties);
    record = ClientRecord.of(properties);
    loads = !settings.flag(Client.DO_TRANSACTIONS_PROPERTY, true);
    int records = settings.count(Client.RECORD_COUNT_PROPERTY, 0, 1, Integer.MAX_VALUE);
    int firstKey = settings.count(INSERT_START_PROPERTY, 0, 0, records);
    int keys = settings.count(INSERT_COUNT_PROPERTY, records - firstKey, 1, records - firstKey);
    operations =
        loads ? keys : settings.count(Client.OPERATION_COUNT_PROPERTY, 0, 1, Integer.MAX_VALUE);
    insertStart = settings.count("pressgauge.insertstart", records, records, Integer.MAX_VALUE);
    partition = Partition.of(settings, firstKey, keys);
    loadOrder = new LoadOrder(firstKey, keys, MongoBinding.batchSize(settings));
    pacePerS = Pace.perS(settings);
    if (pacePerS > 0 || Gate.isAttended(settings)) {
      requireNoTarget();
    }
    maxFailures = settings.count("pressgauge.maxfailures", 5, 1, Integer.MAX_VALUE);
    documents = Documents.of(settings);
    layout = documents.layout();
    long seed = settings.number("pressgauge.seed");
    mix = new OperationMix(settings, known, seed, phaseName());
    DocumentModel.require(settings, mix); // or bindings would refuse it, thread by thread
    choice = RecordChoice.of(settings, partition, seed);
    population = Population.of(settings, partition, seed);
    var chosen = mix.isOwn() ? RecordChoice.PROPERTY : REQUEST_DISTRIBUTION_PROPERTY;
    uniform = settings.text(chosen, "uniform").equals("uniform");
    if (!loads
        && documents.fields().isEmpty()
        && (mix.has(Update.class) || mix.has(ReadModifyWrite.class))) {
      throw new UsageException("pressgauge.updatepaths: missing, and the mix has updates");
    }
    boolean isBlind = mix.has(Update.class); // whose versions follow from nothing
    versions = new Versions(documents.fields().size(), () -> !isBlind && !record.isForgetful());
    if (sharesRecords()) {
      boolean all = settings.flag(WRITE_ALL_FIELDS_PROPERTY, false);
      partition.requireDivisible(mix, all ? 1 : documents.fields().size(), choice.latest());
    }
  }

  /** YCSB's throttle counts the time between turns, too, and would hurry afterwards. */
  private void requireNoTarget() {
    if (settings.count(Client.TARGET_PROPERTY, 0, 0, Integer.MAX_VALUE) > 0) {
      throw new UsageException(Client.TARGET_PROPERTY + ": say " + Pace.PROPERTY + " instead");
    }
  }

  private String phaseName() {
    return settings.text("pressgauge.phase", loads ? "load" : "run");
  }

  /** The properties as the core workload can bear them. */
  private Properties coreProperties(Properties properties) {
    var core = new Properties();
    properties.stringPropertyNames().forEach(k -> core.setProperty(k, properties.getProperty(k)));
    // The zipfian generator spreads its draws over all keys that the operations could insert, and
    // draws again while a key doesn't exist yet. A count meant as "no limit" would let it draw
    // forever; and it needs one even for a load.
    boolean isCounted =
        settings.text(Client.MAX_EXECUTION_TIME, "0").equals("0") && operations < ENDLESS;
    int bound = isCounted ? operations : partition.records();
    core.setProperty(
        Client.OPERATION_COUNT_PROPERTY, Integer.toString(Math.min(bound, operations)));
    return core;
  }

  private void openSeries(Properties properties) {
    var names = new TreeSet<>(loads ? Set.of(Insert.NAME) : mix.series());
    if (loads && MongoBinding.batchSize(settings) > 1) {
      names.add(MongoBinding.FLUSH);
    }
    boolean inTurns = Gate.isAttended(settings);
    names.forEach(
        name -> {
          Series.open(name, properties);
          if (inTurns) { // YCSB's own couldn't be cut at their edges
            Series.open(name + "-FAILED", properties);
          }
        });
    Series.open("CLEANUP", properties);
  }

  private long attempted() {
    return record.attempted(MongoBinding.FLUSH);
  }

  /** As many as YCSB's client starts. */
  private int askedThreads() {
    return Math.min(settings.count(Client.THREAD_COUNT_PROPERTY, 1, 1, 100_000), operations);
  }

  @Override
  public void requestStop() {
    super.requestStop();
    phase.gate().release();
  }

  @Override
  public Object initThread(Properties properties, int thread, int threads) {
    var pace = pacePerS == 0 ? null : Pace.of(pacePerS, thread, threads);
    var worker = new Worker(this, thread, threads, share(thread, threads), pace);
    synchronized (workers) {
      workers.add(worker);
    }
    return worker;
  }

  /** The operations of a thread, as YCSB's client deals them out. */
  private int share(int thread, int threads) {
    return operations / threads + (thread < operations % threads ? 1 : 0);
  }

  @Override
  public boolean doInsert(DB db, Object worker) {
    return ((Worker) worker).load(db);
  }

  @Override
  public boolean doTransaction(DB db, Object worker) {
    return ((Worker) worker).operate(db);
  }

  @Override
  public void cleanup() throws WorkloadException {
    phase.gate().finish();
    long done = workers.stream().filter(worker -> worker.isDone(isStopRequested())).count();
    var own = new LinkedHashMap<String, Object>();
    own.put("versions_written", versions.written());
    own.put("versions_unsettled", versions.unsettled());
    own.put("records_deleted", population.deleted());
    own.put("records_restored", population.restored());
    int target = settings.count(Client.TARGET_PROPERTY, 0, 0, Integer.MAX_VALUE);
    double offeredPerS = pacePerS > 0 ? pacePerS : target;
    phase.end(new Phase.Threads(askedThreads(), workers.size(), done), true, offeredPerS, own);
  }

  // What workers ask.

  Gate gate() {
    return phase.gate();
  }

  String table() {
    return table;
  }

  Documents documents() {
    return documents;
  }

  OperationMix mix() {
    return mix;
  }

  ClientRecord record() {
    return record;
  }

  Layout layout() {
    return layout;
  }

  Population population() {
    return population;
  }

  boolean readsAllFields() {
    return readallfields;
  }

  boolean writesAllFields() {
    return writeallfields;
  }

  Partition partition() {
    return partition;
  }

  Versions versions() {
    return versions;
  }

  /** Whether several clients choose among the same records. */
  boolean sharesRecords() {
    return !uniform && partition.clients() > 1;
  }

  int maxFailures() {
    return maxFailures;
  }

  /** The order in which records are loaded. */
  LoadOrder loadOrder() {
    return loadOrder;
  }

  int scanLength() {
    return scanlength.nextValue().intValue();
  }

  /** An existing record, by YCSB's request distribution. */
  long chooseRecord(long operation) {
    int own = partition.size();
    long chosen = uniform ? partition.record(mix.key(operation, own)) : chooseBySkew();
    var draws = mix.draws(operation);
    while (population.life(chosen) < 0) { // an earlier phase has deleted it
      chosen = uniform ? partition.record(draws.below(own)) : chooseBySkew();
    }
    return chosen;
  }

  /** A record by the distribution of a mix of one's own, whether or not it has been deleted. */
  long chooseRecord(Draws draws) {
    return recordNumber(choice.key(draws, transactioninsertkeysequence.lastValue()));
  }

  private long chooseBySkew() {
    while (true) {
      long last = transactioninsertkeysequence.lastValue();
      long drawn = keychooser.nextValue().longValue();
      long key = keychooser instanceof ExponentialGenerator ? last - drawn : drawn;
      if (key >= 0 && key <= last) {
        return recordNumber(key);
      }
    }
  }

  /** Takes the next key to insert in a run phase; to be acknowledged whatever comes of it. */
  long nextInserted() {
    return transactioninsertkeysequence.nextValue();
  }

  void acknowledge(long key) {
    transactioninsertkeysequence.acknowledge(key);
  }

  /** Inserted keys follow the loaded ones; their record numbers may start further on. */
  long recordNumber(long key) {
    return key < recordcount ? key : insertStart + (key - recordcount);
  }
}
