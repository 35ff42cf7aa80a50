package pressgauge;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.RawBsonDocument;
import site.ycsb.ByteIterator;

/**
 * A source of documents: what every record holds in every version, as a pure function of their
 * numbers, so that a stored document can be checked without having been kept. For any number of
 * threads. Its Python twin is the protocol of the same name in {@code datasets/documents.py}.
 */
interface Documents {
  /**
   * The source that {@code pressgauge.documents} names (default text); each has one line here. It
   * travels in the properties, so that a process makes it once.
   */
  static Documents of(Settings settings) {
    return (Documents)
        settings
            .properties()
            .computeIfAbsent("pressgauge.internal.documents", name -> make(settings));
  }

  private static Documents make(Settings settings) {
    var source = settings.text("pressgauge.documents", "text");
    return switch (source) {
      case "text" -> TextDocuments.of(settings);
      case "templates" -> TemplateDocuments.of(settings);
      default ->
          throw new UsageException(
              "pressgauge.documents: no source is called " + source + "; text and templates are");
    };
  }

  Keys keys();

  Layout layout();

  /** The names of what updates write, in order: fields, or paths. */
  List<String> fields();

  /** What to read for the value of a field and its version. */
  Set<String> toRead(int field);

  /** A document to be filled, over and over, and inserted. */
  Map<String, ByteIterator> blank();

  /**
   * Makes a {@link #blank} document a record in which all fields have one version.
   *
   * @param recordNumber not the hashed key name
   * @param version 0 as loaded
   * @throws RecordRefused if there can't be such a record
   */
  void fill(Map<String, ByteIterator> document, long recordNumber, long version);

  /**
   * Puts what an update writes to give a field a version.
   *
   * @param field its place among {@link #fields}
   * @param version 1 or more
   */
  void put(Map<String, ByteIterator> update, long recordNumber, int field, long version);

  /** The version of a field in what was read; -1 if the field isn't there. */
  long version(Map<String, ByteIterator> read, int field);

  /** How operations of one's own mixes write a field. */
  default Way way(int field) {
    return Way.SET;
  }

  /** What a push with a version appends to a field that is a list. */
  default RawValue entry(long recordNumber, int field, long version) {
    throw new UsageException("pressgauge.pushpaths: " + fields().get(field) + " is no list");
  }

  /** The value that an index has of a document as loaded; null where it has none. */
  default RawValue indexed(long recordNumber, FieldPath path) {
    throw new UsageException("pressgauge.documents: text has no indexes");
  }

  /** Compares a stored document with what it should be. */
  Checked check(long recordNumber, RawBsonDocument stored);

  /**
   * What a check found.
   *
   * @param versions the sum of the fields' versions, as far as they could be read
   * @param writes how many counted updates the document has seen; see {@link WrittenVersions}
   * @param field the first that differs; empty if none does
   * @param why how the document differs; empty if it doesn't
   */
  record Checked(long versions, long writes, String field, String why) {}
}
