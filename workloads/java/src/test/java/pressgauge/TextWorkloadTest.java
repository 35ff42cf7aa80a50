package pressgauge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.Set;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import site.ycsb.ByteIterator;
import site.ycsb.Status;

class TextWorkloadTest extends WorkloadRunner {
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
    var workload = new TextWorkload(end, known);
    workload.init(properties);
    workload.cleanup();
    assertEquals(3, end.correction.getAsInt());
  }

  @ParameterizedTest
  @ValueSource(strings = {"pressgauge.pace", "pressgauge.gate"})
  void ycsbsOwnThrottleIsRefusedWhereItWouldHurry(String name) {
    var properties = properties(name, "7", "target", "7");
    var workload = new TextWorkload(end, known);
    assertThrows(IllegalStateException.class, () -> workload.init(properties));
    assertEquals(2, end.status);
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
    "pressgauge.pace, 0",
    "pressgauge.pace, -1",
    "pressgauge.pace, NaN",
    "pressgauge.pace, 1e10",
    "pressgauge.pace, fast",
    "pressgauge.documents, odd",
  })
  void wrongPropertiesEndTheClientWithStatus2(String name, String value) {
    var properties = properties(name, value, "dotransactions", "false");
    var workload = new TextWorkload(end, known);
    var ended = assertThrows(IllegalStateException.class, () -> workload.init(properties));
    assertTrue(ended.getMessage().endsWith("2"), ended.getMessage());
    assertFalse(end.status == 0);
  }
}
