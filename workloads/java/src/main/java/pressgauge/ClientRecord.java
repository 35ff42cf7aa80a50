package pressgauge;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import site.ycsb.Status;

/**
 * What one client process did: operations by status, threads. It is kept beside YCSB's own
 * measurements because those don't tell threads that died from threads that finished.
 *
 * <p>Workload and bindings are made separately by YCSB and share one record through the properties
 * that both are given.
 */
final class ClientRecord {
  private static final String PROPERTY = "pressgauge.internal.record";

  private final ConcurrentMap<String, ConcurrentMap<String, LongAdder>> operations =
      new ConcurrentHashMap<>();
  private final Map<Integer, String> died = new TreeMap<>();
  private final Set<String> told = ConcurrentHashMap.newKeySet();
  private final AtomicLong lastInserted = new AtomicLong(-1);
  private final LongAdder inserted = new LongAdder();
  private final LongAdder writes = new LongAdder();
  private final LongAdder uncertainWrites = new LongAdder();
  private final LongAdder overwritten = new LongAdder();
  private final ThreadLocal<Runnable> remainder = new ThreadLocal<>();
  private final ThreadLocal<Store> store = new ThreadLocal<>();
  private volatile String writeConcern;
  private volatile Supplier<Map<String, Object>> model = DocumentModel.EMBEDDED::facts;
  private volatile Map<String, Object> connection;
  private volatile boolean forgetful;

  private ClientRecord() {}

  /** The process's record. */
  static ClientRecord of(Properties properties) {
    return (ClientRecord) properties.computeIfAbsent(PROPERTY, name -> new ClientRecord());
  }

  void count(String operation, Status status, long times) {
    counter(operation, status).add(times);
  }

  /** The counter of an operation's status, for those who count often. */
  LongAdder counter(String operation, Status status) {
    return operations
        .computeIfAbsent(operation, name -> new ConcurrentHashMap<>())
        .computeIfAbsent(status.getName(), name -> new LongAdder());
  }

  /** Tells the first failure of its kind on stderr; the others are only counted. */
  void tell(String operation, Status status, String why) {
    var failure = operation + ": " + status.getName();
    if (told.add(failure)) {
      System.err.println("pressgauge: " + failure + ": " + why);
    }
  }

  /** What the driver sends with each write, as JSON; told by the binding when it has connected. */
  void writeConcern(String concern) {
    writeConcern = concern;
  }

  /** How documents lie in the database, and what came of that by the end; told by the binding. */
  void model(Supplier<Map<String, Object>> facts) {
    model = facts;
  }

  /** What else the driver does of itself, by name; told when it has connected. */
  void connection(Map<String, Object> facts) {
    connection = facts;
  }

  /** Told by a binding that stores nothing, so that what is read doesn't show what was written. */
  void forgetful() {
    forgetful = true;
  }

  boolean isForgetful() {
    return forgetful;
  }

  /**
   * How this thread's binding sends what waits in a batch after the thread's last operation, as a
   * part of it: when YCSB cleans a binding up, the database may be frozen.
   */
  void remainder(Runnable flush) {
    remainder.set(flush);
  }

  void flushRemainder() {
    var flush = remainder.get();
    if (flush != null) {
      flush.run();
    }
  }

  /** What this thread's binding offers beyond YCSB's calls; told by the binding. */
  void store(Store offered) {
    store.set(offered);
  }

  /**
   * What this thread's binding offers beyond YCSB's calls.
   *
   * @throws UsageException if that is nothing
   */
  Store store() {
    var offered = store.get();
    if (offered == null) {
      throw new UsageException("pressgauge.operations: the binding has no operations but YCSB's");
    }
    return offered;
  }

  /** Counts updates that documents count, too; see {@link WrittenVersions}. */
  void wrote(long updates) {
    writes.add(updates);
  }

  /** As {@link #wrote}, of updates of which nobody knows whether they were done. */
  void mayHaveWritten(long updates) {
    uncertainWrites.add(updates);
  }

  /** Counts a document that went, or was replaced, with its count of updates. */
  void overwrote() {
    overwritten.increment();
  }

  void inserted(long recordNumber) {
    inserted.increment();
    if (recordNumber > lastInserted.get()) {
      lastInserted.accumulateAndGet(recordNumber, Math::max);
    }
  }

  void died(int thread, String why) {
    System.err.println("pressgauge: thread " + thread + " died: " + why);
    synchronized (died) {
      died.putIfAbsent(thread, why);
    }
  }

  int deaths() {
    synchronized (died) {
      return died.size();
    }
  }

  /** Operations attempted so far, of every kind but the given. */
  long attempted(String excluded) {
    long sum = 0;
    for (var byStatus : operations.entrySet()) {
      if (!byStatus.getKey().equals(excluded)) {
        sum += byStatus.getValue().values().stream().mapToLong(LongAdder::sum).sum();
      }
    }
    return sum;
  }

  /** For the client file; see {@link ClientFile}. The last record is the highest acknowledged. */
  Map<String, Object> facts() {
    var facts = new LinkedHashMap<String, Object>();
    facts.put("operations", operations());
    facts.put("write_concern", writeConcern);
    facts.put("model", model.get());
    facts.put("connections", connection == null ? List.of() : List.of(connection));
    facts.put("last_inserted_record", lastInserted.get() < 0 ? null : lastInserted.get());
    facts.put("records_inserted", inserted.sum());
    facts.put("writes_counted", writes.sum());
    facts.put("writes_uncertain", uncertainWrites.sum());
    facts.put("documents_overwritten", overwritten.sum());
    return facts;
  }

  private Map<String, Object> operations() {
    var all = new TreeMap<String, Object>();
    operations.forEach(
        (name, statuses) -> {
          var byStatus = new TreeMap<String, Long>();
          statuses.forEach((status, count) -> byStatus.put(status, count.sum()));
          long attempted = byStatus.values().stream().mapToLong(Long::longValue).sum();
          long ok =
              byStatus.getOrDefault(Status.OK.getName(), 0L)
                  + byStatus.getOrDefault(Status.BATCHED_OK.getName(), 0L);
          var one = new LinkedHashMap<String, Object>();
          one.put("attempted", attempted);
          one.put("ok", ok);
          one.put("by_status", byStatus);
          all.put(name, one);
        });
    return all;
  }

  List<Map<String, Object>> deathsByThread() {
    var list = new ArrayList<Map<String, Object>>();
    synchronized (died) {
      died.forEach((thread, why) -> list.add(Map.of("thread", thread, "why", why)));
    }
    return list;
  }
}
