package pressgauge;

/** The user's input is wrong. The message is one line: what, where, and what is allowed. */
class UsageException extends RuntimeException {
  UsageException(String message) {
    super(message, null, false, false);
  }
}
