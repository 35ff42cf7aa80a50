package pressgauge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
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
    var workload = new TextWorkload(end, known);
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
}
