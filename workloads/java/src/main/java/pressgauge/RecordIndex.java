package pressgauge;

import java.util.Arrays;

/**
 * Finds the record number of a key name, over given records. YCSB's hash isn't invertible in
 * practice, so this is a hash table; it keeps only the record numbers (4 bytes each, at most two
 * thirds full) and hashes them again to compare.
 */
final class RecordIndex {
  private static final int EMPTY = -1;

  private final KeyNames names;
  private final int[] slots;
  private final int mask;

  RecordIndex(KeyNames names, Records records) {
    this.names = names;
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
    int slot = slot(names.number(recordNumber));
    while (slots[slot] != EMPTY) {
      slot = (slot + 1) & mask;
    }
    slots[slot] = recordNumber;
  }

  /** The record of a key; -1 if it belongs to none. */
  int find(String key) {
    long number = KeyNames.parse(key);
    for (int slot = slot(number); slots[slot] != EMPTY; slot = (slot + 1) & mask) {
      if (names.number(slots[slot]) == number) {
        return names.of(slots[slot]).equals(key) ? slots[slot] : EMPTY;
      }
    }
    return EMPTY;
  }

  private int slot(long number) {
    return (int) ValueFunction.mix(number) & mask;
  }
}
