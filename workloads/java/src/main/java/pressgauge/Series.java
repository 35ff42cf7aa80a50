package pressgauge;

import java.util.Map;
import java.util.Properties;
import site.ycsb.measurements.Measurements;
import site.ycsb.measurements.OneMeasurement;

/** YCSB's series of measurements, one per kind of operation. */
final class Series {
  private Series() {}

  /**
   * Opens a series before the threads start, if measurements are HDR histograms. YCSB opens it, and
   * its .hdr log, at the first measurement and without a lock: of two threads that arrive together
   * one truncates what the other has written. There is no public way to give YCSB a series.
   */
  static void open(String name, Properties properties) {
    if (!properties
        .getProperty(Measurements.MEASUREMENT_TYPE_PROPERTY, "hdrhistogram")
        .equals("hdrhistogram")) {
      return;
    }
    var interval = properties.getProperty(Measurements.MEASUREMENT_INTERVAL, "op");
    if (!interval.equals("intended")) {
      give("opToMesurementMap", name, name, properties);
    }
    if (!interval.equals("op")) {
      give("opToIntendedMesurementMap", name, "Intended-" + name, properties);
    }
  }

  private static void give(String map, String operation, String name, Properties properties) {
    try {
      var field = Measurements.class.getDeclaredField(map);
      field.setAccessible(true);
      @SuppressWarnings("unchecked")
      var series = (Map<String, OneMeasurement>) field.get(Measurements.getMeasurements());
      series.computeIfAbsent(operation, each -> new HdrSeries(name, properties));
    } catch (ReflectiveOperationException e) {
      throw new UsageException("can't open the series " + name + ": " + Reason.of(e));
    }
  }
}
