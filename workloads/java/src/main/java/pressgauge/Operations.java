package pressgauge;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The operations that a mix can be made of: YCSB's, of which there is one each, and kinds that a
 * mix of one's own asks for, each as often as it likes.
 *
 * @param all YCSB's, in the order in which a draw goes through them: a new one comes last, or mixes
 *     that don't have it would draw others than before
 */
record Operations(List<Operation> all) {
  /** Each operation of YCSB's mixes has one line here. */
  static final Operations REGISTERED =
      new Operations(
          List.of(new Read(), new Update(), new Insert(), new Scan(), new ReadModifyWrite()));

  /** Each kind of a mix of one's own has one line here. */
  private static final Map<String, Function<Asked, Operation>> KINDS =
      Map.ofEntries(
          Map.entry("find", Find::new),
          Map.entry("find-by-index", FindByIndex::new),
          Map.entry("insert", InsertRecords::new),
          Map.entry("update", UpdatePaths::new),
          Map.entry("replace", Replace::new),
          Map.entry("delete", Delete::new),
          Map.entry("upsert", Upsert::new),
          Map.entry("count", Count::new),
          Map.entry("aggregate", Aggregate::new),
          Map.entry("scan", ScanFrom::new),
          Map.entry("scan-all", ScanAll::new),
          Map.entry("transaction", Transaction::new),
          Map.entry("read-modify-write", ReadThenUpdate::new));

  /** An operation of a mix, and how often it is done in relation to the others. */
  record Weighted(Operation operation, double weight) {}

  /**
   * The operations of a mix of one's own, by pressgauge.operations, their number, and the
   * properties of each; see {@link Asked}.
   *
   * @throws UsageException if there is none, or one is asked for that there can't be
   */
  static List<Weighted> own(Settings settings) {
    var found = new ArrayList<Weighted>();
    int count = settings.count(Asked.PROPERTY, 0, 1, 1000);
    for (int number = 0; number < count; number++) {
      var asked = new Asked(settings, number);
      var kind = KINDS.get(asked.kind());
      if (kind == null) {
        var known = String.join(", ", new TreeMap<>(KINDS).keySet());
        throw new UsageException(
            asked.property("kind") + ": " + asked.kind() + " is none; there are " + known);
      }
      found.add(new Weighted(kind.apply(asked), asked.weight()));
    }
    return found;
  }

  /** Whether a mix of one's own is asked for. */
  boolean isOwn(Settings settings) {
    boolean own = !settings.text(Asked.PROPERTY, "").isEmpty();
    if (own && !proportions(settings).isEmpty()) {
      throw new UsageException(
          Asked.PROPERTY + ": a mix has these, or proportions such as " + proportions(settings));
    }
    return own;
  }

  /**
   * YCSB's operations, by the proportions of a mix.
   *
   * @throws UsageException if a proportion is wrong, or of an operation that there isn't
   */
  List<Weighted> ycsb(Settings settings) {
    proportions(settings).forEach(this::of);
    return all.stream()
        .map(one -> new Weighted(one, settings.share(one.property(), one.proportion())))
        .toList();
  }

  private static List<String> proportions(Settings settings) {
    return settings.properties().stringPropertyNames().stream()
        .filter(name -> name.endsWith(Operation.PROPORTION))
        .toList();
  }

  /**
   * The operation with a proportion property.
   *
   * @throws UsageException if there is none
   */
  Operation of(String property) {
    return all.stream()
        .filter(operation -> operation.property().equals(property))
        .findFirst()
        .orElseThrow(
            () -> new UsageException(property + ": no such operation; there are " + known()));
  }

  private String known() {
    return all.stream().map(Operation::property).collect(Collectors.joining(", "));
  }
}
