package pressgauge;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import site.ycsb.Client;

/**
 * The records a verification looks at: all that should exist, or a sample spread evenly over them.
 *
 * @param ranges the record numbers that have been inserted
 * @param absent those that have been deleted since, ascending; all within the first range
 * @param expected how many there should be
 * @param count how many of them are looked at
 */
record Records(List<Range> ranges, int[] absent, int expected, int count) {
  /** Record numbers {@code first} to {@code first + count - 1}. */
  record Range(int first, int count) {}

  /** From verify.documents, verify.ranges, verify.absent and verify.sample. */
  static Records of(Settings settings) {
    int loaded = settings.count(Client.RECORD_COUNT_PROPERTY, 0, 0, Integer.MAX_VALUE);
    var ranges = new ArrayList<Range>();
    ranges.add(new Range(0, settings.count("verify.documents", loaded, 1, Integer.MAX_VALUE)));
    var more = settings.text("verify.ranges", "");
    for (var range : more.isEmpty() ? new String[0] : more.split(",")) {
      ranges.add(range(range.strip()));
    }
    var absent =
        settings.list("verify.absent").stream()
            .flatMapToInt(text -> absent(text, settings, loaded))
            .sorted()
            .toArray();
    int inserted = ranges.stream().mapToInt(Range::count).reduce(0, Math::addExact);
    int expected = inserted - absent.length;
    int sample = settings.count("verify.sample", 0, 0, Integer.MAX_VALUE);
    int count = sample == 0 ? expected : Math.min(sample, expected);
    return new Records(List.copyOf(ranges), absent, expected, count);
  }

  /** The records that a client has deleted, and that did not come back. */
  private static IntStream absent(String text, Settings settings, int loaded) {
    try {
      var parts = Stream.of(text.split(":")).mapToInt(Integer::parseInt).toArray();
      var partition = new Partition(parts[0], parts[1], 0, loaded);
      var population = new Population(partition, settings.number("pressgauge.seed"), 0, 0);
      return IntStream.range(parts[2], parts[3]).map(n -> (int) population.record(n));
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      throw new UsageException(
          "verify.absent: " + text + " is not client:clients:restored:deleted");
    }
  }

  private static Range range(String text) {
    var parts = text.split(":");
    try {
      return new Range(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      throw new UsageException("verify.ranges: " + text + " is not first:count");
    }
  }

  boolean isSample() {
    return count < expected;
  }

  /** How many absent records lie before the n-th that is not absent. */
  private int absentBefore(int n) {
    int least = 0;
    int most = absent.length;
    while (least < most) {
      int middle = (least + most) >>> 1;
      if (absent[middle] - middle <= n) {
        least = middle + 1;
      } else {
        most = middle;
      }
    }
    return least;
  }

  /** The record number of the i-th that is looked at, i in 0..count-1. */
  int at(int i) {
    long skip = (long) i * expected / count;
    skip += absentBefore((int) skip);
    for (var range : ranges) {
      if (skip < range.count) {
        return (int) (range.first + skip);
      }
      skip -= range.count;
    }
    throw new IndexOutOfBoundsException(i);
  }
}
