package pressgauge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import site.ycsb.Status;
import site.ycsb.measurements.OneMeasurement;
import site.ycsb.measurements.OneMeasurementHdrHistogram;
import site.ycsb.measurements.exporter.JSONArrayMeasurementsExporter;

class HdrSeriesTest {
  @TempDir private Path folder;
  private final Properties properties = new Properties();

  @BeforeEach
  void logIntoTheFolder() {
    properties.setProperty("hdrhistogram.fileoutput", "true");
    properties.setProperty("hdrhistogram.output.path", folder.resolve("x.").toString());
    properties.setProperty("hdrhistogram.percentiles", "50,95,99.9");
  }

  private static String exported(OneMeasurement series) throws Exception {
    var out = new ByteArrayOutputStream();
    try (var exporter = new JSONArrayMeasurementsExporter(out)) {
      series.exportMeasurements(exporter);
    }
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void itSaysWhatYcsbsOwnSeriesSays() throws Exception {
    var ours = new HdrSeries("READ", properties);
    properties.setProperty("hdrhistogram.output.path", folder.resolve("y.").toString());
    var theirs = new OneMeasurementHdrHistogram("READ", properties);
    for (var series : new OneMeasurement[] {ours, theirs}) {
      for (int latencyUs = 1; latencyUs < 100_000; latencyUs += 7) {
        series.measure(latencyUs);
        series.reportStatus(Status.OK);
      }
    }

    assertEquals(theirs.getSummary(), ours.getSummary());
    assertEquals(
        theirs.getSummary(), ours.getSummary(), "of an interval in which nothing happened");
    assertEquals(exported(theirs), exported(ours));
  }

  @Test
  void statusesAreCounted() throws Exception {
    var series = new HdrSeries("READ", properties);
    series.reportStatus(Status.NOT_FOUND);
    series.reportStatus(new Status("ERROR_1", "one"));
    series.reportStatus(new Status("ERROR_1", "one"));

    var told = exported(series).replaceAll("\\s", "");

    assertTrue(told.contains("\"Return=NOT_FOUND\",\"value\":1}"), told);
    assertTrue(told.contains("\"Return=ERROR_1\",\"value\":2}"), told);
    assertFalse(told.contains("Return=OK"), told);
  }

  @Test
  void intervalsHoldAllThatThreadsRecordedEachOnce() throws Exception {
    var series = new HdrSeries("READ", properties);
    var threads = new ArrayList<Thread>();
    for (int i = 1; i <= 4; i++) {
      int latencyUs = 100 * i;
      var thread =
          new Thread(
              () -> {
                for (int n = 0; n < 50_000; n++) {
                  series.measure(latencyUs);
                }
              });
      thread.start();
      threads.add(thread);
    }
    while (threads.stream().anyMatch(Thread::isAlive)) {
      series.getSummary();
    }
    exported(series);

    var log = folder.resolve("x.READ.hdr");
    var total = new Histogram(3);
    try (var reader = new HistogramLogReader(log.toFile())) {
      while (reader.hasNext()) {
        total.add((Histogram) reader.nextIntervalHistogram());
      }
    }
    assertEquals(200_000, total.getTotalCount());
    assertEquals(50_000, total.getCountAtValue(300));
    assertEachBeginsWhereTheLastEnded(log);
  }

  /** By the log's own decimals: its reader cuts doubles down to milliseconds, some one too low. */
  private static void assertEachBeginsWhereTheLastEnded(Path log) throws IOException {
    var lastEnd = new BigDecimal("0.000");
    for (var line : Files.readAllLines(log)) {
      if (Character.isDigit(line.charAt(0))) {
        var columns = line.split(",");
        assertEquals(lastEnd, new BigDecimal(columns[0]), line);
        lastEnd = lastEnd.add(new BigDecimal(columns[1]));
      }
    }
  }

  @Test
  void intervalsEndAtTheEdgesOfTurnsAndNoneIsIdle() throws Exception {
    var clockMs = new AtomicLong(1000);
    var intervals = new Intervals(clockMs::get, true);
    properties.put(Intervals.PROPERTY, intervals);
    var series = List.of(new HdrSeries("READ", properties), new HdrSeries("UPDATE", properties));
    for (long startMs : new long[] {5000, 20_000}) {
      clockMs.set(startMs);
      intervals.begin();
      series.get(0).measure(100);
      clockMs.set(startMs + 600);
      intervals.cut();
      clockMs.set(startMs + 1000);
      for (var each : series) {
        each.getSummary();
        clockMs.incrementAndGet();
      }
      series.get(1).measure(200);
      clockMs.set(startMs + 4000);
      intervals.end();
      clockMs.set(startMs + 4500);
      series.forEach(HdrSeries::getSummary);
    }
    series.get(1).measure(300); // what is sent late isn't lost
    clockMs.set(25_000);
    for (var each : series) {
      exported(each);
    }

    var ofReads = List.of("5.000-5.600:1", "5.600-6.000:0", "6.000-9.000:0");
    var ofLaterReads = List.of("20.000-20.600:1", "20.600-21.000:0", "21.000-24.000:0");
    assertEquals(concat(ofReads, ofLaterReads), intervals("x.READ.hdr"));
    var ofUpdates = List.of("5.000-5.600:0", "5.600-6.001:0", "6.001-9.000:1");
    var ofLaterUpdates =
        List.of("20.000-20.600:0", "20.600-21.001:0", "21.001-24.000:1", "24.500-25.000:1");
    assertEquals(concat(ofUpdates, ofLaterUpdates), intervals("x.UPDATE.hdr"));
  }

  private static List<String> concat(List<String> some, List<String> more) {
    return Stream.concat(some.stream(), more.stream()).toList();
  }

  /** As start-end:count in seconds of Unix time. */
  private List<String> intervals(String log) throws IOException {
    var found = new ArrayList<String>();
    try (var reader = new HistogramLogReader(folder.resolve(log).toFile())) {
      var lines = Files.readAllLines(folder.resolve(log)).iterator();
      while (reader.hasNext()) {
        var columns = lines.next().split(",");
        while (!Character.isDigit(columns[0].charAt(0))) {
          columns = lines.next().split(",");
        }
        var start = new BigDecimal(columns[0]).add(BigDecimal.ONE); // the logs begin at 1 s
        var count = ((Histogram) reader.nextIntervalHistogram()).getTotalCount();
        found.add(start + "-" + start.add(new BigDecimal(columns[1])) + ":" + count);
      }
    }
    return found;
  }

  @Test
  void whatIsWrongIsSaid() throws Exception {
    properties.setProperty("hdrhistogram.output.path", folder.resolve("none/x.").toString());
    var refusal = assertThrows(UsageException.class, () -> new HdrSeries("READ", properties));
    assertTrue(refusal.getMessage().startsWith("hdrhistogram.output.path: "));
    assertEquals(0, Files.list(folder).count());
    properties.setProperty("hdrhistogram.percentiles", "many");
    assertThrows(UsageException.class, () -> new HdrSeries("READ", properties));
  }
}
