package pressgauge;

import java.util.Arrays;

/**
 * How a mix of one's own chooses records. Ranks are scattered over the records, as YCSB's scrambled
 * distributions are, but each rank to a record of its own, so that shares are exactly those asked
 * for. With {@code latest} the ranks count back from the newest record.
 *
 * <p>Properties: {@code pressgauge.keys} (uniform, zipfian, latest, hotspot or measured), {@code
 * pressgauge.keys.exponent} of zipfian and latest, {@code pressgauge.keys.data} and {@code
 * pressgauge.keys.operations} of a hotspot, {@code pressgauge.keys.shares} of measured ones ({@code
 * 0.001:0.31,0.01:0.52}: the first ‰ of the ranks has 31 % of the operations, ...).
 *
 * @param own whether only the client's own records are chosen, all alike
 */
record RecordChoice(
    Skew skew, boolean latest, boolean own, Partition partition, Permutation ranks) {
  static final String PROPERTY = "pressgauge.keys";

  static RecordChoice of(Settings settings, Partition partition, long seed) {
    var name = settings.text(PROPERTY, "uniform");
    var skew =
        switch (name) {
          case "uniform" -> Skew.Pieces.UNIFORM;
          case "zipfian", "latest" -> new Skew.Zipfian(exponent(settings));
          case "hotspot" -> pieces(PROPERTY, hotspot(settings));
          case "measured" -> pieces(PROPERTY + ".shares", settings.text(PROPERTY + ".shares"));
          default -> throw new UsageException(PROPERTY + ": no distribution is called " + name);
        };
    var ranks = new Permutation(~seed, partition.records());
    var uniform = name.equals("uniform");
    return new RecordChoice(skew, name.equals("latest"), uniform, partition, ranks);
  }

  private static double exponent(Settings settings) {
    return settings.rate(PROPERTY + ".exponent", 10);
  }

  private static String hotspot(Settings settings) {
    var data = settings.share(PROPERTY + ".data", "0.2");
    return data + ":" + settings.share(PROPERTY + ".operations", "0.8");
  }

  private static Skew pieces(String property, String shares) {
    var pieces = shares.split(",");
    var ranks = new double[pieces.length + 1];
    var operations = new double[pieces.length + 1];
    Arrays.fill(ranks, 1);
    Arrays.fill(operations, 1);
    try {
      for (int i = 0; i < pieces.length; i++) {
        var piece = pieces[i].split(":");
        ranks[i] = Double.parseDouble(piece[0]);
        operations[i] = Double.parseDouble(piece[1]);
        boolean ascends = i == 0 || (ranks[i] > ranks[i - 1] && operations[i] >= operations[i - 1]);
        if (!ascends
            || !(ranks[i] > 0 && ranks[i] < 1 && operations[i] >= 0 && operations[i] <= 1)) {
          throw new UsageException(property + ": " + shares + " does not ascend from 0 to 1");
        }
      }
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      throw new UsageException(property + ": " + shares + " is not records:operations, ...");
    }
    return new Skew.Pieces(ranks, operations);
  }

  /**
   * The key of a record.
   *
   * @param newest the highest key there is
   */
  long key(Draws draws, long newest) {
    if (own) {
      return partition.record(draws.below(partition.size()));
    }
    if (latest) {
      return newest - skew.rank(draws, (int) Math.min(Integer.MAX_VALUE, newest + 1));
    }
    return partition.first() + ranks.at(skew.rank(draws, partition.records()));
  }
}
