package pressgauge;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which of a client's loaded records exist. They are deleted in a drawn order, round after round,
 * and come back in the same order: so two numbers, of the records deleted and of those that came
 * back, tell all that are absent, to later phases and to the verification. For any number of
 * threads.
 */
final class Population {
  private final Partition partition;
  private final Permutation order;
  private final Sequence deleted;
  private final Sequence restored;
  private final Set<Long> held = ConcurrentHashMap.newKeySet();

  /**
   * @param deleted records that earlier phases have deleted
   * @param restored how many of these have come back
   */
  Population(Partition partition, long seed, long deleted, long restored) {
    this.partition = partition;
    order = order(partition, seed);
    this.deleted = new Sequence(deleted);
    this.restored = new Sequence(restored);
  }

  /** By pressgauge.deleted and pressgauge.restored. */
  static Population of(Settings settings, Partition partition, long seed) {
    int deleted = settings.count("pressgauge.deleted", 0, 0, Integer.MAX_VALUE);
    int restored = settings.count("pressgauge.restored", 0, 0, deleted);
    return new Population(partition, seed, deleted, restored);
  }

  /** The order in which a client's records are deleted. */
  static Permutation order(Partition partition, long seed) {
    return new Permutation(seed, partition.size());
  }

  /** Records deleted so far, in all phases. */
  long deleted() {
    return deleted.ended();
  }

  /** Records that came back so far, in all phases. */
  long restored() {
    return restored.ended();
  }

  /** How many of the loaded records have been there since so many had come back. */
  long presentSince(long restoredThen) {
    return order.n() - (deleted.begun() - restoredThen);
  }

  /**
   * A record's life: it is there, and has been since this life began, as long as this number stays;
   * -1 where it isn't there, or nobody can tell because it is being deleted or restored.
   */
  long life(long recordNumber) {
    long restorations = restored.ended(); // before the deletions, which can only be more by then
    long deletions = deleted.begun();
    if (deletions == 0 || !partition.owns(recordNumber)) {
      return 0;
    }
    long place = order.placeOf(partition.placeOf(recordNumber));
    long lives = times(place, deletions);
    return lives == times(place, restorations) ? lives : -1;
  }

  /** How often a place of the order is among the first so many. */
  private long times(long place, long numbers) {
    return numbers <= place ? 0 : (numbers - place - 1) / order.n() + 1;
  }

  /** The record with a number in the order. */
  long record(long number) {
    return partition.record(order.at((int) (number % order.n())));
  }

  /**
   * Takes the number of the next record to delete, and waits until nobody holds that record; -1 if
   * half of the records are absent. To be ended with {@link #endDeletion}.
   */
  long beginDeletion() {
    long number = deleted.begin(restored.ended() + order.n() / 2);
    if (number >= 0) {
      long recordNumber = record(number);
      while (held.contains(recordNumber)) {
        Thread.yield(); // for as long as one operation takes
      }
    }
    return number;
  }

  void endDeletion(long number) {
    deleted.end(number);
  }

  /** Takes the number of the next deleted record, to restore it; -1 if there is none. */
  long beginRestoration() {
    return restored.begin(deleted.ended());
  }

  void endRestoration(long number) {
    restored.end(number);
  }

  /** Keeps a record from being deleted, until it is released; false if that can't be had now. */
  boolean hold(long recordNumber) {
    if (!held.add(recordNumber)) {
      return false;
    }
    if (life(recordNumber) < 0) {
      held.remove(recordNumber);
      return false;
    }
    return true;
  }

  void release(long recordNumber) {
    held.remove(recordNumber);
  }
}
