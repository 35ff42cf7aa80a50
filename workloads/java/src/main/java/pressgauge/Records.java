package pressgauge;

import java.util.ArrayList;
import java.util.List;
import site.ycsb.Client;

/**
 * The records a verification looks at: all that should exist, or a sample spread evenly over them.
 *
 * @param ranges the record numbers that should exist
 * @param expected how many they are
 * @param count how many of them are looked at
 */
record Records(List<Range> ranges, int expected, int count) {
  /** Record numbers {@code first} to {@code first + count - 1}. */
  record Range(int first, int count) {}

  /** From verify.documents, verify.ranges and verify.sample. */
  static Records of(Settings settings) {
    int loaded = settings.count(Client.RECORD_COUNT_PROPERTY, 0, 0, Integer.MAX_VALUE);
    var ranges = new ArrayList<Range>();
    ranges.add(new Range(0, settings.count("verify.documents", loaded, 1, Integer.MAX_VALUE)));
    var more = settings.text("verify.ranges", "");
    for (var range : more.isEmpty() ? new String[0] : more.split(",")) {
      ranges.add(range(range.strip()));
    }
    int expected = ranges.stream().mapToInt(Range::count).reduce(0, Math::addExact);
    int sample = settings.count("verify.sample", 0, 0, Integer.MAX_VALUE);
    int count = sample == 0 ? expected : Math.min(sample, expected);
    return new Records(List.copyOf(ranges), expected, count);
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

  /** The record number of the i-th that is looked at, i in 0..count-1. */
  int at(int i) {
    long skip = (long) i * expected / count;
    for (var range : ranges) {
      if (skip < range.count) {
        return (int) (range.first + skip);
      }
      skip -= range.count;
    }
    throw new IndexOutOfBoundsException(i);
  }
}
