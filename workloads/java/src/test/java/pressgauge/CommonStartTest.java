package pressgauge;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class CommonStartTest {
  @Test
  void aMomentIsWaitedFor() {
    long moment = System.currentTimeMillis() + 200;
    CommonStart.await(startingAt(moment));
    assertTrue(System.currentTimeMillis() >= moment);
  }

  @Test
  void aMomentThatNoHarnessMeansIsRefused() {
    var inFiveHours = startingAt(System.currentTimeMillis() + Duration.ofHours(5).toMillis());
    var refusal =
        assertTimeoutPreemptively(
            Duration.ofMinutes(1),
            () -> assertThrows(UsageException.class, () -> CommonStart.await(inFiveHours)));
    assertTrue(refusal.getMessage().contains("clocks"), refusal.getMessage());
  }

  private static Settings startingAt(long unixMs) {
    var properties = new Properties();
    properties.setProperty("pressgauge.startat", Long.toString(unixMs));
    return new Settings(properties);
  }
}
