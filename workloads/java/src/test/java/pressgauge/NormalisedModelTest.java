package pressgauge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoException;
import com.mongodb.MongoSocketReadException;
import com.mongodb.ServerAddress;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.bulk.WriteConcernError;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonType;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * No reference leads nowhere, whatever is known, forgotten, refused or done by others meanwhile.
 */
class NormalisedModelTest {
  private static final int TINY_BITS = 4;

  private final MemoryEntries entries = new MemoryEntries();

  private NormalisedModel client(int bits, int known) {
    return new NormalisedModel(bits, new Dictionary(entries, new KnownHashes(known)));
  }

  private static RawBsonDocument raw(String json) {
    return new RawBsonDocument(BsonDocument.parse(json), new BsonDocumentCodec());
  }

  private static RawBsonDocument document(int key, String... values) {
    var json = new StringBuilder("{_id: 'user" + key + "'");
    for (int i = 0; i < values.length; i++) {
      json.append(", field").append(i).append(": '").append(values[i]).append('\'');
    }
    return raw(json + "}");
  }

  /** A copy: what a model gives is good until its next call. */
  private static RawBsonDocument kept(RawBsonDocument view) {
    var codec = new BsonDocumentCodec();
    return new RawBsonDocument(view.decode(codec), codec);
  }

  private static long fact(DocumentModel model, String name) {
    return ((Number) model.facts().get(name)).longValue();
  }

  @ParameterizedTest
  @CsvSource({"64, INT64", "128, BINARY"})
  void documentsHoldReferencesAndComeBackByteForByte(int bits, BsonType type) {
    var model = client(bits, 10);
    var written = List.of(document(1, "one", "two"), document(2, "two", "three"));

    var stored = model.stored(written).stream().map(NormalisedModelTest::kept).toList();

    assertEquals("user1", stored.get(0).getString("_id").getValue());
    assertEquals(type, stored.get(0).get("field1").getBsonType());
    assertEquals(stored.get(0).get("field1"), stored.get(1).get("field0"));
    assertEquals(3, entries.count());
    assertEquals(List.of(3), entries.sent);
    var resolved = model.resolved(stored);
    for (int i = 0; i < written.size(); i++) {
      assertEquals(written.get(i).getByteBuffer().asNIO(), resolved.get(i).getByteBuffer().asNIO());
    }
  }

  @Test
  void whatAnUpdateSetsIsAReferenceToo() {
    var model = client(64, 10);
    var update = kept(model.stored(raw("{$set: {field3: 'new', field4: 'text'}}")));
    var set = update.getDocument("$set");
    assertEquals(BsonType.INT64, set.get("field3").getBsonType());
    assertEquals(2, entries.count());
  }

  @Test
  void aKnownValueIsNotSentAgain() {
    var model = client(64, 10);
    model.stored(document(1, "one", "two", "one"));
    model.stored(document(2, "two", "one", "one"));
    assertEquals(List.of(2), entries.sent);
    assertEquals(4, fact(model, "hits"));
    assertEquals(2, fact(model, "misses"));
    assertEquals(0, fact(model, "met"));
  }

  @Test
  void whatAnotherClientOrAnEarlierProcessStoredIsMetAndUsed() {
    client(64, 10).stored(document(1, "one", "two"));
    var later = client(64, 10);
    var stored = kept(later.stored(document(2, "two", "three")));
    assertEquals(3, entries.count());
    assertEquals(1, fact(later, "met"));
    assertEquals("two", later.resolved(stored).getString("field0").getValue());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 16, 1000})
  void aForgottenHashCostsASendAndNothingElse(int known) {
    var draw = new Random(7);
    var model = client(64, known);
    var stored = new ArrayList<RawBsonDocument>();
    for (int key = 0; key < 300; key++) {
      stored.add(kept(model.stored(document(key, "v" + draw.nextInt(40), "v" + draw.nextInt(40)))));
    }
    assertEquals(40, entries.count());
    assertEquals(600, fact(model, "hits") + fact(model, "misses"));
    assertEquals(40, fact(model, "misses") - fact(model, "met"));
    assertEquals(known >= 40, fact(model, "met") == 0);
    for (var document : model.resolved(stored)) {
      assertTrue(document.isString("field0") && document.isString("field1"), document.toJson());
    }
  }

  @Test
  void theHashKnownLongestIsForgottenFirst() {
    var known = new KnownHashes(2);
    var values = IntStream.range(0, 3).mapToObj(i -> text("value " + i)).toList();
    values.forEach(value -> known.learn(Reference.to(value, 64), value));
    known.learn(Reference.to(values.get(2), 64), values.get(2));
    assertFalse(known.holds(Reference.to(values.get(0), 64), values.get(0)));
    assertTrue(known.holds(Reference.to(values.get(1), 64), values.get(1)));
    assertTrue(known.holds(Reference.to(values.get(2), 64), values.get(2)));
  }

  private static TextValue text(String text) {
    var bytes = text.getBytes(StandardCharsets.UTF_8);
    return new TextValue(bytes, 0, bytes.length);
  }

  /** Two values that have one hash of so few bits. */
  private static List<String> meeting() {
    var first = Reference.to(text("value 0"), TINY_BITS);
    int other = 1;
    while (!Reference.to(text("value " + other), TINY_BITS).equals(first)) {
      other++;
    }
    return List.of("value 0", "value " + other);
  }

  @ParameterizedTest
  @ValueSource(strings = {"in one document", "known", "forgotten", "of another client"})
  void aCollisionFailsTheOperationWhereverItIsFound(String where) {
    var meeting = meeting();
    var model = client(TINY_BITS, 10);
    var last = document(2, meeting.get(1));
    switch (where) {
      case "in one document" -> last = document(2, meeting.get(0), meeting.get(1));
      case "known" -> model.stored(document(1, meeting.get(0)));
      default -> client(TINY_BITS, 10).stored(document(1, meeting.get(0)));
    }
    var failing = last;
    var found = assertThrows(HashCollision.class, () -> model.stored(failing));
    assertTrue(found.getMessage().contains(meeting.get(1)), found.getMessage());
    assertEquals("HASH_COLLISION", MongoFailure.status(found).getName());
    var again = client(TINY_BITS, 10);
    assertThrows(HashCollision.class, () -> again.stored(failing));
  }

  @ParameterizedTest
  @ValueSource(strings = {"lost", "refused", "not durable"})
  void whatIsNotAcknowledgedIsNeitherReferredToNorKnown(String how) {
    var failing =
        new MemoryEntries() {
          boolean isBroken = true;

          @Override
          public void insert(List<RawBsonDocument> some) {
            super.insert(some);
            if (isBroken) {
              throw failure(how);
            }
          }
        };
    var model = new NormalisedModel(64, new Dictionary(failing, new KnownHashes(10)));
    var told = assertThrows(MongoException.class, () -> model.stored(document(1, "one")));
    assertFalse(told instanceof MongoBulkWriteException, "its indexes are of entries");
    failing.isBroken = false;
    model.stored(document(1, "one"));
    assertEquals(List.of(1, 1), failing.sent);
    assertEquals(1, fact(model, "met")); // it had been stored, and only the answer was lost
  }

  private static MongoException failure(String how) {
    var address = new ServerAddress();
    var none = BulkWriteResult.unacknowledged();
    return switch (how) {
      case "lost" -> new MongoSocketReadException("reset", address);
      case "refused" ->
          new MongoBulkWriteException(
              none,
              List.of(new BulkWriteError(14031, "disk full", new BsonDocument(), 0)),
              null,
              address,
              Set.of());
      default ->
          new MongoBulkWriteException(
              none,
              List.of(),
              new WriteConcernError(64, "WriteConcernTimeout", "waited", new BsonDocument()),
              address,
              Set.of());
    };
  }

  @Test
  void clientsThatRaceForTheSameValuesShareThem() throws Exception {
    int clients = 4;
    var barrier = new CyclicBarrier(clients);
    var pool = Executors.newFixedThreadPool(clients);
    try {
      var running = new ArrayList<Future<List<RawBsonDocument>>>();
      for (int i = 0; i < clients; i++) {
        var model = client(64, 5 + i);
        running.add(
            pool.submit(
                () -> {
                  var stored = new ArrayList<RawBsonDocument>();
                  for (int key = 0; key < 200; key++) {
                    barrier.await();
                    stored.add(kept(model.stored(document(key, "a" + key, "b" + key % 20))));
                  }
                  return stored;
                }));
      }
      for (var one : running) {
        int key = 0;
        for (var document : client(64, 1).resolved(one.get())) {
          assertEquals("a" + key, document.getString("field0").getValue());
          assertEquals("b" + key++ % 20, document.getString("field1").getValue());
        }
      }
    } finally {
      pool.shutdownNow();
    }
    assertEquals(220, entries.count());
  }

  /** Clients come and go, forget, fail before and after the server has stored something. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void whateverHappensWhatWasSentLeadsSomewhere(long seed) {
    var draw = new Random(seed);
    var failing =
        new MemoryEntries() {
          @Override
          public void insert(List<RawBsonDocument> some) {
            int stored = draw.nextInt(4) > 0 ? some.size() : draw.nextInt(some.size());
            super.insert(some.subList(0, stored));
            if (stored < some.size() || draw.nextInt(10) == 0) {
              throw failure("lost");
            }
          }
        };
    var clients = new NormalisedModel[3];
    var sent = new ArrayList<RawBsonDocument>();
    var written = new ArrayList<RawBsonDocument>();
    for (int step = 0; step < 400; step++) {
      int client = draw.nextInt(clients.length);
      if (clients[client] == null || draw.nextInt(20) == 0) {
        var known = new KnownHashes(1 + draw.nextInt(30));
        clients[client] = new NormalisedModel(64, new Dictionary(failing, known));
      }
      var document = document(step, "v" + draw.nextInt(50), "v" + draw.nextInt(50));
      try {
        sent.add(kept(clients[client].stored(document)));
        written.add(document);
      } catch (MongoException e) {
        assertFalse(e instanceof HashCollision, e.getMessage());
      }
    }
    var resolved =
        new NormalisedModel(64, new Dictionary(failing, new KnownHashes(1))).resolved(sent);
    assertTrue(resolved.size() > 200);
    for (int i = 0; i < written.size(); i++) {
      assertEquals(written.get(i).toJson(), resolved.get(i).toJson());
    }
  }

  @Test
  void aReferenceThatLeadsNowhereStaysAndIsCounted() {
    var model = client(64, 10);
    var stored = new ArrayList<RawBsonDocument>();
    for (int key = 0; key < 3; key++) {
      stored.add(kept(model.stored(document(key, "shared", "own " + key))));
    }
    client(64, 10).stored(document(9, "of a lost race"));
    entries.stored.remove(stored.get(1).get("field1"));

    var resolved = model.resolved(stored);
    var counted = new ReferenceCount();
    counted.count(stored, resolved);

    assertEquals(BsonType.INT64, resolved.get(1).get("field1").getBsonType());
    assertEquals(
        "{\"entries\": 4, \"referenced\": 3, \"dangling\": 1, \"surplus\": 1}",
        counted.toDocument(entries.count(), true).toJson());
    assertTrue(counted.toDocument(entries.count(), false).toJson().endsWith("null}"));
  }

  @Test
  void manyReferencesAreCountedOnce() {
    var model = client(128, 10);
    var counted = new ReferenceCount();
    for (int key = 0; key < 5000; key++) {
      var stored = List.of(kept(model.stored(document(key, "v" + key % 700))));
      counted.count(stored, model.resolved(stored));
    }
    assertEquals(700, counted.toDocument(700, true).getInteger("referenced"));
  }

  @ParameterizedTest
  @CsvSource({
    "pressgauge.model, nested, there is no nested",
    "pressgauge.hashbits, 32, neither 64 nor 128",
    "pressgauge.knownhashes, 0, not in 1 to",
    "pressgauge.documents, templates, for documents of text",
  })
  void whatItCannotBeIsRefused(String name, String value, String why) {
    var properties = new Properties();
    properties.setProperty("pressgauge.model", "normalised");
    properties.setProperty(name, value);
    var refusal =
        assertThrows(UsageException.class, () -> DocumentModel.of(new Settings(properties)));
    assertTrue(refusal.getMessage().contains(why), refusal.getMessage());
  }
}
