package pressgauge;

/** How operations of one's own mixes write a path; each path is written in one way alone. */
enum Way {
  /** By the value that the path has in another document, drawn by the version. */
  SET("set"),
  /** By adding 1. */
  INCREMENT("inc"),
  /** By appending an entry that the path's list has in another document, drawn by the version. */
  PUSH("push");

  /**
   * The newest entries that a list keeps, or the most popular document would outgrow all others.
   */
  static final int KEPT_ENTRIES = 1000;

  private final String key;

  Way(String key) {
    this.key = key;
  }

  /** What the mix calls it. */
  String key() {
    return key;
  }
}
