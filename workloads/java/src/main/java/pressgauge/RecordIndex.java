package pressgauge;

import java.util.Arrays;

/**
 * Finds the record number of a key, over given records. Keys can't be inverted (YCSB hashes them),
 * so this is a hash table; it keeps only the record numbers (4 bytes each, at most two thirds full)
 * and makes their keys again to compare.
 */
final class RecordIndex {
  private static final int EMPTY = -1;

  private final Keys keys;
  private final int[] slots;
  private final int mask;

  RecordIndex(Keys keys, Records records) {
    this.keys = keys;
    int count = records.count();
    long size = Long.highestOneBit(Math.max(8, count + count / 2L)) << 1;
    if (size > 1 << 30) {
      throw new UsageException("verify.documents: too many to verify all; use verify.sample");
    }
    slots = new int[(int) size];
    mask = slots.length - 1;
    Arrays.fill(slots, EMPTY);
    for (int i = 0; i < count; i++) {
      add(records.at(i));
    }
  }

  private void add(int recordNumber) {
    int slot = slot(keys.number(recordNumber));
    while (slots[slot] != EMPTY) {
      slot = (slot + 1) & mask;
    }
    slots[slot] = recordNumber;
  }

  /** The record of a key; -1 if it belongs to none. */
  int find(String key) {
    long number = keys.number(key);
    for (int slot = slot(number); slots[slot] != EMPTY; slot = (slot + 1) & mask) {
      if (keys.number(slots[slot]) == number && keys.of(slots[slot]).equals(key)) {
        return slots[slot];
      }
    }
    return EMPTY;
  }

  private int slot(long number) {
    return (int) ValueFunction.mix(number) & mask;
  }
}
