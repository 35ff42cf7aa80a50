package pressgauge;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import java.util.concurrent.atomic.LongAdder;
import pressgauge.OperationMix.Kind;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;
import site.ycsb.measurements.Measurements;

/** The operations of one client thread. */
final class Worker {
  /** Blind updates have no version to follow; they take one of so many in turn. */
  private static final int BLIND_VERSIONS = 9999;

  private final TextWorkload workload;
  private final ClientRecord record;
  private final Measurements measurements = Measurements.getMeasurements();
  private final int thread;
  private final int threads;
  private final int share;
  private final Map<String, ByteIterator> document;
  private final Map<Kind, LongAdder> successes = new EnumMap<>(Kind.class);
  private int done;
  private int failuresInARow;
  private boolean died;

  /**
   * @param share the operations this thread is to do
   */
  Worker(TextWorkload workload, int thread, int threads, int share) {
    this.workload = workload;
    this.record = workload.record();
    this.thread = thread;
    this.threads = threads;
    this.share = share;
    document = workload.documents().blank();
  }

  /** Whether the thread did what it had to. */
  boolean isDone(boolean stopped) {
    return !died && (stopped || done == share);
  }

  /** Inserts the next record of a load; false ends the thread. */
  boolean load(DB db) {
    return attempt(Kind.INSERT, () -> insert(db, workload.nextLoaded()));
  }

  /** Does the next operation of a run phase; false ends the thread. */
  boolean operate(DB db) {
    long operation = workload.partition().operation((long) done * threads + thread);
    var kind = workload.mix().kind(operation);
    return attempt(
        kind,
        () ->
            switch (kind) {
              case READ -> read(db, operation);
              case UPDATE -> update(db, operation);
              case INSERT -> insertNext(db);
              case SCAN -> scan(db, operation);
              case READ_MODIFY_WRITE -> readModifyWrite(db, operation);
            });
  }

  private interface Operation {
    Status run();
  }

  /**
   * Counts an operation's status. A failure doesn't end the thread, as it would under YCSB, unless
   * it is one of too many in a row; what ends a thread is told and counted.
   */
  private boolean attempt(Kind kind, Operation operation) {
    Status status;
    try {
      status = operation.run();
    } catch (RuntimeException | Error e) {
      // YCSB would exit with 0 on an exception, and lose the thread unseen on an error.
      return die(Reason.of(e));
    }
    done++;
    count(kind, status);
    failuresInARow = status.isOk() ? 0 : failuresInARow + 1;
    if (failuresInARow < workload.maxFailures()) {
      return true;
    }
    return die(failuresInARow + " failures in a row, at last " + kind + ' ' + status.getName());
  }

  private void count(Kind kind, Status status) {
    if (status == Status.OK) {
      successes.computeIfAbsent(kind, k -> record.counter(k.series(), Status.OK)).increment();
    } else {
      record.count(kind.series(), status, 1);
    }
  }

  private boolean die(String why) {
    died = true;
    record.died(thread, why);
    return false;
  }

  private Status insert(DB db, long recordNumber) {
    workload.documents().fill(document, recordNumber, 0);
    var status = db.insert(workload.table(), workload.keyName(recordNumber), document);
    if (status.isOk()) {
      record.inserted(recordNumber);
    }
    return status;
  }

  private Status insertNext(DB db) {
    long key = workload.nextInserted();
    try {
      return insert(db, workload.recordNumber(key));
    } finally {
      workload.acknowledge(key);
    }
  }

  private Status read(DB db, long operation) {
    var key = workload.keyName(workload.chooseRecord(operation));
    return db.read(workload.table(), key, fieldsToRead(operation), new HashMap<>());
  }

  private Status scan(DB db, long operation) {
    var start = workload.keyName(workload.chooseRecord(operation));
    return db.scan(
        workload.table(),
        start,
        workload.scanLength(),
        fieldsToRead(operation),
        new Vector<HashMap<String, ByteIterator>>());
  }

  private Status update(DB db, long operation) {
    long recordNumber = workload.chooseRecord(operation);
    long version = 1 + operation % BLIND_VERSIONS;
    var values = new LinkedHashMap<String, ByteIterator>();
    for (int field : fieldsToWrite(operation)) {
      var text = workload.documents().value(recordNumber, field, version);
      values.put(workload.documents().fields().get(field), text);
    }
    return db.update(workload.table(), workload.keyName(recordNumber), values);
  }

  /**
   * Waiting for the record's lock is part of the operation, though of neither its read nor write.
   */
  private Status readModifyWrite(DB db, long operation) {
    long recordNumber = workload.chooseRecord(operation);
    var key = workload.keyName(recordNumber);
    var read = fieldsToRead(operation);
    var write = fieldsToWrite(operation);
    long intended = measurements.getIntendedtartTimeNs();
    long start = System.nanoTime();
    Status status;
    var lock = workload.locks().of(recordNumber);
    lock.lock();
    try {
      status = writeSuccessors(db, recordNumber, key, read, write);
    } finally {
      lock.unlock();
    }
    long end = System.nanoTime();
    var series = Kind.READ_MODIFY_WRITE.series();
    var measured = status.isOk() ? series : series + "-FAILED";
    measurements.measure(measured, (int) ((end - start) / 1000));
    measurements.measureIntended(measured, (int) ((end - intended) / 1000));
    measurements.reportStatus(series, status);
    return status;
  }

  /** Reads a record, and writes the next version of some fields. */
  private Status writeSuccessors(
      DB db, long recordNumber, String key, Set<String> read, int[] write) {
    var found = new HashMap<String, ByteIterator>();
    var status = db.read(workload.table(), key, read, found);
    if (!status.isOk()) {
      return status;
    }
    var successors = new LinkedHashMap<String, ByteIterator>();
    for (int field : write) {
      var name = workload.documents().fields().get(field);
      if (!found.containsKey(name)) {
        return Status.UNEXPECTED_STATE;
      }
      long version = workload.documents().version(TextValue.of(found.get(name))) + 1;
      successors.put(name, workload.documents().value(recordNumber, field, version));
    }
    status = db.update(workload.table(), key, successors);
    if (status.isOk()) {
      record.versionsWritten(successors.size());
    }
    return status;
  }

  /** The fields an operation reads; null for all, which a write of all must have seen. */
  private Set<String> fieldsToRead(long operation) {
    boolean all = workload.readsAllFields() || workload.writesAllFields();
    return all ? null : Set.of(workload.documents().fields().get(field(operation)));
  }

  private int[] fieldsToWrite(long operation) {
    if (!workload.writesAllFields()) {
      return new int[] {field(operation)};
    }
    var all = new int[workload.documents().fields().size()];
    for (int i = 0; i < all.length; i++) {
      all[i] = i;
    }
    return all;
  }

  private int field(long operation) {
    return workload.mix().field(operation, workload.documents().fields().size());
  }
}
