package pressgauge;

/**
 * One client process's part of a run phase: of the operations every {@code clients}-th, of the
 * loaded records those whose number leaves one remainder. So the operations of several processes
 * differ, and their read-modify-writes, which only threads of one process can take turns in, never
 * meet at a record.
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

  /** The record of this client that stands for any record: as evenly as can be, near it. */
  long nearest(long recordNumber) {
    int n = (int) Math.floorMod(recordNumber - first, (long) records) / clients;
    return record(Math.min(n, size() - 1));
  }
}
