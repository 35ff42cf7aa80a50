package pressgauge;

/** Counts the documents that equal a chosen one in the paths of an index. */
final class Count extends StoreOperation {
  private final IndexMatch match;

  Count(Asked asked) {
    super("COUNT");
    match = new IndexMatch(asked, asked.paths("index"), "");
  }

  @Override
  Call prepare(Turn turn) {
    var chosen = turn.choose(turn.draws());
    var matched = match.of(turn, chosen.number());
    return store -> {
      long count = store.count(matched.filter());
      boolean right = count > 0 || !matched.isCertain() || !turn.stayed(chosen);
      return checked(turn, right, chosen.key() + " was not counted");
    };
  }
}
