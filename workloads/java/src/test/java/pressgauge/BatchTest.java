package pressgauge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoSocketReadException;
import com.mongodb.ServerAddress;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.bulk.WriteConcernError;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.junit.jupiter.api.Test;
import site.ycsb.Status;

class BatchTest {
  private static final ServerAddress SERVER = new ServerAddress();

  private final List<String> stored = new ArrayList<>();

  @Test
  void aFlushSendsEachDocumentOnce() {
    var batch = batch(3, this::store);
    assertTrue(batch.isFull());

    var outcome = batch.flush();

    assertEquals(List.of("k0", "k1", "k2"), stored);
    assertEquals(Map.of(Status.OK, 3), outcome.documents());
    assertTrue(batch.isEmpty());
  }

  @Test
  void aCollisionOfHashesFailsTheWholeBatchBecauseNoneOfItIsSent() {
    var value = new TextValue(new byte[] {'a'}, 0, 1);
    var reference = Reference.to(value, 64);
    var batch =
        batch(
            3,
            documents -> {
              throw new HashCollision(reference, value, value);
            });

    var outcome = batch.flush();

    assertEquals("HASH_COLLISION", outcome.status().getName());
    assertEquals(List.of("k0", "k1", "k2"), outcome.failedKeys());
  }

  @Test
  void aPartlyFailedFlushNamesWhatFailedAndIsForgotten() {
    var error = new BulkWriteError(11000, "duplicate", new BsonDocument(), 1);
    var batch = batch(3, documents -> fail(List.of(error), null));

    var outcome = batch.flush();

    assertEquals(List.of("k1"), outcome.failedKeys());
    assertEquals(Map.of(MongoFailure.status(11000), 1, Status.OK, 2), outcome.documents());
    assertEquals("DUPLICATE_KEY", outcome.status().getName());
    assertTrue(batch.isEmpty(), "or nothing would ever be written again");
  }

  @Test
  void withoutTheWriteConcernNothingIsAcknowledged() {
    var error = new WriteConcernError(64, "WriteConcernTimeout", "timed out", new BsonDocument());
    var outcome = batch(2, documents -> fail(List.of(), error)).flush();

    assertEquals("WRITE_CONCERN_FAILED", outcome.status().getName());
    assertEquals(List.of("k0", "k1"), outcome.failedKeys());
  }

  @Test
  void aLostConnectionFailsAllOfThem() {
    var batch =
        batch(
            2,
            documents -> {
              throw new MongoSocketReadException("gone", SERVER);
            });

    var outcome = batch.flush();

    assertEquals("CONNECTION_LOST", outcome.status().getName());
    assertEquals(2, outcome.failedKeys().size());
    assertTrue(batch.isEmpty());
  }

  @Test
  void aBatchIsUsedAgain() {
    var batch = batch(2, this::store);
    batch.flush();
    add(batch, "k2");
    assertEquals(Map.of(Status.OK, 1), batch.flush().documents());
    assertEquals(List.of("k0", "k1", "k2"), stored);
  }

  private static Batch batch(int documents, Batch.Bulk bulk) {
    var batch = new Batch(documents, bulk);
    for (int i = 0; i < documents; i++) {
      add(batch, "k" + i);
    }
    return batch;
  }

  private static void add(Batch batch, String key) {
    batch.add(key, new TextLayout(List.of()).document(batch.buffer(), key, Map.of()));
  }

  private void store(List<RawBsonDocument> documents) {
    documents.forEach(document -> stored.add(document.getString("_id").getValue()));
  }

  private static void fail(List<BulkWriteError> errors, WriteConcernError concern) {
    var result = BulkWriteResult.acknowledged(0, 0, 0, 0, List.of(), List.of());
    throw new MongoBulkWriteException(result, errors, concern, SERVER, Set.of());
  }
}
