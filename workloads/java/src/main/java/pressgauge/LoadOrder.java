package pressgauge;

/**
 * Which records the threads of a load insert. Threads take whole batches in turn, because a batch
 * is stored in one place: so records whose numbers are neighbours are neighbours in storage, too,
 * and share a page with what resembles them. What is left at the end is no batch for each thread,
 * and is taken record by record.
 *
 * @param first the lowest record number
 */
record LoadOrder(long first, int records, int batch) {
  /**
   * The record that a thread inserts after so many.
   *
   * @param done less than the thread's share: of all records as many as of any other thread, or one
   *     more for the first threads
   */
  long record(int thread, int threads, int done) {
    int inBatches = records / threads / batch * batch;
    long place =
        done < inBatches
            ? ((long) (done / batch) * threads + thread) * batch + done % batch
            : (long) done * threads + thread;
    return first + place;
  }
}
