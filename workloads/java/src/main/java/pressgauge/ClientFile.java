package pressgauge;

import com.mongodb.internal.build.MongoDriverVersion;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;
import java.util.function.LongSupplier;
import org.bson.Document;

/**
 * The client's account of itself ({@code pressgauge.clientfile}): what its {@link ClientRecord}
 * holds, the JVM's CPU time and collections, and both once a second and at the edges of turns, so
 * that a reader can leave warm-up out.
 */
final class ClientFile {
  private static final int FORMAT_VERSION = 1;
  private static final long INTERVAL_MS = 1000;

  private final Timer timer = new Timer("client samples", true);
  private final List<List<Number>> samples = new ArrayList<>();
  private final Intervals intervals;
  private final LongSupplier operations;
  private final long startNs = System.nanoTime();
  private final double startCpuS = cpuS();

  /**
   * Begins to sample.
   *
   * @param intervals whose cuts are sampled, too
   * @param operations the operations attempted so far
   */
  ClientFile(Intervals intervals, LongSupplier operations) {
    this.intervals = intervals;
    this.operations = operations;
    var sample =
        new TimerTask() {
          @Override
          public void run() {
            sampleNow();
          }
        };
    intervals.add(this::sample);
    timer.scheduleAtFixedRate(sample, 0, INTERVAL_MS);
  }

  private void sampleNow() {
    synchronized (intervals) {
      sample(intervals.nowMs());
    }
  }

  /** With the lock of the intervals held: samples are in order of time. */
  private void sample(long nowMs) {
    samples.add(
        List.of(nowMs / 1000.0, operations.getAsLong(), cpuS() - startCpuS, collectionMs()));
  }

  /**
   * Ends sampling and writes the file.
   *
   * @param targetPerS the offered load; 0 if it was unbounded
   * @param facts the caller's own fields
   */
  void write(Path file, double targetPerS, Map<String, Object> facts) throws IOException {
    timer.cancel();
    sampleNow();
    double durationS = (System.nanoTime() - startNs) / 1e9;
    var document = new Document("format_version", FORMAT_VERSION);
    document.putAll(facts);
    document
        .append("duration_s", durationS)
        .append("target_per_s", targetPerS == 0 ? null : targetPerS)
        .append("achieved_per_s", operations.getAsLong() / durationS)
        .append("cpu_s", cpuS() - startCpuS)
        .append("gc", collections())
        .append("cores", Runtime.getRuntime().availableProcessors())
        .append("jvm", jvm())
        .append("driver_version", MongoDriverVersion.VERSION)
        .append("sample_columns", List.of("at_s", "operations", "cpu_s", "gc_ms"))
        .append("samples", sampled());
    Files.writeString(file, document.toJson() + "\n");
  }

  /** All samples: the timer may just be taking one, although it has been ended. */
  private List<List<Number>> sampled() {
    synchronized (intervals) {
      return List.copyOf(samples);
    }
  }

  private static Document jvm() {
    var runtime = ManagementFactory.getRuntimeMXBean();
    return new Document("version", Runtime.version().toString())
        .append("vendor", runtime.getVmVendor())
        .append("arguments", runtime.getInputArguments())
        .append("max_heap_bytes", Runtime.getRuntime().maxMemory());
  }

  private static Document collections() {
    var collectors = ManagementFactory.getGarbageCollectorMXBeans();
    long count = collectors.stream().mapToLong(GarbageCollectorMXBean::getCollectionCount).sum();
    return new Document("count", count)
        .append("total_ms", collectionMs())
        .append("collectors", collectors.stream().map(GarbageCollectorMXBean::getName).toList());
  }

  private static long collectionMs() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .mapToLong(GarbageCollectorMXBean::getCollectionTime)
        .sum();
  }

  /** Of the whole process, all its threads: compiler and collector too. */
  static double cpuS() {
    var system = ManagementFactory.getOperatingSystemMXBean();
    return ((com.sun.management.OperatingSystemMXBean) system).getProcessCpuTime() / 1e9;
  }
}
