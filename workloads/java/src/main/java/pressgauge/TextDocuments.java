package pressgauge;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.RawBsonDocument;
import site.ycsb.ByteIterator;
import site.ycsb.workloads.CoreWorkload;

/** Documents of a corpus's text, by the {@link ValueFunction}, with YCSB's keys. */
record TextDocuments(Keys keys, List<String> fields, ValueFunction values) implements Documents {
  private static final int LEAST_FIELD_LENGTH = 16;
  private static final String MORE = "it has more fields than it should";

  /** By YCSB's properties of keys and fields, and pressgauge.corpus, seed and repeat. */
  static TextDocuments of(Settings settings) {
    var fields = fieldNames(settings);
    var distribution = CoreWorkload.FIELD_LENGTH_DISTRIBUTION_PROPERTY;
    if (!settings.text(distribution, "constant").equals("constant")) {
      throw new UsageException(distribution + ": only constant; a value's length is checked");
    }
    int length =
        settings.count(CoreWorkload.FIELD_LENGTH_PROPERTY, 100, LEAST_FIELD_LENGTH, 15_000_000);
    var corpus = Corpus.read(settings.path("pressgauge.corpus"), length);
    long seed = settings.number("pressgauge.seed");
    var lines =
        settings.flag("pressgauge.repeat", true)
            ? LineChoice.drawn(seed, corpus.lines())
            : LineChoice.eachOnce(seed, fields.size(), corpus.lines());
    return new TextDocuments(
        new KeyNames(settings), fields, new ValueFunction(corpus, lines, length));
  }

  /** The names of a record's fields, in order, by YCSB's properties. */
  private static List<String> fieldNames(Settings settings) {
    int count = settings.count(CoreWorkload.FIELD_COUNT_PROPERTY, 10, 1, 10_000);
    var prefix =
        settings.text(CoreWorkload.FIELD_NAME_PREFIX, CoreWorkload.FIELD_NAME_PREFIX_DEFAULT);
    var names = new ArrayList<String>();
    for (int i = 0; i < count; i++) {
      names.add(prefix + i);
    }
    return List.copyOf(names);
  }

  @Override
  public Layout layout() {
    return new TextLayout(fields);
  }

  @Override
  public Set<String> toRead(int field) {
    return Set.of(fields.get(field));
  }

  /** The value of a field: version 0 as loaded. */
  TextValue value(long recordNumber, int field, long version) {
    return values.value(recordNumber, field, version);
  }

  @Override
  public Map<String, ByteIterator> blank() {
    Map<String, ByteIterator> document = new LinkedHashMap<>();
    fields.forEach(name -> document.put(name, null));
    return document;
  }

  @Override
  public void fill(Map<String, ByteIterator> document, long recordNumber, long version) {
    int field = 0;
    for (var entry : document.entrySet()) {
      entry.setValue(value(recordNumber, field++, version));
    }
  }

  @Override
  public void put(Map<String, ByteIterator> update, long recordNumber, int field, long version) {
    update.put(fields.get(field), value(recordNumber, field, version));
  }

  @Override
  public long version(Map<String, ByteIterator> read, int field) {
    var value = read.get(fields.get(field));
    return value == null ? -1 : ValueFunction.version(TextValue.of(value));
  }

  @Override
  public Checked check(long recordNumber, RawBsonDocument stored) {
    var strings = new BsonFields(stored);
    strings.next(); // the key, by which the record was found
    long versions = 0;
    for (int field = 0; field < fields.size(); field++) {
      var why = difference(strings, recordNumber, field);
      if (!why.isEmpty()) {
        return new Checked(versions, 0, fields.get(field), why);
      }
      versions += ValueFunction.version(strings.text());
    }
    try {
      boolean more = strings.next();
      long writes = 0;
      if (more && strings.isNamed(WrittenVersions.NAME)) {
        writes = WrittenVersions.of(strings, 0).writes();
        more = strings.next();
      }
      return new Checked(versions, writes, "", more ? MORE : "");
    } catch (IllegalStateException e) {
      return new Checked(versions, 0, "", MORE);
    }
  }

  /** How the next stored field differs from what it should be; empty if it doesn't. */
  private String difference(BsonFields stored, long recordNumber, int field) {
    TextValue found;
    try {
      if (!stored.next()) {
        return "it is missing";
      }
      found = stored.text();
    } catch (IllegalStateException e) {
      return e.getMessage();
    }
    if (!stored.isNamed(fields.get(field))) {
      return "field " + stored.name() + " is in its place";
    }
    long version = ValueFunction.version(found);
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
