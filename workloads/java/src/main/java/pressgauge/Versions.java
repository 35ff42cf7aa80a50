package pressgauge;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;

/**
 * The versions that a client's read-modify-writes give to fields. Any number of them may be at one
 * record at once, and none waits for another: the first one's version follows the one it read, and
 * those that overlap it take the versions after that. So the sum of the stored versions is the
 * number of writes, less what is {@link #unsettled}; and a read that finds a version below what
 * must be stored shows a write that is lost.
 *
 * <p>A compare-and-set filter would do as well, but takes mongod off its path for plain {@code _id}
 * queries and so measures another thing.
 */
final class Versions {
  /** A field that is in use, or whose stored version isn't known. */
  private static final class Used {
    private final FieldVersions versions = new FieldVersions();
    private int users; // guarded by the map, key by key
  }

  private final ConcurrentMap<Long, Used> fields = new ConcurrentHashMap<>();
  private final LongAdder written = new LongAdder();
  private final int fieldCount;
  private final BooleanSupplier readsShowWrites;

  /**
   * @param fieldCount of each record
   * @param readsShowWrites whether a read can be held to what has been written
   */
  Versions(int fieldCount, BooleanSupplier readsShowWrites) {
    this.fieldCount = fieldCount;
    this.readsShowWrites = readsShowWrites;
  }

  /** Begins a read-modify-write, before its read; to be ended whatever comes of it. */
  Write begin(long recordNumber, int[] places) {
    return new Write(recordNumber, places);
  }

  /** Versions given to writes, those that failed included. */
  long written() {
    return written.sum();
  }

  /**
   * How many of the written versions the stored ones may lack, because writes of one field were
   * under way at once, or failed, and none was acknowledged that had begun after them.
   */
  long unsettled() {
    return fields.values().stream().mapToLong(used -> used.versions.unsettled()).sum();
  }

  private long key(long recordNumber, int place) {
    return recordNumber * fieldCount + place;
  }

  /** What one read-modify-write does to its fields. */
  final class Write {
    private final long recordNumber;
    private final int[] places;
    private final Used[] used;
    private final long[] least;
    private final long[] drawn;

    private Write(long recordNumber, int[] places) {
      this.recordNumber = recordNumber;
      this.places = places;
      used = new Used[places.length];
      least = new long[places.length];
      drawn = new long[places.length];
      for (int i = 0; i < places.length; i++) {
        used[i] = fields.compute(key(recordNumber, places[i]), (key, there) -> enter(there));
        least[i] = used[i].versions.least();
      }
    }

    /** The lowest version that the read may find in its i-th field; 0 if that isn't known. */
    long least(int i) {
      return readsShowWrites.getAsBoolean() ? Math.max(0, least[i]) : 0;
    }

    /** The version to write to the i-th field, of which a version was read. */
    long next(int i, long read) {
      written.increment();
      drawn[i] = used[i].versions.draw(read);
      return drawn[i];
    }

    /** Tells that all was written. */
    void acknowledge() {
      for (int i = 0; i < places.length; i++) {
        used[i].versions.acknowledge(drawn[i]);
      }
    }

    /** Forgets fields whose version is known: the next one to write them will read it. */
    void end() {
      for (int place : places) {
        fields.computeIfPresent(key(recordNumber, place), (key, there) -> leave(there));
      }
    }
  }

  private static Used enter(Used there) {
    var used = there == null ? new Used() : there;
    used.users++;
    return used;
  }

  private static Used leave(Used used) {
    used.users--;
    return used.users == 0 && used.versions.unsettled() == 0 ? null : used;
  }
}
