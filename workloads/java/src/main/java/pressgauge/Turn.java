package pressgauge;

import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
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
    return documents().keys().of(recordNumber);
  }

  /** An existing record, by the request distribution; another at each call. */
  long chooseRecord() {
    return workload.chooseRecord(index);
  }

  /** The fields to read; null for all. Where none is ever written, documents are read whole. */
  Set<String> fieldsToRead() {
    return documents().fields().isEmpty() ? null : fieldsToRead(fieldsToWrite());
  }

  /** The fields to read before some are written; null for all, which a write of all must see. */
  Set<String> fieldsToRead(int[] written) {
    boolean all = workload.readsAllFields() || workload.writesAllFields();
    return all ? null : documents().toRead(written[0]);
  }

  /** The places of the fields to write. */
  int[] fieldsToWrite() {
    int fields = documents().fields().size();
    if (!workload.writesAllFields()) {
      return new int[] {workload.mix().field(index, fields)};
    }
    return IntStream.range(0, fields).toArray();
  }

  /** As {@link #fieldsToWrite}, of those that no other client writes in this record. */
  int[] ownFieldsToWrite(long recordNumber) {
    if (!workload.sharesRecords()) {
      return fieldsToWrite();
    }
    var partition = workload.partition();
    int own = partition.fields(recordNumber, documents().fields().size());
    return new int[] {partition.field(recordNumber, workload.mix().field(index, own))};
  }
}
