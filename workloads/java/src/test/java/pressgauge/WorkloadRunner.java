package pressgauge;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.function.IntSupplier;
import java.util.stream.Stream;
import org.bson.Document;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import site.ycsb.DB;
import site.ycsb.measurements.Measurements;

/** Runs phases of the workload against databases in memory, as YCSB's client does. */
abstract class WorkloadRunner {
  static final int RECORDS = 40;
  static final int OPERATIONS = 500;
  static final String[] RMW = {
    "readproportion", "0", "updateproportion", "0", "readmodifywriteproportion", "1"
  };

  @TempDir Path folder;
  final FakeEnd end = new FakeEnd();

  /** What the workload under test knows. */
  Operations known = Operations.REGISTERED;

  static final class FakeEnd implements ProcessEnd {
    int status;
    IntSupplier correction = () -> 0;

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

  Properties properties(String... more) {
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
  Document run(DB db, int threads, boolean load, String... more) throws Exception {
    var properties = properties(more);
    properties.setProperty("threadcount", Integer.toString(threads));
    properties.setProperty("dotransactions", Boolean.toString(!load));
    var workload = new TextWorkload(end, known);
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

  MemoryDb loaded() throws Exception {
    var db = new MemoryDb();
    run(db, 1, true);
    return db;
  }

  static long versionSum(MemoryDb db) {
    return db.documents.values().stream()
        .flatMap(document -> document.values().stream())
        .mapToLong(
            text -> {
              var bytes = text.getBytes(StandardCharsets.UTF_8);
              return ValueFunction.version(bytes, 0, bytes.length);
            })
        .sum();
  }

  static String[] concat(String[] some, String... more) {
    return Stream.concat(List.of(some).stream(), List.of(more).stream()).toArray(String[]::new);
  }
}
