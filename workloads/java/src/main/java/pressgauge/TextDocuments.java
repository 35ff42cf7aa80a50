package pressgauge;

import java.util.Arrays;
import java.util.List;
import site.ycsb.workloads.CoreWorkload;

/** Documents of a corpus's text, by the {@link ValueFunction}. */
record TextDocuments(List<String> fields, ValueFunction values) implements Documents {
  private static final int LEAST_FIELD_LENGTH = 16;

  /** By YCSB's properties of fields, pressgauge.corpus and pressgauge.seed; reads the corpus. */
  static TextDocuments of(Settings settings) {
    var fields = Documents.fieldNames(settings);
    var distribution = CoreWorkload.FIELD_LENGTH_DISTRIBUTION_PROPERTY;
    if (!settings.text(distribution, "constant").equals("constant")) {
      throw new UsageException(distribution + ": only constant; a value's length is checked");
    }
    int length =
        settings.count(CoreWorkload.FIELD_LENGTH_PROPERTY, 100, LEAST_FIELD_LENGTH, 15_000_000);
    var corpus = Corpus.read(settings.path("pressgauge.corpus"), length);
    return new TextDocuments(
        fields, new ValueFunction(corpus, settings.number("pressgauge.seed"), length));
  }

  @Override
  public TextValue value(long recordNumber, int field, long version) {
    return values.value(recordNumber, field, version);
  }

  @Override
  public long version(TextValue value) {
    return ValueFunction.version(value);
  }

  @Override
  public Checked check(long recordNumber, BsonStrings stored) {
    long versions = 0;
    for (int field = 0; field < fields.size(); field++) {
      var why = difference(stored, recordNumber, field);
      if (!why.isEmpty()) {
        return new Checked(versions, fields.get(field), why);
      }
      versions += version(stored.value());
    }
    return new Checked(versions, "", hasMore(stored) ? "it has more fields than it should" : "");
  }

  private static boolean hasMore(BsonStrings stored) {
    try {
      return stored.next();
    } catch (IllegalStateException e) {
      return true;
    }
  }

  /** How the next stored field differs from what it should be; empty if it doesn't. */
  private String difference(BsonStrings stored, long recordNumber, int field) {
    try {
      if (!stored.next()) {
        return "it is missing";
      }
    } catch (IllegalStateException e) {
      return e.getMessage();
    }
    if (!stored.isNamed(fields.get(field))) {
      return "field " + stored.name() + " is in its place";
    }
    var found = stored.value();
    long version = version(found);
    var expected = value(recordNumber, field, version);
    int at =
        Arrays.mismatch(
            found.array(),
            found.offset(),
            found.offset() + found.length(),
            expected.array(),
            expected.offset(),
            expected.offset() + expected.length());
    return at < 0 ? "" : "version " + version + " differs at byte " + at;
  }
}
