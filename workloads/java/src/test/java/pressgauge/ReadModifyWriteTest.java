package pressgauge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import site.ycsb.ByteIterator;
import site.ycsb.Status;

/** Whatever threads and clients share the work: no write is lost, and the same documents result. */
class ReadModifyWriteTest extends WorkloadRunner {
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
  void clientsThatShareAPhaseNeverWriteTheSameField(int clients, String distribution)
      throws Exception {
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
      var records = new HashSet<String>();
      written.forEach(each -> records.add(each.split(" ")[0]));
      assertEquals(before.keySet(), records);
    }
  }

  /** The share of the record that is read most, of reads that so many clients share. */
  private double hottest(int clients) throws Exception {
    var reads = new HashMap<String, Integer>();
    var db =
        new MemoryDb() {
          @Override
          public Status read(
              String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
            reads.merge(key, 1, Integer::sum);
            return Status.OK;
          }
        };
    int operations = 80 * OPERATIONS;
    for (int client = 0; client < clients; client++) {
      var properties =
          properties(
              "readproportion",
              "1",
              "updateproportion",
              "0",
              "requestdistribution",
              "zipfian",
              "pressgauge.clientcount",
              "" + clients,
              "pressgauge.clientindex",
              "" + client,
              "operationcount",
              "" + operations / clients);
      var workload = new TextWorkload(end, known);
      workload.init(properties);
      var state = workload.initThread(properties, 0, 1);
      for (int i = 0; i < operations / clients; i++) {
        workload.doTransaction(db, state);
      }
      workload.cleanup();
    }
    return (double) Collections.max(reads.values()) / sum(reads);
  }

  private static int sum(Map<String, Integer> counts) {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4})
  void aHotKeyIsAsHotWithSeveralClients(int clients) throws Exception {
    assertEquals(hottest(1), hottest(clients), 0.01);
  }

  @ParameterizedTest
  @CsvSource({
    "insertproportion, 0.1, several clients insert",
    "writeallfields, true, 2 clients share records whose read-modify-writes have 1 part",
    "fieldcount, 1, 2 clients share records whose read-modify-writes have 1 part",
  })
  void whatClientsCannotShareIsRefused(String property, String value, String why) {
    var told = new ByteArrayOutputStream();
    var before = System.err;
    System.setErr(new PrintStream(told));
    try {
      var shared =
          concat(
              RMW,
              "requestdistribution",
              "zipfian",
              "pressgauge.clientcount",
              "2",
              property,
              value);
      var refusal =
          assertThrows(IllegalStateException.class, () -> run(loaded(), 1, false, shared));
      assertEquals("ended with 2", refusal.getMessage());
    } finally {
      System.setErr(before);
    }
    assertTrue(told.toString().contains(why), told.toString());
  }

  /** One record of one field, so that all operations meet there. */
  private static final String[] ONE_FIELD = concat(RMW, "recordcount", "1", "fieldcount", "1");

  /** Between the read and the write of one operation, others are done from beginning to end. */
  private abstract static class Meeting extends MemoryDb {
    Runnable meanwhile = () -> {};

    @Override
    public Status read(
        String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
      var status = super.read(table, key, fields, result);
      var others = meanwhile;
      meanwhile = () -> {};
      others.run();
      return status;
    }
  }

  private Document meet(Meeting db, int others) throws Exception {
    var loading = new TextWorkload(end, known);
    var loads = properties(concat(ONE_FIELD, "dotransactions", "false"));
    loading.init(loads);
    loading.doInsert(db, loading.initThread(loads, 0, 1));
    loading.cleanup();
    var properties = properties(concat(ONE_FIELD, "threadcount", "2"));
    var workload = new TextWorkload(end, known);
    workload.init(properties);
    var first = workload.initThread(properties, 0, 2);
    var second = workload.initThread(properties, 1, 2);
    db.meanwhile =
        () -> {
          for (int i = 0; i < others; i++) {
            workload.doTransaction(db, second);
          }
        };
    workload.doTransaction(db, first);
    workload.cleanup();
    return Document.parse(Files.readString(folder.resolve("client.json")));
  }

  @Test
  void readModifyWritesThatMeetDoNotWaitAndAllCount() throws Exception {
    var db = new Meeting() {};

    var file = meet(db, 2);

    assertEquals(3, versionSum(db));
    assertEquals(3, file.getInteger("versions_written"));
    assertEquals(0, file.getInteger("versions_unsettled"));
  }

  @Test
  void aLostWriteIsSeenByTheNextOneThoughAnotherIsUnderWay() throws Exception {
    var db =
        new Meeting() {
          private int writes;

          @Override
          public Status update(String table, String key, Map<String, ByteIterator> values) {
            return ++writes == 1 ? Status.OK : super.update(table, key, values);
          }
        };

    var file = meet(db, 2);

    var rmw = file.get("operations", Document.class).get("READ-MODIFY-WRITE", Document.class);
    assertEquals(new Document("OK", 2).append("WRITE_LOST", 1), rmw.get("by_status"));
  }

  @Test
  void aWriteThatFailedMayHaveBeenDone() throws Exception {
    var db =
        new Meeting() {
          @Override
          public Status update(String table, String key, Map<String, ByteIterator> values) {
            return Status.ERROR;
          }
        };

    var file = meet(db, 0);

    assertEquals(1, file.getInteger("versions_written"));
    assertEquals(1, file.getInteger("versions_unsettled"));
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 16})
  void threadsOnFewRecordsLoseNoWrite(int threads) throws Exception {
    var db =
        new MemoryDb() {
          @Override
          public Status read(
              String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
            synchronized (documents) {
              return super.read(table, key, fields, result);
            }
          }

          @Override
          public Status update(String table, String key, Map<String, ByteIterator> values) {
            Thread.yield();
            synchronized (documents) {
              return super.update(table, key, values);
            }
          }
        };
    run(db, 1, true);
    var properties = properties(concat(RMW, "requestdistribution", "zipfian"));
    var workload = new TextWorkload(end, known);
    workload.init(properties);
    var running = new ArrayList<Thread>();
    for (int thread = 0; thread < threads; thread++) {
      var state = workload.initThread(properties, thread, threads);
      int share = OPERATIONS / threads;
      running.add(
          new Thread(
              () -> IntStream.range(0, share).forEach(i -> workload.doTransaction(db, state))));
    }
    running.forEach(Thread::start);
    for (var thread : running) {
      thread.join();
    }
    workload.cleanup();

    var file = Document.parse(Files.readString(folder.resolve("client.json")));
    int written = file.getInteger("versions_written");
    assertEquals(OPERATIONS / threads * threads, written);
    long below = written - versionSum(db);
    assertTrue(0 <= below && below <= file.getInteger("versions_unsettled"), below + " below");
    var rmw = file.get("operations", Document.class).get("READ-MODIFY-WRITE", Document.class);
    assertEquals(written, rmw.getInteger("ok"));
  }
}
