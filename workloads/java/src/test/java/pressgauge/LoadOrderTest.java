package pressgauge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoadOrderTest {
  @ParameterizedTest
  @CsvSource({"1000,1,100", "1000,4,100", "1003,4,100", "399,4,100", "7,4,1", "10,3,2", "250,4,64"})
  void eachRecordIsLoadedOnce(int records, int threads, int batch) {
    var order = new LoadOrder(5, records, batch);
    var loaded = new HashSet<Long>();
    for (int thread = 0; thread < threads; thread++) {
      int share = records / threads + (thread < records % threads ? 1 : 0);
      for (int done = 0; done < share; done++) {
        assertTrue(loaded.add(order.record(thread, threads, done)));
      }
    }
    assertEquals(records, loaded.size());
    assertTrue(loaded.stream().allMatch(record -> record >= 5 && record < 5 + records));
  }

  @Test
  void aBatchHoldsNeighbours() {
    var order = new LoadOrder(0, 1000, 100);
    assertEquals(300, order.record(3, 4, 0));
    assertEquals(399, order.record(3, 4, 99));
    assertEquals(700, order.record(3, 4, 100));
  }
}
