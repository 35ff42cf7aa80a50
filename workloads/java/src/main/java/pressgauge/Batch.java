package pressgauge;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bson.RawBsonDocument;
import site.ycsb.Status;

/** Inserts waiting to be sent together. For one thread. */
final class Batch {
  /** Sends documents in one bulk write, each independently of the others. */
  interface Bulk {
    void insert(List<RawBsonDocument> documents);
  }

  /**
   * What became of a batch.
   *
   * @param documents how many documents ended in which status
   * @param failedKeys the keys that aren't known to be stored
   * @param failure why the first of them failed, in one line; empty if none did
   */
  record Outcome(Map<Status, Integer> documents, List<String> failedKeys, String failure) {
    /** OK, or the first failure's status. */
    Status status() {
      return documents.keySet().stream()
          .filter(status -> !status.isOk())
          .findFirst()
          .orElse(Status.OK);
    }
  }

  private final Bulk bulk;
  private final int capacity;
  private final BsonBuffer buffer;
  private final List<String> keys = new ArrayList<>();
  private final List<Integer> starts = new ArrayList<>();

  Batch(int capacity, Bulk bulk) {
    this.bulk = bulk;
    this.capacity = capacity;
    this.buffer = new BsonBuffer(capacity * 1024);
  }

  /** Where the next document is to be written, right before {@link #add}. */
  BsonBuffer buffer() {
    return buffer;
  }

  /** Takes the document that was begun at {@code start} and ended. */
  void add(String key, int start) {
    keys.add(key);
    starts.add(start);
  }

  boolean isFull() {
    return keys.size() >= capacity;
  }

  boolean isEmpty() {
    return keys.isEmpty();
  }

  /** Sends what waits. Whatever happens the batch is empty afterwards. */
  Outcome flush() {
    try {
      bulk.insert(buffer.views(starts));
      return new Outcome(Map.of(Status.OK, keys.size()), List.of(), "");
    } catch (MongoBulkWriteException e) {
      return partly(e);
    } catch (MongoException e) {
      // Whether any of them was stored is unknown: none was acknowledged.
      return new Outcome(
          Map.of(MongoFailure.status(e), keys.size()), List.copyOf(keys), MongoFailure.line(e));
    } finally {
      keys.clear();
      starts.clear();
      buffer.clear();
    }
  }

  private Outcome partly(MongoBulkWriteException failure) {
    var counts = new LinkedHashMap<Status, Integer>();
    if (failure.getWriteConcernError() != null) {
      // Stored, perhaps, but not as durably as asked.
      counts.put(MongoFailure.status(failure), keys.size());
      return new Outcome(counts, List.copyOf(keys), MongoFailure.line(failure));
    }
    var failed = new ArrayList<String>();
    for (var error : failure.getWriteErrors()) {
      counts.merge(MongoFailure.status(error.getCode()), 1, Integer::sum);
      failed.add(keys.get(error.getIndex()));
    }
    if (failed.size() < keys.size()) {
      counts.put(Status.OK, keys.size() - failed.size());
    }
    return new Outcome(counts, failed, failure.getWriteErrors().get(0).getMessage());
  }
}
