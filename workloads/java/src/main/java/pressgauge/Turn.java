package pressgauge;

import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.bson.RawBsonDocument;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;
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

  /** What the thread's binding offers beyond YCSB's calls. */
  Store store() {
    return workload.record().store();
  }

  Layout layout() {
    return workload.layout();
  }

  /** Writes a record as it was loaded into the thread's messages. */
  RawBsonDocument loaded(long recordNumber) {
    return document(recordNumber, 0);
  }

  /** Writes a record in which all paths that are set have one version. */
  RawBsonDocument document(long recordNumber, long version) {
    documents().fill(document, recordNumber, version);
    var buffer = store().buffer();
    int start = layout().document(buffer, key(recordNumber), document);
    return buffer.view(start, buffer.size());
  }

  /** Writes an update of paths, by their places, that the document counts. */
  RawBsonDocument update(long recordNumber, int[] places, long version) {
    return Messages.update(store().buffer(), documents(), recordNumber, places, version);
  }

  Population population() {
    return workload.population();
  }

  /** The operation's own draws, from their beginning. */
  Draws draws() {
    return workload.mix().draws(index);
  }

  /** A record that exists now, as far as this client knows, by the mix's distribution. */
  Chosen choose(Draws draws) {
    while (true) {
      long recordNumber = workload.chooseRecord(draws);
      long life = population().life(recordNumber);
      if (life >= 0) {
        return new Chosen(recordNumber, key(recordNumber), life);
      }
    }
  }

  /** A chosen record, and which of its lives it was in then. */
  record Chosen(long number, String key, long life) {}

  /** Whether a chosen record has been there all the time. */
  boolean stayed(Chosen chosen) {
    return population().life(chosen.number) == chosen.life;
  }

  /** Measures what YCSB doesn't: the time that it takes, and its status. */
  Status measured(String name, Supplier<Status> operation) {
    long intended = measurements.getIntendedtartTimeNs();
    long start = System.nanoTime();
    var status = operation.get();
    long end = System.nanoTime();
    var series = status.isOk() ? name : name + "-FAILED";
    measurements.measure(series, (int) ((end - start) / 1000));
    measurements.measureIntended(series, (int) ((end - intended) / 1000));
    measurements.reportStatus(name, status);
    return status;
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
