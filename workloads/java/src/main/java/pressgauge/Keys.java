package pressgauge;

/** The keys of records, as YCSB carries them. */
interface Keys {
  /**
   * The key of a record.
   *
   * @throws RecordRefused if there can't be such a record
   */
  String of(long recordNumber);

  /** A number that tells the record's key from most others. */
  long number(long recordNumber);

  /** The number of a key; any if it is no record's. */
  long number(String key);
}
