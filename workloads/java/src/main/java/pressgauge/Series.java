package pressgauge;

import java.util.List;
import java.util.Properties;
import site.ycsb.measurements.Measurements;

/** YCSB's series of measurements, one per kind of operation. */
final class Series {
  private Series() {}

  /**
   * Opens a series before the threads start. YCSB opens it, and its .hdr log, at the first
   * measurement and without a lock: of two threads that arrive together one truncates what the
   * other has written. There is no public way to open a series without measuring something.
   */
  static void open(String name, Properties properties) {
    for (var getter : getters(properties.getProperty(Measurements.MEASUREMENT_INTERVAL, "op"))) {
      try {
        var method = Measurements.class.getDeclaredMethod(getter, String.class);
        method.setAccessible(true);
        method.invoke(Measurements.getMeasurements(), name);
      } catch (ReflectiveOperationException e) {
        throw new UsageException("can't open the series " + name + ": " + Reason.of(e));
      }
    }
  }

  private static List<String> getters(String interval) {
    return switch (interval) {
      case "both" -> List.of("getOpMeasurement", "getOpIntendedMeasurement");
      case "intended" -> List.of("getOpIntendedMeasurement");
      default -> List.of("getOpMeasurement");
    };
  }
}
