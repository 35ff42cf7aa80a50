package pressgauge;

import site.ycsb.Status;

/** There can't be such a record; the message says which, and why. */
final class RecordRefused extends UsageException {
  static final Status STATUS =
      new Status("RECORD_REFUSED", "The documents' _id can't go on to such a record.");

  private static final long serialVersionUID = 1;

  RecordRefused(String message) {
    super(message);
  }
}
