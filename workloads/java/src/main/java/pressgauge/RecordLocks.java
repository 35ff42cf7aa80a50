package pressgauge;

import java.util.concurrent.locks.ReentrantLock;

/**
 * Locks for records, held from a read-modify-write's read to its write: two of one record would
 * otherwise write the same version, and one of them would be lost unseen. A compare-and-set filter
 * would do, too, but takes mongod off its path for plain {@code _id} queries and so measures
 * another thing.
 *
 * <p>Records share locks; there are so many that threads hardly ever wait for another's record.
 */
final class RecordLocks {
  private static final int STRIPES = 1 << 14;

  private final ReentrantLock[] locks = new ReentrantLock[STRIPES];

  RecordLocks() {
    for (int i = 0; i < STRIPES; i++) {
      locks[i] = new ReentrantLock();
    }
  }

  ReentrantLock of(long recordNumber) {
    return locks[(int) recordNumber & (STRIPES - 1)];
  }
}
