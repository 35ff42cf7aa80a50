package pressgauge;

import com.mongodb.MongoException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertManyOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import org.bson.RawBsonDocument;
import site.ycsb.ByteIterator;
import site.ycsb.Client;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;
import site.ycsb.measurements.Measurements;
import site.ycsb.workloads.CoreWorkload;

/**
 * MongoDB under YCSB, for documents of any {@link Layout}.
 *
 * <p>In the load phase {@code mongodb.batchsize} inserts are sent together. Each bulk write is
 * measured as one {@code FLUSH}, whose {@code Return=} counts are counts of documents; what is
 * pending after a thread's last operation is sent with it, or in {@link #cleanup} if the thread was
 * stopped.
 */
public final class MongoBinding extends DB {
  static final String FLUSH = "FLUSH";

  private static final InsertManyOptions INDEPENDENT = new InsertManyOptions().ordered(false);

  private final BsonBuffer buffer = new BsonBuffer(16 * 1024);
  private final Map<String, MongoCollection<RawBsonDocument>> collections = new HashMap<>();
  private SharedClient shared;
  private MongoStore store;
  private ClientRecord record;
  private Layout layout;
  private DocumentModel model;
  private int batchSize;
  private Batch batch;

  @Override
  public void init() throws DBException {
    record = ClientRecord.of(getProperties());
    var settings = new Settings(getProperties());
    layout = Documents.of(settings).layout();
    batchSize = batchSize(settings);
    record.remainder(this::flushRemainder);
    shared = SharedClient.acquire(getProperties());
    store = new MongoStore(shared, settings.text(CoreWorkload.TABLENAME_PROPERTY, "usertable"));
    record.store(store);
    model = DocumentModel.of(settings).over(shared);
    record.model(model::facts);
  }

  /** In the run phase a read could miss what still waits in a batch, so nothing waits there. */
  static int batchSize(Settings settings) {
    boolean loads = !settings.flag(Client.DO_TRANSACTIONS_PROPERTY, true);
    return loads ? settings.count("mongodb.batchsize", 1, 1, 100_000) : 1;
  }

  @Override
  public void cleanup() throws DBException {
    try {
      flushRemainder();
      store.close();
    } finally {
      shared.release(getProperties());
    }
  }

  private void flushRemainder() {
    if (batch != null && !batch.isEmpty()) {
      flush();
    }
  }

  @Override
  public Status insert(String table, String key, Map<String, ByteIterator> values) {
    if (batchSize > 1) {
      return insertLater(table, key, values);
    }
    buffer.clear();
    int start = layout.document(buffer, key, values);
    var document = buffer.view(start, buffer.size());
    return attempt(
        "insert",
        () -> {
          collection(table).insertOne(model.stored(document));
          return Status.OK;
        });
  }

  private Status insertLater(String table, String key, Map<String, ByteIterator> values) {
    if (batch == null) {
      var collection = collection(table);
      batch =
          new Batch(
              batchSize, documents -> collection.insertMany(model.stored(documents), INDEPENDENT));
    }
    batch.add(key, layout.document(batch.buffer(), key, values));
    return batch.isFull() ? flush() : Status.BATCHED_OK;
  }

  private Status flush() {
    var measurements = Measurements.getMeasurements();
    long intended = measurements.getIntendedtartTimeNs();
    long start = System.nanoTime();
    var outcome = batch.flush();
    long end = System.nanoTime();
    var status = outcome.status();
    var series = status.isOk() ? FLUSH : FLUSH + "-FAILED";
    measurements.measure(series, (int) ((end - start) / 1000));
    measurements.measureIntended(series, (int) ((end - intended) / 1000));
    outcome
        .documents()
        .forEach(
            (each, count) -> {
              record.count(FLUSH, each, count);
              for (int i = 0; i < count; i++) {
                measurements.reportStatus(FLUSH, each);
              }
            });
    if (!status.isOk()) {
      var keys = outcome.failedKeys();
      var named = String.join(", ", keys.subList(0, Math.min(5, keys.size())));
      record.tell(FLUSH, status, keys.size() + " not stored (" + named + "): " + outcome.failure());
    }
    return status;
  }

  @Override
  public Status read(
      String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
    var filter = byKey(key);
    return attempt(
        "read",
        () -> {
          var find = collection(table).find(filter);
          var document =
              (fields == null ? find : find.projection(Messages.each(fields, 1))).first();
          if (document == null) {
            return Status.NOT_FOUND;
          }
          var whole = model.resolved(document);
          return layout.unpack(whole, fields, result) ? Status.OK : Status.UNEXPECTED_STATE;
        });
  }

  @Override
  public Status scan(
      String table,
      String startKey,
      int count,
      Set<String> fields,
      Vector<HashMap<String, ByteIterator>> result) {
    buffer.clear();
    int start = buffer.begin();
    int from = buffer.begin("_id");
    layout.key(buffer, "$gte", startKey);
    buffer.end(from);
    buffer.end(start);
    var filter = buffer.view(start, buffer.size());
    var read = new ArrayList<RawBsonDocument>();
    return attempt(
        "scan",
        () -> {
          var find =
              collection(table).find(filter).sort(Messages.each(Set.of("_id"), 1)).limit(count);
          find.batchSize(count);
          var found =
              (fields == null ? find : find.projection(Messages.each(fields, 1))).into(read);
          for (var document : model.resolved(found)) {
            var values = new HashMap<String, ByteIterator>();
            if (!layout.unpack(document, fields, values)) {
              return Status.UNEXPECTED_STATE;
            }
            result.add(values);
          }
          return result.isEmpty() ? Status.NOT_FOUND : Status.OK;
        });
  }

  @Override
  public Status update(String table, String key, Map<String, ByteIterator> values) {
    buffer.clear();
    int filterStart = layout.filter(buffer, key);
    int updateStart = Layout.update(buffer, values);
    var filter = buffer.view(filterStart, updateStart);
    var update = buffer.view(updateStart, buffer.size());
    return attempt(
        "update",
        () -> {
          var matched = collection(table).updateOne(filter, model.stored(update)).getMatchedCount();
          return matched == 1 ? Status.OK : Status.NOT_FOUND;
        });
  }

  @Override
  public Status delete(String table, String key) {
    var filter = byKey(key);
    return attempt(
        "delete",
        () -> {
          var deleted = collection(table).deleteOne(filter).getDeletedCount();
          return deleted == 1 ? Status.OK : Status.NOT_FOUND;
        });
  }

  /** A filter for one record, in the thread's buffer until its next operation. */
  private RawBsonDocument byKey(String key) {
    buffer.clear();
    int start = layout.filter(buffer, key);
    return buffer.view(start, buffer.size());
  }

  private MongoCollection<RawBsonDocument> collection(String table) {
    return collections.computeIfAbsent(table, shared::collection);
  }

  private interface Attempt {
    Status run();
  }

  private Status attempt(String what, Attempt operation) {
    try {
      return operation.run();
    } catch (MongoException e) {
      var status = MongoFailure.status(e);
      record.tell(what, status, MongoFailure.line(e));
      return status;
    }
  }
}
