package pressgauge;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.bson.BsonType;
import org.bson.RawBsonDocument;
import site.ycsb.ByteIterator;

/**
 * Documents of one's own: records are the documents of a file in turn, each time with another
 * {@code _id}. An update gives a path the value that it has in another document, drawn by the
 * version, and notes the version in {@code _pg}, a last field that only updated documents have. The
 * Python twin is {@code datasets/templates.py}.
 *
 * @param fields the paths that updates write
 * @param ways how each of them is written
 */
record TemplateDocuments(
    Templates templates,
    TemplateKeys keys,
    long seed,
    List<String> fields,
    List<FieldPath> paths,
    List<Way> ways)
    implements Documents {
  private static final int SPARE_BYTES = 64;

  TemplateDocuments(Templates templates, TemplateKeys keys, long seed, List<String> fields) {
    this(templates, keys, seed, fields, Collections.nCopies(fields.size(), Way.SET));
  }

  TemplateDocuments(
      Templates templates, TemplateKeys keys, long seed, List<String> fields, List<Way> ways) {
    this(templates, keys, seed, fields, fields.stream().map(FieldPath::of).toList(), ways);
  }

  /**
   * By pressgauge.corpus, the file, and pressgauge.seed, updatepaths (of these incrementpaths and
   * pushpaths), idkind and idspan.
   */
  static TemplateDocuments of(Settings settings) {
    var templates = Templates.map(settings.path("pressgauge.corpus"));
    var kind = TemplateKeys.Kind.of(settings.text("pressgauge.idkind"));
    var keys = new TemplateKeys(templates, kind, settings.number("pressgauge.idspan"));
    var fields = settings.list("pressgauge.updatepaths");
    var increments = settings.list("pressgauge.incrementpaths");
    var pushes = settings.list("pressgauge.pushpaths");
    var ways = fields.stream().map(path -> way(path, increments, pushes)).toList();
    return new TemplateDocuments(templates, keys, settings.number("pressgauge.seed"), fields, ways);
  }

  private static Way way(String path, List<String> increments, List<String> pushes) {
    return increments.contains(path) ? Way.INCREMENT : pushes.contains(path) ? Way.PUSH : Way.SET;
  }

  @Override
  public Way way(int field) {
    return ways.get(field);
  }

  @Override
  public Layout layout() {
    var byName = new HashMap<String, FieldPath>();
    IntStream.range(0, paths.size()).forEach(i -> byName.put(fields.get(i), paths.get(i)));
    return new TemplateLayout(byName);
  }

  @Override
  public Set<String> toRead(int field) {
    return Set.of(fields.get(field), WrittenVersions.NAME);
  }

  /** The value of a path: version 0 as loaded. */
  RawValue value(long recordNumber, int field, long version) {
    long drawn = ValueFunction.draw(seed, recordNumber, field, version);
    var template =
        version == 0
            ? template(recordNumber)
            : templates.at(ValueFunction.below(drawn, templates.count()));
    return in(template, field).value();
  }

  private BsonFields loaded(long recordNumber, int field) {
    return in(template(recordNumber), field);
  }

  private BsonFields in(ByteBuffer template, int field) {
    var found = paths.get(field).in(template);
    if (found == null) {
      throw new UsageException("pressgauge.updatepaths: a document has no " + fields.get(field));
    }
    return found;
  }

  @Override
  public RawValue indexed(long recordNumber, FieldPath path) {
    return IndexedValue.in(template(recordNumber), path);
  }

  private ByteBuffer template(long recordNumber) {
    return templates.at((int) (recordNumber % templates.count()));
  }

  /** A document as it is stored, but without its {@code _pg}. */
  byte[] document(long recordNumber, WrittenVersions versions) {
    var template = template(recordNumber);
    var id = keys.id(recordNumber);
    var fields = new BsonFields(template);
    fields.next();
    var buffer = new BsonBuffer(template.limit() + SPARE_BYTES);
    int start = buffer.begin();
    buffer.raw("_id", id);
    buffer.bytes(template, fields.end(), template.limit() - 1 - fields.end());
    buffer.end(start);
    var document = buffer.toArray();
    for (int field = 0; field < paths.size(); field++) {
      if (versions.of(field) > 0 || versions.pushed()[field] != null) {
        document = paths.get(field).replaced(document, written(recordNumber, field, versions));
      }
    }
    return document;
  }

  /** The value of a path that was written. */
  private RawValue written(long recordNumber, int field, WrittenVersions versions) {
    return switch (ways.get(field)) {
      case SET -> value(recordNumber, field, versions.of(field));
      case INCREMENT -> value(recordNumber, field, 0).plus(versions.of(field));
      case PUSH -> {
        var entries = ListValue.entries(loaded(recordNumber, field));
        for (long version : versions.pushed()[field]) {
          entries.add(entry(recordNumber, field, version));
        }
        yield ListValue.ofLast(Way.KEPT_ENTRIES, entries);
      }
    };
  }

  /** The entry that a push with a version appends: one of a template drawn by it. */
  @Override
  public RawValue entry(long recordNumber, int field, long version) {
    long drawn = ValueFunction.draw(seed, recordNumber, field, version);
    int first = ValueFunction.below(drawn, templates.count());
    for (int i = 0; i < templates.count(); i++) {
      var list = paths.get(field).in(templates.at((first + i) % templates.count()));
      if (list == null || list.type() != BsonType.ARRAY) {
        break;
      }
      var entries = ListValue.entries(list);
      if (!entries.isEmpty()) {
        return entries.get(ValueFunction.below(ValueFunction.mix(drawn), entries.size()));
      }
    }
    throw new UsageException(
        "pressgauge.pushpaths: no document has entries in " + fields.get(field));
  }

  @Override
  public Map<String, ByteIterator> blank() {
    return new LinkedHashMap<>();
  }

  @Override
  public void fill(Map<String, ByteIterator> document, long recordNumber, long version) {
    var versions = allSet(version);
    var bytes = versions.appendedTo(document(recordNumber, versions));
    document.put(TemplateLayout.WHOLE, new RawValue(BsonType.DOCUMENT, bytes));
  }

  /** One version for all paths that are set. */
  private WrittenVersions allSet(long version) {
    var set = ways.stream().mapToLong(way -> way == Way.SET ? version : 0);
    return WrittenVersions.of(set.toArray());
  }

  @Override
  public void put(Map<String, ByteIterator> update, long recordNumber, int field, long version) {
    update.put(fields.get(field), value(recordNumber, field, version));
    var marker = RawValue.int64(BsonType.INT64, version);
    update.put(WrittenVersions.NAME + '.' + field, marker);
  }

  @Override
  public long version(Map<String, ByteIterator> read, int field) {
    if (!(read.get(TemplateLayout.WHOLE) instanceof RawValue whole)) {
      return -1;
    }
    if (paths.get(field).in(whole.bytes()) == null) {
      return -1;
    }
    return WrittenVersions.in(whole.bytes(), fields.size()).of(field);
  }

  @Override
  public Checked check(long recordNumber, RawBsonDocument stored) {
    var bytes = stored.getByteBuffer().asNIO();
    WrittenVersions versions;
    try {
      versions = WrittenVersions.in(bytes, fields.size());
    } catch (IllegalStateException e) {
      return new Checked(0, 0, WrittenVersions.NAME, e.getMessage());
    }
    var expected = ByteBuffer.wrap(document(recordNumber, versions)).order(ByteOrder.LITTLE_ENDIAN);
    var difference = DocumentDifference.between(expected, bytes, versions.start());
    int field = fields.indexOf(difference.path());
    var version = field < 0 ? "" : "version " + versions.of(field) + ": ";
    var why = version + difference.why();
    return new Checked(versions.sum(), versions.writes(), difference.path(), why);
  }
}
