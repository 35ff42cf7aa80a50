package pressgauge;

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
}
