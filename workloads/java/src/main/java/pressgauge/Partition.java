package pressgauge;

/**
 * One client process's part of a run phase: of the operations every {@code clients}-th. What their
 * read-modify-writes write differs, too, since each client knows only the versions that it gave
 * itself: where records are chosen uniformly, those whose number leaves one remainder are this
 * client's; where some are chosen more often, all clients choose alike among all of them, and in
 * each record the fields are divided.
 *
 * @param client 0 to clients - 1
 * @param first the lowest record number of all clients' records
 * @param records all clients' records
 */
record Partition(int client, int clients, int first, int records) {

  /** From pressgauge.clientindex and pressgauge.clientcount. */
  static Partition of(Settings settings, int first, int records) {
    int clients = settings.count("pressgauge.clientcount", 1, 1, records);
    int client = settings.count("pressgauge.clientindex", 0, 0, clients - 1);
    return new Partition(client, clients, first, records);
  }

  /** The index, among all clients, of this client's n-th operation. */
  long operation(long n) {
    return n * clients + client;
  }

  /** How many of the records are this client's. */
  int size() {
    return (records - client + clients - 1) / clients;
  }

  /** This client's n-th record. */
  long record(int n) {
    return first + client + (long) n * clients;
  }

  /** Whether a record is among this client's. */
  boolean owns(long recordNumber) {
    long place = recordNumber - first - client;
    return place >= 0 && recordNumber < (long) first + records && place % clients == 0;
  }

  /** Which of this client's records one of them is, from 0 on. */
  int placeOf(long recordNumber) {
    return (int) ((recordNumber - first - client) / clients);
  }

  /** How many of a record's fields are this client's. */
  int fields(long recordNumber, int all) {
    return (all - field(recordNumber, 0) + clients - 1) / clients;
  }

  /** The place of this client's n-th field in a record. */
  int field(long recordNumber, int n) {
    return (int) Math.floorMod(client - recordNumber, (long) clients) + n * clients;
  }

  /**
   * Refuses a mix whose clients can't all choose alike among all records.
   *
   * @param parts in which a record can be written
   * @param latest whether the newest records are chosen more often
   * @throws UsageException if new records would be chosen by their own client alone, or some client
   *     would have nothing to write in a record
   */
  void requireDivisible(OperationMix mix, int parts, boolean latest) {
    if (mix.has(Operation::needsOwnRecords)) {
      throw new UsageException(
          RecordChoice.PROPERTY
              + ": only uniform where several clients delete records, which the others don't know");
    }
    if (mix.has(Insert.class) || (latest && mix.has(InsertRecords.class))) {
      throw new UsageException(
          "requestdistribution: only uniform where several clients insert, and each would favour"
              + " its own records");
    }
    if (mix.has(ReadModifyWrite.class) && clients > parts) {
      throw new UsageException(
          "requestdistribution: only uniform where "
              + clients
              + " clients share records whose read-modify-writes have "
              + parts
              + (parts == 1 ? " part" : " parts")
              + " to write");
    }
  }
}
