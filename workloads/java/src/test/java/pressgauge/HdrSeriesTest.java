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
import java.util.Properties;
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
  void whatIsWrongIsSaid() throws Exception {
    properties.setProperty("hdrhistogram.output.path", folder.resolve("none/x.").toString());
    var refusal = assertThrows(UsageException.class, () -> new HdrSeries("READ", properties));
    assertTrue(refusal.getMessage().startsWith("hdrhistogram.output.path: "));
    assertEquals(0, Files.list(folder).count());
    properties.setProperty("hdrhistogram.percentiles", "many");
    assertThrows(UsageException.class, () -> new HdrSeries("READ", properties));
  }
}
