package pressgauge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PopulationTest {
  private static final int RECORDS = 30;

  private static Population population(int client, int clients, int deleted, int restored) {
    var partition = new Partition(client, clients, 0, RECORDS);
    return new Population(partition, 42, deleted, restored);
  }

  private static Set<Long> absent(Population population) {
    var absent = new HashSet<Long>();
    LongStream.range(0, RECORDS).filter(r -> population.life(r) < 0).forEach(absent::add);
    return absent;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void deletedRecordsAreAbsentUntilTheyComeBack(int clients) {
    var population = population(clients - 1, clients, 0, 0);
    var gone = new HashSet<Long>();
    var random = new Random(7);
    for (int step = 0; step < 500; step++) {
      boolean deletes = random.nextBoolean();
      long number = deletes ? population.beginDeletion() : population.beginRestoration();
      if (number < 0) {
        assertEquals(deletes ? RECORDS / clients / 2 : 0, gone.size());
        continue;
      }
      long record = population.record(number);
      assertEquals(clients - 1, record % clients);
      assertEquals(-1, population.life(record), "it is in between");
      if (deletes) {
        assertTrue(gone.add(record), "it was there");
        population.endDeletion(number);
      } else {
        assertTrue(gone.remove(record), "it was gone");
        population.endRestoration(number);
      }
      assertEquals(gone, absent(population));
    }
    var later =
        population(clients - 1, clients, (int) population.deleted(), (int) population.restored());
    assertEquals(gone, absent(later));
  }

  @Test
  void aRecordThatCameBackHasAnotherLife() {
    var population = population(0, 1, 0, 0);
    long number = population.beginDeletion();
    long record = population.record(number);
    population.endDeletion(number);
    population.endRestoration(population.beginRestoration());
    assertEquals(1, population.life(record));
  }

  @Test
  void aHeldRecordIsNotDeleted() throws InterruptedException {
    var population = population(0, 1, 0, 0);
    long first = population.record(0);
    assertTrue(population.hold(first));
    assertFalse(population.hold(first));
    var deleted = new long[] {-1};
    var deletes = new Thread(() -> deleted[0] = population.beginDeletion());
    deletes.start();
    while (population.life(first) >= 0) {
      Thread.yield();
    }
    assertEquals(-1, deleted[0]);
    population.release(first);
    deletes.join();
    assertEquals(0, deleted[0]);
    assertFalse(population.hold(first), "it is being deleted");
  }

  @Test
  void numbersEndInOrderWhateverTheOrderInWhichTheyEnd() {
    var sequence = new Sequence(5);
    assertEquals(5, sequence.begin(8));
    assertEquals(6, sequence.begin(8));
    assertEquals(7, sequence.begin(8));
    assertEquals(-1, sequence.begin(8));
    sequence.end(6);
    assertEquals(5, sequence.ended());
    sequence.end(5);
    assertEquals(7, sequence.ended());
  }

  /** What the verification derives from two numbers of each client. */
  @Test
  void theVerificationKnowsWhichRecordsAreAbsent() {
    var properties = new Properties();
    properties.setProperty("recordcount", Integer.toString(RECORDS));
    properties.setProperty("pressgauge.seed", "42");
    properties.setProperty("verify.ranges", "100:5");
    properties.setProperty("verify.absent", "0:2:1:4,1:2:0:2");
    var records = Records.of(new Settings(properties));
    assertEquals(RECORDS + 5 - 5, records.expected());
    var there = new HashSet<Long>();
    for (int i = 0; i < records.count(); i++) {
      there.add((long) records.at(i));
    }
    var expected = new HashSet<Long>();
    LongStream.range(0, RECORDS).forEach(expected::add);
    LongStream.range(100, 105).forEach(expected::add);
    expected.removeAll(absent(population(0, 2, 4, 1)));
    expected.removeAll(absent(population(1, 2, 2, 0)));
    assertEquals(expected, there);
  }
}
