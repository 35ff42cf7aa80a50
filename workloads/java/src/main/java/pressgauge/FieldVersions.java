package pressgauge;

import java.util.Arrays;

/**
 * The versions that read-modify-writes give to one field of one record. Of writes that overlap
 * nobody but the database knows which came last, so the stored version is known to lie in a range:
 * it can't be that of a write that had ended before another one began which was acknowledged. A
 * write that failed may still come true; it overlaps all that begin after it.
 */
final class FieldVersions {
  private long least = -1;
  private long highest = -1;
  private long[] pending = new long[2]; // ascending, since each is drawn above those before it
  private long[] oldestThen = new long[2];
  private int count;

  /** The lowest version that may be stored; -1 if nothing has been written yet. */
  synchronized long least() {
    return least;
  }

  /**
   * The version for a write that begins now.
   *
   * @param read the version that was read before
   */
  synchronized long draw(long read) {
    if (highest < 0) {
      least = read;
    }
    highest = Math.max(highest, read) + 1;
    if (count == pending.length) {
      pending = Arrays.copyOf(pending, 2 * count);
      oldestThen = Arrays.copyOf(oldestThen, 2 * count);
    }
    pending[count] = highest;
    oldestThen[count] = pending[0];
    count++;
    return highest;
  }

  /** Tells that the write of a version was acknowledged; of one that failed nothing is told. */
  synchronized void acknowledge(long version) {
    int at = Arrays.binarySearch(pending, 0, count, version);
    least = Math.max(least, oldestThen[at]);
    count--;
    System.arraycopy(pending, at + 1, pending, at, count - at);
    System.arraycopy(oldestThen, at + 1, oldestThen, at, count - at);
  }

  /** By how much the stored version may lie below the highest; 0 if it is known. */
  synchronized long unsettled() {
    return highest - least;
  }
}
