package pressgauge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;
import java.util.stream.Stream;
import org.bson.Document;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;
import site.ycsb.measurements.Measurements;

class TextWorkloadTest {
  private static final int RECORDS = 40;
  private static final int OPERATIONS = 500;

  private static final String[] RMW = {
    "readproportion", "0", "updateproportion", "0", "readmodifywriteproportion", "1"
  };

  @TempDir private Path folder;
  private final FakeEnd end = new FakeEnd();

  private static final class FakeEnd implements ProcessEnd {
    private int status;
    private IntSupplier correction = () -> 0;

    @Override
    public void now(int status) {
      this.status = status;
      throw new IllegalStateException("ended with " + status);
    }

    @Override
    public void correct(IntSupplier status) {
      correction = status;
    }
  }

  @BeforeEach
  void writeCorpus() throws Exception {
    var lines = "First line of text.\nÅ second one.\nAnd, at last, a third line of it.\n";
    Files.writeString(folder.resolve("corpus.txt"), lines);
    Measurements.setProperties(new Properties());
  }

  private Properties properties(String... more) {
    var properties = new Properties();
    properties.setProperty("pressgauge.corpus", folder.resolve("corpus.txt").toString());
    properties.setProperty("pressgauge.seed", "42");
    properties.setProperty("pressgauge.clientfile", folder.resolve("client.json").toString());
    properties.setProperty("recordcount", Integer.toString(RECORDS));
    properties.setProperty("operationcount", Integer.toString(OPERATIONS));
    properties.setProperty("fieldcount", "3");
    properties.setProperty("fieldlength", "24");
    for (int i = 0; i < more.length; i += 2) {
      properties.setProperty(more[i], more[i + 1]);
    }
    return properties;
  }

  /** Runs a phase as YCSB's client does, its threads one operation each in turn. */
  private Document run(DB db, int threads, boolean load, String... more) throws Exception {
    var properties = properties(more);
    properties.setProperty("threadcount", Integer.toString(threads));
    properties.setProperty("dotransactions", Boolean.toString(!load));
    var workload = new TextWorkload(end);
    workload.init(properties);
    int operations = load ? RECORDS : OPERATIONS;
    var states = new Object[threads];
    var alive = new boolean[threads];
    for (int thread = 0; thread < threads; thread++) {
      states[thread] = workload.initThread(properties, thread, threads);
      alive[thread] = true;
    }
    for (int operation = 0; operation < operations; operation++) {
      int thread = operation % threads;
      if (alive[thread]) {
        alive[thread] =
            load
                ? workload.doInsert(db, states[thread])
                : workload.doTransaction(db, states[thread]);
      }
    }
    workload.cleanup();
    return Document.parse(Files.readString(folder.resolve("client.json")));
  }

  private MemoryDb loaded() throws Exception {
    var db = new MemoryDb();
    run(db, 1, true);
    return db;
  }

  private static long versionSum(MemoryDb db) {
    return db.documents.values().stream()
        .flatMap(document -> document.values().stream())
        .mapToLong(
            text -> {
              var bytes = text.getBytes(StandardCharsets.UTF_8);
              return ValueFunction.version(bytes, 0, bytes.length);
            })
        .sum();
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4, 16})
  void readModifyWritesEndInTheSameDocumentsWithAnyNumberOfThreads(int threads) throws Exception {
    String[] mix = {
      "readproportion", "0.3", "updateproportion", "0", "readmodifywriteproportion", "0.7"
    };
    var one = loaded();
    run(one, 1, false, mix);
    var many = loaded();

    var file = run(many, threads, false, mix);

    assertEquals(one.documents, many.documents);
    assertEquals(versionSum(many), file.getInteger("versions_written").longValue());
    assertNotEquals(loaded().documents, many.documents);
  }

  @Test
  void phasesOfDifferentNamesDrawDifferentOperations() throws Exception {
    var first = loaded();
    run(first, 1, false, RMW);
    var second = loaded();
    run(second, 1, false, concat(RMW, "pressgauge.phase", "other"));
    assertNotEquals(first.documents, second.documents);
  }

  @ParameterizedTest
  @CsvSource({"1, uniform", "3, uniform", "1, zipfian", "3, zipfian", "2, hotspot", "3, latest"})
  void clientsThatShareAPhaseNeverMeetAtARecord(int clients, String distribution) throws Exception {
    var db = loaded();
    var before = Map.copyOf(db.documents);
    var written = new HashSet<String>();
    int versions = 0;
    for (int client = 0; client < clients; client++) {
      var file =
          run(
              db,
              2,
              false,
              concat(
                  RMW,
                  "requestdistribution",
                  distribution,
                  "pressgauge.clientcount",
                  "" + clients,
                  "pressgauge.clientindex",
                  "" + client));
      versions += file.getInteger("versions_written");
      for (var key : db.updated) {
        assertTrue(written.add(key), key + " was another client's");
      }
      db.updated.clear();
    }
    assertEquals(clients * OPERATIONS, versions);
    assertEquals(versions, versionSum(db));
    if (distribution.equals("uniform")) {
      assertEquals(before.keySet(), written);
    }
  }

  @Test
  void readModifyWritesOfOneRecordTakeTurns() throws Exception {
    var meetings = new LongAdder();
    var db =
        new MemoryDb() {
          private final Map<String, Thread> between = new ConcurrentHashMap<>();

          @Override
          public Status read(
              String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
            if (between.putIfAbsent(key, Thread.currentThread()) != null) {
              meetings.increment();
            }
            Thread.yield();
            synchronized (documents) {
              return super.read(table, key, fields, result);
            }
          }

          @Override
          public Status update(String table, String key, Map<String, ByteIterator> values) {
            between.remove(key);
            synchronized (documents) {
              return super.update(table, key, values);
            }
          }
        };
    run(db, 1, true);
    var properties = properties(concat(RMW, "requestdistribution", "zipfian"));
    var workload = new TextWorkload(end);
    workload.init(properties);
    var threads = new ArrayList<Thread>();
    for (int thread = 0; thread < 4; thread++) {
      var state = workload.initThread(properties, thread, 4);
      var running =
          new Thread(
              () -> {
                for (int i = 0; i < OPERATIONS / 4; i++) {
                  workload.doTransaction(db, state);
                }
              });
      running.start();
      threads.add(running);
    }
    for (var thread : threads) {
      thread.join();
    }
    workload.cleanup();

    assertEquals(0, meetings.sum());
    assertEquals(OPERATIONS, versionSum(db));
  }

  @ParameterizedTest
  @CsvSource({
    "A, 0.5, 0.5, 0, 0, 0, zipfian",
    "B, 0.95, 0.05, 0, 0, 0, zipfian",
    "C, 1, 0, 0, 0, 0, zipfian",
    "D, 0.95, 0, 0.05, 0, 0, latest",
    "E, 0, 0, 0.05, 0.95, 0, zipfian",
    "F, 0.5, 0, 0, 0, 0.5, zipfian",
    "hotspot, 0.5, 0.5, 0, 0, 0, hotspot",
    "exponential, 0.5, 0.5, 0, 0, 0, exponential",
    "sequential, 0.5, 0.5, 0, 0, 0, sequential",
  })
  void coreWorkloadsRun(
      String name,
      String read,
      String update,
      String insert,
      String scan,
      String rmw,
      String distribution)
      throws Exception {
    var db = loaded();
    var file =
        run(
            db,
            3,
            false,
            "readproportion",
            read,
            "updateproportion",
            update,
            "insertproportion",
            insert,
            "scanproportion",
            scan,
            "readmodifywriteproportion",
            rmw,
            "requestdistribution",
            distribution);

    var operations = file.get("operations", Document.class);
    int attempted = 0;
    for (var each : operations.values()) {
      var one = (Document) each;
      assertEquals(one.getInteger("attempted"), one.getInteger("ok"), operations.toJson());
      attempted += one.getInteger("attempted");
    }
    assertEquals(OPERATIONS, attempted);
    var inserts = operations.get("INSERT", new Document("ok", 0));
    assertEquals(RECORDS + inserts.getInteger("ok"), db.documents.size());
    assertEquals(0, end.correction.getAsInt());
  }

  @Test
  void aSingleFailedInsertDoesNotEndALoad() throws Exception {
    var db = new MemoryDb();
    db.documents.put("user6284781860667377211", Map.of());

    var file = run(db, 2, true);

    var inserts = file.get("operations", Document.class).get("INSERT", Document.class);
    assertEquals(RECORDS - 1, inserts.getInteger("ok"));
    assertEquals(1, inserts.get("by_status", Document.class).getInteger("ERROR"));
    assertEquals(0, end.correction.getAsInt());
  }

  @Test
  void aThreadThatDiesIsTold() throws Exception {
    var db =
        new MemoryDb() {
          @Override
          public Status read(
              String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
            throw new StackOverflowError("deep");
          }
        };
    run(db, 1, true);

    var file = run(db, 4, false, "readproportion", "0.01", "updateproportion", "0.99");

    var threads = file.get("threads", Document.class);
    int died = threads.getList("died", Document.class).size();
    assertTrue(died > 0);
    assertEquals(4, threads.getInteger("asked"));
    assertEquals(4 - died, threads.getInteger("finished"));
    assertEquals(3, end.correction.getAsInt());
  }

  @Test
  void aThreadGivesUpAfterFailuresInARow() throws Exception {
    var empty = new MemoryDb();

    var file = run(empty, 2, false, "readproportion", "1", "updateproportion", "0");

    var reads = file.get("operations", Document.class).get("READ", Document.class);
    assertEquals(Map.of("NOT_FOUND", 2 * 5), reads.get("by_status", Document.class));
    assertEquals(0, file.get("threads", Document.class).getInteger("finished"));
    assertEquals(3, end.correction.getAsInt());
  }

  @Test
  void aThreadThatNeverStartedIsMissed() throws Exception {
    var properties = properties("threadcount", "2");
    var workload = new TextWorkload(end);
    workload.init(properties);
    workload.cleanup();
    assertEquals(3, end.correction.getAsInt());
  }

  @ParameterizedTest
  @CsvSource({
    "pressgauge.seed, x",
    "pressgauge.corpus, /no/such/file",
    "recordcount, 0",
    "fieldlength, 4",
    "fieldlengthdistribution, zipfian",
    "readproportion, 2",
    "requestdistribution, odd",
    "mongodb.batchsize, many",
  })
  void wrongPropertiesEndTheClientWithStatus2(String name, String value) {
    var properties = properties(name, value, "dotransactions", "false");
    var workload = new TextWorkload(end);
    var ended = assertThrows(IllegalStateException.class, () -> workload.init(properties));
    assertTrue(ended.getMessage().endsWith("2"), ended.getMessage());
    assertFalse(end.status == 0);
  }

  private static String[] concat(String[] some, String... more) {
    return Stream.concat(List.of(some).stream(), List.of(more).stream()).toArray(String[]::new);
  }
}
