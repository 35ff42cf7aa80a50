package pressgauge;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.PrintStream;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import org.HdrHistogram.SingleWriterRecorder;
import site.ycsb.Status;
import site.ycsb.measurements.OneMeasurement;
import site.ycsb.measurements.exporter.MeasurementsExporter;

/**
 * A series of latencies, measured, logged and told as YCSB's own of type hdrhistogram, but cheaper:
 * every thread records into a histogram of its own, where YCSB's threads contend for one, and
 * intervals are summed up in a plain histogram, where YCSB takes a lock for each of its counts.
 */
final class HdrSeries extends OneMeasurement {
  private static final int SIGNIFICANT_DIGITS = 3;

  /** What one thread has recorded. */
  private static final class Part {
    private final SingleWriterRecorder recorder = new SingleWriterRecorder(SIGNIFICANT_DIGITS);
    private Histogram interval;

    Histogram interval() {
      interval = recorder.getIntervalHistogram(interval);
      return interval;
    }
  }

  private final List<Part> parts = new CopyOnWriteArrayList<>();
  private final ThreadLocal<Part> own = ThreadLocal.withInitial(this::newPart);
  private final Map<Status, LongAdder> statuses = new ConcurrentHashMap<>();
  private final LongAdder successes = new LongAdder();
  private final Histogram total = new Histogram(SIGNIFICANT_DIGITS);
  private final List<Double> percentiles;
  private final PrintStream log;
  private final HistogramLogWriter logWriter;
  private final Intervals intervals;
  private long intervalStartMs;

  /**
   * @param properties YCSB's {@code hdrhistogram.*}
   * @throws UsageException if they are wrong or the log can't be written
   */
  HdrSeries(String name, Properties properties) {
    super(name);
    var settings = new Settings(properties);
    intervals = Intervals.of(properties);
    intervalStartMs = intervals.nowMs();
    percentiles = percentiles(settings.text("hdrhistogram.percentiles", "95,99"));
    if (settings.flag("hdrhistogram.fileoutput", false)) {
      log = open(settings.text("hdrhistogram.output.path", "") + name + ".hdr");
      logWriter = new HistogramLogWriter(log);
      logWriter.outputComment("[Logging for: " + name + "]");
      logWriter.outputLogFormatVersion();
      logWriter.outputStartTime(intervalStartMs);
      logWriter.setBaseTime(intervalStartMs);
      logWriter.outputLegend();
    } else {
      log = null;
      logWriter = null;
    }
    intervals.add(this::endInterval);
  }

  private static List<Double> percentiles(String text) {
    try {
      return List.of(text.split(",")).stream().map(Double::valueOf).toList();
    } catch (NumberFormatException e) {
      throw new UsageException("hdrhistogram.percentiles: " + text + " is no list of numbers");
    }
  }

  private static PrintStream open(String path) {
    try {
      return new PrintStream(path);
    } catch (FileNotFoundException e) {
      throw new UsageException("hdrhistogram.output.path: " + Reason.of(e));
    }
  }

  private Part newPart() {
    var part = new Part();
    parts.add(part);
    return part;
  }

  @Override
  public void measure(int latencyUs) {
    own.get().recorder.recordValue(latencyUs);
  }

  @Override
  public void reportStatus(Status status) {
    if (status == Status.OK) {
      successes.increment(); // hashing a status costs more than all the rest
    } else {
      statuses.computeIfAbsent(status, each -> new LongAdder()).increment();
    }
  }

  /** Ends an interval: logs it and tells it in one line. */
  @Override
  public String getSummary() {
    var interval = endIntervalNow();
    var decimal = new DecimalFormat("#.##", DecimalFormatSymbols.getInstance(Locale.ROOT));
    return String.format(
        "[%s: Count=%d, Max=%d, Min=%d, Avg=%s, 90=%d, 99=%d, 99.9=%d, 99.99=%d]",
        getName(),
        interval.getTotalCount(),
        interval.getMaxValue(),
        interval.getMinValue(),
        decimal.format(interval.getMean()),
        interval.getValueAtPercentile(90),
        interval.getValueAtPercentile(99),
        interval.getValueAtPercentile(99.9),
        interval.getValueAtPercentile(99.99));
  }

  private Histogram endIntervalNow() {
    synchronized (intervals) {
      return endInterval(intervals.nowMs());
    }
  }

  /** With the lock of the intervals held. */
  private Histogram endInterval(long nowMs) {
    var interval = new Histogram(SIGNIFICANT_DIGITS);
    parts.forEach(part -> interval.add(part.interval()));
    interval.setStartTimeStamp(intervalStartMs);
    interval.setEndTimeStamp(nowMs);
    intervalStartMs = nowMs;
    total.add(interval);
    boolean isIdle = intervals.areIdle() && interval.getTotalCount() == 0;
    if (logWriter != null && !isIdle) {
      logWriter.outputIntervalHistogram(interval);
    }
    return interval;
  }

  @Override
  public void exportMeasurements(MeasurementsExporter exporter) throws IOException {
    endIntervalNow();
    if (log != null) {
      log.close();
    }
    exporter.write(getName(), "Operations", total.getTotalCount());
    exporter.write(getName(), "AverageLatency(us)", total.getMean());
    exporter.write(getName(), "MinLatency(us)", total.getMinValue());
    exporter.write(getName(), "MaxLatency(us)", total.getMaxValue());
    for (double percentile : percentiles) {
      exporter.write(getName(), label(percentile), total.getValueAtPercentile(percentile));
    }
    if (successes.sum() > 0) {
      exporter.write(getName(), "Return=" + Status.OK.getName(), successes.sum());
    }
    for (var status : statuses.entrySet()) {
      exporter.write(getName(), "Return=" + status.getKey().getName(), status.getValue().sum());
    }
  }

  /** As YCSB labels the usual ones: 99th, but 99.9. */
  private static String label(double percentile) {
    boolean whole = percentile == Math.rint(percentile);
    var number = whole ? Long.toString((long) percentile) + "th" : Double.toString(percentile);
    return number + "PercentileLatency(us)";
  }
}
