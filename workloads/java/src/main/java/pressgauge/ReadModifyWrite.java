package pressgauge;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import site.ycsb.ByteIterator;
import site.ycsb.Status;

/**
 * Reads a record, and writes the next version of some fields. Waiting for the record's lock is part
 * of the operation, though of neither its read nor write.
 */
final class ReadModifyWrite implements Operation {
  @Override
  public String name() {
    return "READ-MODIFY-WRITE";
  }

  @Override
  public List<String> series() {
    return List.of(name(), "READ", "UPDATE");
  }

  @Override
  public Status run(Turn turn) {
    long recordNumber = turn.chooseRecord();
    var key = turn.key(recordNumber);
    var read = turn.fieldsToRead();
    var write = turn.fieldsToWrite();
    var measurements = turn.measurements();
    long intended = measurements.getIntendedtartTimeNs();
    long start = System.nanoTime();
    Status status;
    var lock = turn.workload().locks().of(recordNumber);
    lock.lock();
    try {
      status = writeSuccessors(turn, recordNumber, key, read, write);
    } finally {
      lock.unlock();
    }
    long end = System.nanoTime();
    var measured = status.isOk() ? name() : name() + "-FAILED";
    measurements.measure(measured, (int) ((end - start) / 1000));
    measurements.measureIntended(measured, (int) ((end - intended) / 1000));
    measurements.reportStatus(name(), status);
    return status;
  }

  private static Status writeSuccessors(
      Turn turn, long recordNumber, String key, Set<String> read, int[] write) {
    var found = new HashMap<String, ByteIterator>();
    var status = turn.db().read(turn.table(), key, read, found);
    if (!status.isOk()) {
      return status;
    }
    var documents = turn.documents();
    var successors = new LinkedHashMap<String, ByteIterator>();
    for (int field : write) {
      var name = documents.fields().get(field);
      if (!found.containsKey(name)) {
        return Status.UNEXPECTED_STATE;
      }
      long version = documents.version(TextValue.of(found.get(name))) + 1;
      successors.put(name, documents.value(recordNumber, field, version));
    }
    status = turn.db().update(turn.table(), key, successors);
    if (status.isOk()) {
      turn.workload().record().versionsWritten(successors.size());
    }
    return status;
  }
}
