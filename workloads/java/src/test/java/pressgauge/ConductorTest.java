package pressgauge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.bson.Document;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import site.ycsb.DB;
import site.ycsb.measurements.Measurements;
import site.ycsb.measurements.exporter.JSONArrayMeasurementsExporter;

/** A client whose turns are said over a socket, its threads as YCSB's client runs them. */
@Timeout(60)
class ConductorTest extends WorkloadRunner {
  private static final int THREADS = 4;

  private Supplier<DB> binding = NoopBinding::new;

  /** YCSB's measurements are the process's: other tests have left series of theirs. */
  @BeforeEach
  void measureAnew() throws Exception {
    var singleton = Measurements.class.getDeclaredField("singleton");
    singleton.setAccessible(true);
    singleton.set(null, null);
  }

  /** The client, and the parent's end of its socket. */
  private final class Conducted implements AutoCloseable {
    final ServerSocketChannel listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    final TextWorkload workload = new TextWorkload(end, known);
    final List<Thread> threads = new ArrayList<>();
    final SocketChannel socket;

    Conducted(int operations, String... more) throws Exception {
      var path = folder.resolve("gate");
      listening.bind(UnixDomainSocketAddress.of(path));
      var properties =
          properties(
              concat(
                  concat(RMW, more),
                  "operationcount",
                  Integer.toString(operations),
                  "threadcount",
                  Integer.toString(THREADS),
                  "pressgauge.gate",
                  path.toString(),
                  "hdrhistogram.fileoutput",
                  "true",
                  "hdrhistogram.output.path",
                  folder.resolve("run.").toString()));
      workload.init(properties);
      socket = listening.accept();
      for (int thread = 0; thread < THREADS; thread++) {
        int number = thread;
        threads.add(new Thread(() -> work(properties, number, operations / THREADS)));
      }
      threads.forEach(Thread::start);
    }

    private void work(Properties properties, int thread, int share) {
      var db = binding.get();
      db.setProperties(properties);
      try {
        db.init();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
      var state = workload.initThread(properties, thread, THREADS);
      for (int done = 0; done < share && !workload.isStopRequested(); done++) {
        if (!workload.doTransaction(db, state)) {
          return;
        }
      }
    }

    void say(String line) throws IOException {
      socket.write(ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.US_ASCII)));
    }

    String heard() throws IOException {
      var line = new StringBuilder();
      var one = ByteBuffer.allocate(1);
      while (socket.read(one.clear()) > 0 && one.get(0) != '\n') {
        line.append((char) one.get(0));
      }
      return line.toString();
    }

    /** The number that follows a word. */
    long heard(String word) throws IOException {
      var parts = heard().split(" ");
      assertEquals(word, parts[0]);
      return Long.parseLong(parts[1]);
    }

    Document ended() throws Exception {
      for (var thread : threads) {
        thread.join();
      }
      workload.cleanup();
      try (var exporter = new JSONArrayMeasurementsExporter(new ByteArrayOutputStream())) {
        Measurements.getMeasurements().exportMeasurements(exporter);
      }
      return Document.parse(Files.readString(folder.resolve("client.json")));
    }

    @Override
    public void close() throws IOException {
      socket.close();
      listening.close();
    }
  }

  private List<Histogram> intervals(String series) throws IOException {
    var found = new ArrayList<Histogram>();
    try (var reader = new HistogramLogReader(folder.resolve("run." + series + ".hdr").toFile())) {
      while (reader.hasNext()) {
        found.add((Histogram) reader.nextIntervalHistogram());
      }
    }
    return found;
  }

  @Test
  void whatIsLateWhenATurnIsMeasuredIsDueAnew() throws Exception {
    try (var client = new Conducted(Integer.MAX_VALUE, "pressgauge.pace", "4000")) {
      assertEquals("ready", client.heard());
      client.say("pace");
      client.say("open");
      client.heard("opened");
      long before = client.workload.gate().pacedSinceNs();
      client.say("mark");
      client.heard("marked");
      assertTrue(client.workload.gate().pacedSinceNs() > before);
      client.say("close");
      client.heard();
      client.say("end");
      client.ended();
    }
  }

  @Test
  void warmUpsKeepNoPaceAndLaterTurnsDo() throws Exception {
    try (var client = new Conducted(Integer.MAX_VALUE, "pressgauge.pace", "0.001")) {
      assertEquals("ready", client.heard());
      client.say("open");
      client.heard("opened");
      while (client.workload.record().attempted("") < 2000) {
        Thread.sleep(1);
      }
      client.say("close");
      long warm = Long.parseLong(client.heard().split(" ")[2]);
      client.say("pace");
      client.say("open");
      client.heard("opened");
      // Threads that waited at the gate do what they waited for, and one more is due by its pace.
      while (client.workload.record().attempted("") <= warm) {
        Thread.sleep(1);
      }
      client.say("close");
      long paced = Long.parseLong(client.heard().split(" ")[2]) - warm;
      assertTrue(paced <= THREADS + 1, paced + " operations");
      client.say("end");
      client.ended();
    }
  }

  @Test
  void turnsAreTaken() throws Exception {
    var closedMs = new ArrayList<Long>();
    var openedMs = new ArrayList<Long>();
    Document file;
    long operations = 0;
    try (var client = new Conducted(Integer.MAX_VALUE)) {
      assertEquals("ready", client.heard());
      for (int turn = 0; turn < 3; turn++) {
        client.say("open");
        openedMs.add(client.heard("opened"));
        if (turn > 0) {
          client.say("mark");
          client.heard("marked");
        }
        long before = client.workload.record().attempted("");
        while (client.workload.record().attempted("") < before + 2000) {
          Thread.sleep(1);
        }
        client.say("close");
        var answer = client.heard().split(" ");
        assertEquals("closed", answer[0]);
        closedMs.add(Long.parseLong(answer[1]));
        operations = Long.parseLong(answer[2]);
        assertEquals(operations, client.workload.record().attempted(""));
        Measurements.getMeasurements().getSummary(); // the status thread's tick
      }
      client.say("end");
      file = client.ended();
    }

    assertEquals(0, end.correction.getAsInt());
    assertEquals(THREADS, file.get("threads", Document.class).getInteger("finished"));
    var turns = file.getList("turns", Document.class);
    assertEquals(3, turns.size());
    assertEquals(null, turns.get(0).get("measured_s"));
    for (int turn = 0; turn < 3; turn++) {
      assertEquals(openedMs.get(turn) / 1000.0, turns.get(turn).get("opened_s"));
      assertEquals(closedMs.get(turn) / 1000.0, turns.get(turn).get("closed_s"));
    }
    var samples = file.getList("samples", List.class);
    for (var turn : turns) {
      for (var edge : turn.values()) {
        assertTrue(
            edge == null || samples.stream().anyMatch(sample -> edge.equals(sample.get(0))),
            "a sample at " + edge);
      }
    }
    assertEquals(
        operations,
        intervals("READ-MODIFY-WRITE").stream().mapToLong(Histogram::getTotalCount).sum());
  }

  @Test
  void threadsThatAreThroughSaySo() throws Exception {
    try (var client = new Conducted(OPERATIONS)) {
      assertEquals("ready", client.heard());
      client.say("open");
      client.heard("opened");
      client.say("close"); // crosses, or comes first
      var answer = client.heard().split(" ");
      if (answer[0].equals("closed")) {
        client.say("open");
        client.heard("opened");
        answer = client.heard().split(" ");
      }
      assertEquals("finished", answer[0]);
      assertEquals(OPERATIONS, Long.parseLong(answer[2]));
      var file = client.ended();
      var turns = file.getList("turns", Document.class);
      assertEquals(Long.parseLong(answer[1]) / 1000.0, turns.get(turns.size() - 1).get("closed_s"));
    }
    assertEquals(0, end.correction.getAsInt());
  }

  @Test
  void threadsThatDieHaveSentWhatIsPendingAndAreThrough() throws Exception {
    var sent = new AtomicInteger();
    binding =
        () ->
            new MemoryDb() { // empty: each thread fails until it gives up
              @Override
              public void init() {
                ClientRecord.of(getProperties()).remainder(sent::incrementAndGet);
              }
            };
    try (var client = new Conducted(OPERATIONS)) {
      assertEquals("ready", client.heard());
      client.say("open");
      client.heard("opened");
      client.heard("finished");
      assertEquals(THREADS, sent.get());
      client.ended();
    }
    assertEquals(3, end.correction.getAsInt());
  }

  @Test
  void aParentThatIsGoneStopsTheClient() throws Exception {
    try (var client = new Conducted(Integer.MAX_VALUE)) {
      assertEquals("ready", client.heard());
      client.say("open");
      client.heard("opened");
      client.socket.close();
      var file = client.ended();
      assertEquals(1, file.getList("turns", Document.class).size());
    }
    assertEquals(3, end.correction.getAsInt());
  }

  @ParameterizedTest
  @ValueSource(strings = {"mark", "close", "OPEN", "", "open now", "é", "a line that never ends "})
  void whatTheParentCannotMeanStopsTheClient(String line) throws Exception {
    try (var client = new Conducted(Integer.MAX_VALUE)) {
      assertEquals("ready", client.heard());
      client.say(line.endsWith(" ") ? line.repeat(100) : line);
      var file = client.ended();
      assertEquals(new Document(), file.get("operations", Document.class));
    }
    assertEquals(3, end.correction.getAsInt());
  }

  @Test
  void aStopLetsWaitingThreadsGo() throws Exception {
    try (var client = new Conducted(Integer.MAX_VALUE)) {
      assertEquals("ready", client.heard());
      client.workload.requestStop(); // at the maximum execution time
      client.ended();
      assertTrue(client.heard().matches("finished \\d+ 0"));
    }
    assertEquals(0, end.correction.getAsInt());
  }

  @Test
  void withoutAParentThereIsNoClient() {
    var properties = properties("pressgauge.gate", folder.resolve("nobody").toString());
    var workload = new TextWorkload(end, known);
    var ended = assertThrows(IllegalStateException.class, () -> workload.init(properties));
    assertTrue(ended.getMessage().endsWith("2"), ended.getMessage());
  }
}
