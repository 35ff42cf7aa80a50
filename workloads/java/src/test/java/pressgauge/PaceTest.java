package pressgauge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class PaceTest extends WorkloadRunner {
  @Test
  void threadsShareAnEvenPace() {
    var due = new TreeSet<Long>();
    for (int thread = 0; thread < 4; thread++) {
      var pace = Pace.of(8, thread, 4);
      for (int operation = 0; operation < 3; operation++) {
        due.add(pace.dueNs(operation));
      }
    }
    assertEquals(12, due.size());
    long expectedNs = 0;
    for (long dueNs : due) {
      assertEquals(expectedNs, dueNs);
      expectedNs += 125_000_000;
    }
  }

  @Test
  void aPaceMayBeSlowerThanOneASecond() {
    assertEquals(4_000_000_000_000L, Pace.of(0.25, 0, 1).dueNs(1000));
  }

  @Test
  void aPhaseKeepsItsPaceAndTellsIt() throws Exception {
    var file = run(loaded(), 2, false, "pressgauge.pace", "2000.5");

    assertEquals(2000.5, file.getDouble("target_per_s"));
    assertTrue(
        file.getDouble("duration_s") >= (OPERATIONS - 1) / 2000.5,
        "an operation came before it was due");
    assertEquals(0, end.correction.getAsInt());
  }
}
