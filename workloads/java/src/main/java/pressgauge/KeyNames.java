package pressgauge;

import site.ycsb.Utils;
import site.ycsb.workloads.CoreWorkload;

/** The key names that YCSB gives to record numbers. */
final class KeyNames implements Keys {
  private static final String PREFIX = "user";

  private final boolean hashed;
  private final int padding;

  KeyNames(Settings settings) {
    var order = settings.text(CoreWorkload.INSERT_ORDER_PROPERTY, "hashed");
    hashed = order.equals("hashed");
    padding =
        settings.count(
            CoreWorkload.ZERO_PADDING_PROPERTY, 1, 1, Long.toString(Long.MAX_VALUE).length());
  }

  @Override
  public String of(long recordNumber) {
    var digits = Long.toString(number(recordNumber));
    return PREFIX + "0".repeat(Math.max(0, padding - digits.length())) + digits;
  }

  @Override
  public long number(long recordNumber) {
    return hashed ? Utils.hash(recordNumber) : recordNumber;
  }

  @Override
  public long number(String key) {
    if (!key.startsWith(PREFIX)) {
      return -1;
    }
    try {
      return Long.parseUnsignedLong(key, PREFIX.length(), key.length(), 10);
    } catch (NumberFormatException e) {
      return -1;
    }
  }
}
