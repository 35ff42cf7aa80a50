package pressgauge;

/** Replaces a record's document by one in which all paths that are set have another version. */
final class Replace extends StoreOperation {
  Replace(Asked asked) {
    super("REPLACE");
  }

  @Override
  Call prepare(Turn turn) {
    var chosen = turn.choose(turn.draws());
    var filter = byKey(turn, chosen.key());
    var document = turn.document(chosen.number(), Update.version(turn));
    return store -> {
      var result = store.replace(filter, document, false);
      turn.workload().record().overwrote();
      return checkedOne(turn, chosen, result.getMatchedCount(), "documents matched");
    };
  }
}
