package pressgauge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FieldVersionsTest {
  private final FieldVersions versions = new FieldVersions();

  @Test
  void oneWriteAfterAnotherLeavesNoDoubt() {
    for (long version = 8; version < 20; version++) {
      assertEquals(version, versions.draw(version - 1));
      versions.acknowledge(version);
      assertEquals(version, versions.least());
      assertEquals(0, versions.unsettled());
    }
  }

  @Test
  void ofWritesThatOverlapEitherMayBeTheLast() {
    versions.draw(4);
    versions.draw(4);
    versions.acknowledge(6);
    versions.acknowledge(5);
    assertEquals(5, versions.least());
    assertEquals(1, versions.unsettled());

    versions.acknowledge(versions.draw(5));

    assertEquals(7, versions.least());
    assertEquals(0, versions.unsettled());
  }

  @Test
  void aWriteThatFailedStaysPossibleForEver() {
    versions.acknowledge(versions.draw(0));
    versions.draw(1);
    assertEquals(1, versions.least());
    assertEquals(1, versions.unsettled());

    versions.acknowledge(versions.draw(1));

    assertEquals(2, versions.least());
    assertEquals(1, versions.unsettled());
  }

  /** A database that takes each write at some moment between its beginning and its end. */
  @ParameterizedTest
  @ValueSource(ints = {2, 5, 30})
  void whatIsStoredIsAlwaysWithinBounds(int most) {
    var random = new Random(7);
    record Pending(long version, boolean applied) {}
    var pending = new ArrayList<Pending>();
    long stored = 3;
    boolean low = false;
    for (int step = 0; step < 20_000; step++) {
      int at = pending.isEmpty() ? 0 : random.nextInt(pending.size());
      if (pending.isEmpty() || pending.size() < most && random.nextInt(3) == 0) {
        pending.add(new Pending(versions.draw(stored), false));
      } else if (!pending.get(at).applied()) {
        stored = pending.get(at).version();
        pending.set(at, new Pending(stored, true));
      } else {
        versions.acknowledge(pending.remove(at).version());
      }
      assertTrue(versions.least() <= stored, "step " + step);
      low |= stored == versions.least() && versions.unsettled() > 0 && pending.isEmpty();
    }
    assertTrue(low, "the bound is never reached");
  }
}
