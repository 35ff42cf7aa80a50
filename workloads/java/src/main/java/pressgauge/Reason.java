package pressgauge;

/** One line that says why something failed. */
final class Reason {
  private Reason() {}

  /** The innermost cause's class and message, without line ends. */
  static String of(Throwable failure) {
    var cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    var message = cause.getMessage() == null ? "" : ": " + cause.getMessage();
    return (cause.getClass().getSimpleName() + message).replaceAll("\\s+", " ");
  }
}
