package pressgauge;

import java.util.Map;
import java.util.Set;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.measurements.Measurements;

/**
 * What one operation is done with: its thread's binding, and the choices that follow from its place
 * in the phase.
 *
 * @param document the thread's own, to be filled and inserted
 * @param index among all operations of all threads and clients
 */
record Turn(
    TextWorkload workload,
    Measurements measurements,
    Map<String, ByteIterator> document,
    DB db,
    long index) {

  Documents documents() {
    return workload.documents();
  }

  String table() {
    return workload.table();
  }

  String key(long recordNumber) {
    return workload.keyName(recordNumber);
  }

  /** An existing record of this client's, by the request distribution; another at each call. */
  long chooseRecord() {
    return workload.chooseRecord(index);
  }

  /** The fields to read; null for all, which a write of all must have seen. */
  Set<String> fieldsToRead() {
    boolean all = workload.readsAllFields() || workload.writesAllFields();
    return all ? null : Set.of(documents().fields().get(field()));
  }

  /** The places of the fields to write. */
  int[] fieldsToWrite() {
    if (!workload.writesAllFields()) {
      return new int[] {field()};
    }
    var all = new int[documents().fields().size()];
    for (int i = 0; i < all.length; i++) {
      all[i] = i;
    }
    return all;
  }

  private int field() {
    return workload.mix().field(index, documents().fields().size());
  }
}
