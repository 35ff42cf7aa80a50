package pressgauge;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import site.ycsb.ByteIterator;
import site.ycsb.workloads.CoreWorkload;

/**
 * A source of documents: what every record holds in every version, as a pure function of their
 * numbers, so that a stored document can be checked without having been kept. For any number of
 * threads. Its Python twin is the protocol of the same name in {@code datasets/documents.py}.
 */
interface Documents {
  /** The source that {@code pressgauge.documents} names (default text); each has one line here. */
  static Documents of(Settings settings) {
    var source = settings.text("pressgauge.documents", "text");
    return switch (source) {
      case "text" -> TextDocuments.of(settings);
      default ->
          throw new UsageException(
              "pressgauge.documents: no source is called " + source + "; text is");
    };
  }

  /** The names of a record's fields, in order, by YCSB's properties. */
  static List<String> fieldNames(Settings settings) {
    int count = settings.count(CoreWorkload.FIELD_COUNT_PROPERTY, 10, 1, 10_000);
    var prefix =
        settings.text(CoreWorkload.FIELD_NAME_PREFIX, CoreWorkload.FIELD_NAME_PREFIX_DEFAULT);
    var names = new ArrayList<String>();
    for (int i = 0; i < count; i++) {
      names.add(prefix + i);
    }
    return List.copyOf(names);
  }

  /** The names of a record's fields, in order. */
  List<String> fields();

  /**
   * The value of a field.
   *
   * @param recordNumber not the hashed key name
   * @param field its place among {@link #fields}
   * @param version 0 as loaded; an update writes a later one
   */
  TextValue value(long recordNumber, int field, long version);

  /** The version of a value that was read. */
  long version(TextValue value);

  /** Compares a stored document, read up to its {@code _id}, with what it should be. */
  default Checked check(long recordNumber, BsonStrings stored) {
    long versions = 0;
    for (int field = 0; field < fields().size(); field++) {
      var why = difference(stored, recordNumber, field);
      if (!why.isEmpty()) {
        return new Checked(versions, fields().get(field), why);
      }
      versions += version(stored.value());
    }
    return new Checked(versions, "", hasMore(stored) ? "it has more fields than it should" : "");
  }

  /**
   * What a check found.
   *
   * @param versions the sum of the fields' versions, up to the first that differs
   * @param field the first that differs; empty if none does
   * @param why how the document differs; empty if it doesn't
   */
  record Checked(long versions, String field, String why) {}

  /** A document to be filled, over and over: its fields in order, without values. */
  default Map<String, ByteIterator> blank() {
    Map<String, ByteIterator> document = new LinkedHashMap<>();
    fields().forEach(name -> document.put(name, null));
    return document;
  }

  /** Makes a {@link #blank} document one version of a record. */
  default void fill(Map<String, ByteIterator> document, long recordNumber, long version) {
    int field = 0;
    for (var entry : document.entrySet()) {
      entry.setValue(value(recordNumber, field++, version));
    }
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
    if (!stored.isNamed(fields().get(field))) {
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
