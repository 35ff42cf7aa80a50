package pressgauge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Properties;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SkewTest {
  private static final int DRAWS = 200_000;

  private static Draws draws(long index) {
    return new Draws() {
      private int purpose;

      @Override
      public long next() {
        return ValueFunction.draw(42, index, purpose++, 7);
      }
    };
  }

  private static int[] counts(Skew skew, int n) {
    var counts = new int[n];
    for (long index = 0; index < DRAWS; index++) {
      counts[skew.rank(draws(index), n)]++;
    }
    return counts;
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.3, 0.99, 1, 1.4, 3})
  void zipfianSharesAreThoseOfItsExponent(double exponent) {
    int n = 1000;
    double sum = IntStream.rangeClosed(1, n).mapToDouble(rank -> Math.pow(rank, -exponent)).sum();
    var counts = counts(new Skew.Zipfian(exponent), n);
    for (int rank : new int[] {0, 1, 2, 9, 99, 999}) {
      double expected = DRAWS * Math.pow(rank + 1, -exponent) / sum;
      assertEquals(expected, counts[rank], 5 * Math.sqrt(expected) + 1, "rank " + rank);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void fewRanksAreAllReached(int n) {
    for (int count : counts(new Skew.Zipfian(0.99), n)) {
      assertTrue(count > 0);
    }
  }

  @Test
  void piecesHaveTheirShares() {
    var pieces = new Skew.Pieces(new double[] {0.01, 0.1, 1}, new double[] {0.5, 0.8, 1});
    var counts = counts(pieces, 1000);
    assertEquals(0.5, IntStream.of(counts).limit(10).sum() / (double) DRAWS, 0.01);
    assertEquals(0.3, IntStream.of(counts).skip(10).limit(90).sum() / (double) DRAWS, 0.01);
    assertEquals(0.2, IntStream.of(counts).skip(100).sum() / (double) DRAWS, 0.01);
  }

  @ParameterizedTest
  @CsvSource({"1", "2", "3", "7", "64", "1000", "65537"})
  void aPermutationReachesEachPlaceOnce(int n) {
    var order = new Permutation(42, n);
    var reached = new boolean[n];
    for (int place = 0; place < n; place++) {
      int at = order.at(place);
      assertEquals(place, order.placeOf(at));
      reached[at] = true;
    }
    assertTrue(IntStream.range(0, n).allMatch(at -> reached[at]));
  }

  private static RecordChoice choice(int client, int clients, String... more) {
    var properties = new Properties();
    for (int i = 0; i < more.length; i += 2) {
      properties.setProperty(more[i], more[i + 1]);
    }
    return RecordChoice.of(new Settings(properties), new Partition(client, clients, 0, 1000), 42);
  }

  @Test
  void clientsShareTheirHotKeys() {
    var skewed = new String[] {"pressgauge.keys", "zipfian", "pressgauge.keys.exponent", "0.99"};
    var one = choice(0, 1, skewed);
    var third = choice(2, 3, skewed);
    for (long index = 0; index < 100; index++) {
      assertEquals(one.key(draws(index), 999), third.key(draws(index), 999));
    }
  }

  @Test
  void uniformKeysAreTheClientsOwn() {
    var third = choice(2, 3);
    for (long index = 0; index < 100; index++) {
      assertEquals(2, third.key(draws(index), 999) % 3);
    }
  }

  @Test
  void theLatestAreTheHottest() {
    var latest = choice(0, 1, "pressgauge.keys", "latest", "pressgauge.keys.exponent", "1.2");
    var hits = IntStream.range(0, 1000).filter(i -> latest.key(draws(i), 5000) > 4990).count();
    assertTrue(hits > 400, hits + " of 1000");
  }

  @ParameterizedTest
  @CsvSource({"0.1", "0.1:x", "0.2:0.5;0.1:0.6", "0:0.5", "1.5:0.9"})
  void sharesThatDoNotRiseAreRefused(String shares) {
    var given = shares.replace(';', ',');
    assertThrows(
        UsageException.class,
        () -> choice(0, 1, "pressgauge.keys", "measured", "pressgauge.keys.shares", given));
  }
}
