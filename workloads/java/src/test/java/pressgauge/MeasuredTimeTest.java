package pressgauge;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MeasuredTimeTest {
  private static final long SECOND_NS = 1_000_000_000L;
  private final AtomicLong operations = new AtomicLong();

  /**
   * The second at which a phase ends whose warm-up is 5 s and 1,000 operations, and that is
   * measured for 20 s.
   */
  private long endsAt(long perS) {
    var properties = new Properties();
    properties.setProperty("pressgauge.warmupseconds", "5");
    properties.setProperty("pressgauge.warmupoperations", "1000");
    properties.setProperty(MeasuredTime.PROPERTY, "20");
    var time = new MeasuredTime(new Settings(properties), operations::get);
    for (long second = 0; second < 1_000; second++) {
      operations.set(perS * second);
      if (time.isOver(second * SECOND_NS)) {
        return second;
      }
    }
    return -1;
  }

  @Test
  void aFastClientIsWarmAfterItsSeconds() {
    assertEquals(25, endsAt(10_000));
  }

  @Test
  void aSlowOneAfterItsOperations() {
    assertEquals(30, endsAt(100));
    assertEquals(120, endsAt(10));
  }

  @Test
  void oneThatDoesNothingIsNeverWarm() {
    assertEquals(-1, endsAt(0));
  }
}
