package pressgauge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.Document;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import site.ycsb.ByteIterator;

class TemplateDocumentsTest {
  private static final HexFormat HEX = HexFormat.of();
  private static final List<String> PATHS = List.of("status", "shipping.city", "shipping.to.zip");

  @TempDir Path folder;

  static Stream<Document> sets() throws IOException {
    var golden = Path.of("..", "..", "tests", "golden", "template_documents.json");
    return Document.parse(Files.readString(golden)).getList("sets", Document.class).stream();
  }

  static Document set(String name) throws IOException {
    return sets().filter(set -> set.getString("name").equals(name)).findFirst().orElseThrow();
  }

  /** As the client makes them. */
  private TemplateDocuments documents(Document set) throws IOException {
    return (TemplateDocuments) Documents.of(new Settings(properties(set, folder)));
  }

  /** The client's properties for a golden set, whose templates come into a file in the folder. */
  static Properties properties(Document set, Path folder) throws IOException {
    var bytes = new ByteArrayOutputStream();
    for (var template : set.getList("templates", String.class)) {
      bytes.write(HEX.parseHex(template));
    }
    var file = Files.write(folder.resolve("documents.bson"), bytes.toByteArray());
    var properties = new Properties();
    properties.setProperty("pressgauge.documents", "templates");
    properties.setProperty("pressgauge.corpus", file.toString());
    for (var name : List.of("seed", "updatepaths", "idkind", "idspan")) {
      properties.setProperty("pressgauge." + name, set.get(name).toString());
    }
    return properties;
  }

  private static long number(Document vector, String name) {
    return ((Number) vector.get(name)).longValue();
  }

  private static byte[] stored(TemplateDocuments documents, Document vector) {
    var versions = new long[documents.fields().size()];
    vector
        .get("versions", Document.class)
        .forEach((path, at) -> versions[Integer.parseInt(path)] = ((Number) at).longValue());
    var written = WrittenVersions.of(versions);
    return written.appendedTo(documents.document(number(vector, "record"), written));
  }

  @ParameterizedTest
  @MethodSource("sets")
  void documentsAreTheGoldenOnes(Document set) throws IOException {
    var documents = documents(set);
    for (var vector : set.getList("documents", Document.class)) {
      long record = number(vector, "record");
      assertEquals(vector.getString("document"), HEX.formatHex(stored(documents, vector)));
      assertEquals(vector.getString("key"), documents.keys().id(record).toString());
      var key = documents.keys().of(record);
      assertEquals(vector.getString("key"), RawKey.parse(key).toString(), key);
    }
    for (var vector : set.getList("values", Document.class)) {
      int path = vector.getInteger("path");
      var value = documents.value(number(vector, "record"), path, number(vector, "version"));
      assertEquals(vector.getString("value"), value.toString());
    }
    for (var record : set.getList("refused", Integer.class)) {
      var refusal = assertThrows(RecordRefused.class, () -> documents.keys().of(record));
      assertTrue(refusal.getMessage().contains("record " + record), refusal.getMessage());
    }
  }

  @ParameterizedTest
  @MethodSource("sets")
  void whatIsStoredIsFoundRight(Document set) throws IOException {
    var documents = documents(set);
    for (var vector : set.getList("documents", Document.class)) {
      var checked =
          documents.check(number(vector, "record"), new RawBsonDocument(stored(documents, vector)));
      assertEquals("", checked.why());
      var versions = vector.get("versions", Document.class).values().stream();
      assertEquals(versions.mapToLong(at -> ((Number) at).longValue()).sum(), checked.versions());
    }
  }

  private static DocumentCheck check(Documents documents) {
    var records = new Records(List.of(new Records.Range(0, 20)), new int[0], 20, 20);
    return new DocumentCheck(new RecordIndex(documents.keys(), records), documents);
  }

  @Test
  void everyFlippedBitIsFound() throws IOException {
    var documents = documents(set("objectId"));
    var check = check(documents);
    var whole = new HashMap<String, ByteIterator>();
    for (int record = 0; record < 5; record++) {
      documents.fill(whole, record, record % 2);
      var bytes = ((RawValue) whole.get(TemplateLayout.WHOLE)).array();
      assertEquals(0, wrong(check, bytes));
      for (int at = 0; at < bytes.length; at++) {
        for (int bit = 1; bit < 256; bit <<= 1) {
          var flipped = bytes.clone();
          flipped[at] ^= (byte) bit;
          assertTrue(wrong(check, flipped) > 0 || isAnotherVersion(bytes, flipped), "at " + at);
        }
      }
    }
  }

  private static long wrong(DocumentCheck check, byte[] stored) {
    var found = check.check(List.of(new RawBsonDocument(stored))).toDocument();
    return found.getLong("altered") + found.getLong("surplus");
  }

  /** Two records' values may be alike, so that a marker may tell of another version as well. */
  private static boolean isAnotherVersion(byte[] bytes, byte[] flipped) {
    var before = decoded(bytes);
    var after = decoded(flipped);
    boolean alike = before.get("_pg") != null && !before.remove("_pg").equals(after.remove("_pg"));
    return alike && before.equals(after);
  }

  private static BsonDocument decoded(byte[] bytes) {
    return new RawBsonDocument(bytes).decode(new BsonDocumentCodec());
  }

  @ParameterizedTest
  @CsvSource({
    "'{shipping: {city: 5}}', status, field shipping is in its place",
    "'{status: 5}', status, 'version 0: it is of type INT32, not STRING'",
    "'{status: \"newer\"}', status, 'version 0: it differs at byte 0'",
    "'{status: \"new\"}', shipping, it is missing",
    "'{status: \"new\", shipping: {city: \"Zürich\", to: 3}}', shipping.to, 'type INT32, not DOC'",
    "'{status: \"new\", shipping: {city: \"Zürich\", to: {}}}', shipping.to.zip, it is missing",
    "'{status: \"new\", _pg: 5}', _pg, it is no document",
    "'{status: \"new\", _pg: {\"0\": 1}}', _pg, its field 0 is no path",
    "'{status: \"new\", _pg: {\"0\": {$numberLong: \"0\"}}}', _pg, its field 0 is no",
    "'{status: \"new\", _pg: {\"3\": {$numberLong: \"1\"}}}', _pg, its field 3 is no",
    "'{status: \"new\", _pg: {\"00\": {$numberLong: \"1\"}}}', _pg, its field 00 is no",
    "'{status: \"new\", _pg: {}, more: 1}', _pg, field more is behind it",
  })
  void whatDiffersIsToldByPath(String json, String path, String why) throws IOException {
    var documents = documents(set("string"));
    var document = BsonDocument.parse("{_id: 'a'}");
    document.putAll(BsonDocument.parse(json));
    var raw = new RawBsonDocument(document, new BsonDocumentCodec());

    var found = check(documents).check(List.of(raw)).toDocument();

    assertEquals(1L, found.getLong("altered"));
    var example = found.getList("examples", Document.class).get(0);
    assertEquals("string:a", example.getString("key"));
    assertEquals(path, example.getString("field"));
    assertTrue(example.getString("why").contains(why), example.toJson());
  }

  @Test
  void versionsMayBeInAnyOrder() throws IOException {
    var documents = documents(set("string"));
    var whole = new HashMap<String, ByteIterator>();
    documents.fill(whole, 7, 3);
    var document = decoded(((RawValue) whole.get(TemplateLayout.WHOLE)).array());
    var versions = document.getDocument("_pg");
    versions.put("0", versions.remove("0"));
    var raw = new RawBsonDocument(document, new BsonDocumentCodec());
    assertEquals(new Documents.Checked(9, 0, "", ""), documents.check(7, raw));
  }

  @Test
  void fieldsTooManyAreTold() throws IOException {
    var documents = documents(set("string"));
    var document = decoded(documents.document(0, WrittenVersions.all(3, 0)));
    document.getDocument("shipping").put("more", document.get("status"));
    var raw = new RawBsonDocument(document, new BsonDocumentCodec());
    var checked = documents.check(0, raw);
    assertEquals("shipping.more", checked.field());
    assertEquals("it should not be there", checked.why());
  }

  @Test
  void everyRecordIsFoundByItsKeyAndNoOther() throws IOException {
    for (var set :
        sets().filter(set -> set.getList("templates", String.class).size() == 5).toList()) {
      var keys = documents(set).keys();
      int count = set.getString("idkind").equals("other") ? 5 : 100;
      var index =
          new RecordIndex(
              keys, new Records(List.of(new Records.Range(0, count)), new int[0], count, count));
      var names = new ArrayList<String>();
      for (int record = 0; record < count; record++) {
        assertEquals(record, index.find(keys.of(record)));
        names.add(keys.of(record));
      }
      assertEquals(count, Set.copyOf(names).size());
      for (var stranger : List.of("", "string:b", "int:6", "objectId:000000000000000000000000")) {
        assertEquals(-1, index.find(stranger));
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"idkind, uuid", "idspan, wide", "updatepaths, 'status,shipping.none'"})
  void otherPropertiesAreRefused(String name, String value) throws IOException {
    var set = set("int");
    set.put(name, value);
    assertThrows(UsageException.class, () -> documents(set).value(0, 1, 0));
  }

  @Test
  void anUpdateSetsAPathAndItsVersion() throws IOException {
    var documents = documents(set("int"));
    var update = new HashMap<String, ByteIterator>();
    documents.put(update, 7, 1, 12);
    var buffer = new BsonBuffer(0);
    int start = Layout.update(buffer, update);
    var set = decoded(buffer.view(start, buffer.size())).getDocument("$set");
    assertEquals(Set.of("shipping.city", "_pg.1"), set.keySet());
    assertEquals(12, set.getInt64("_pg.1").getValue());
    assertEquals(Set.of("shipping.city", "_pg"), documents.toRead(1));
  }

  private static BsonDocument decoded(RawBsonDocument document) {
    return document.decode(new BsonDocumentCodec());
  }

  @ParameterizedTest
  @CsvSource({
    "'{a: 1, status: 2, _pg: {\"0\": {$numberLong: \"7\"}}}', status, true, 7",
    "'{a: 1, status: 2}', status, true, 0",
    "'{a: 1}', status, false, -1",
    "'{shipping: {city: 1}}', shipping.city, true, 0",
    "'{shipping: [{city: 1}]}', shipping.city, false, -1",
  })
  void versionsAreReadFromWhatAProjectionLeaves(
      String json, String path, boolean complete, long version) throws IOException {
    var documents = documents(set("int"));
    var read = new HashMap<String, ByteIterator>();
    int field = PATHS.indexOf(path);
    var raw = RawBsonDocument.parse(json);
    assertEquals(complete, documents.layout().unpack(raw, documents.toRead(field), read));
    assertFalse(documents.layout().unpack(raw, null, new HashMap<>()));
    assertEquals(version, documents.version(read, field));
    assertEquals(-1, documents.version(Map.of(), field));
  }

  @Test
  void documentsAreFoundAcrossSegments() throws IOException {
    var bytes = new ByteArrayOutputStream();
    var all = new ArrayList<byte[]>();
    for (int i = 0; i < 100; i++) {
      var buffer = new BsonBuffer(0);
      int start = buffer.begin();
      buffer.int32("_id", i);
      buffer.string("text", "x".repeat(i % 40));
      buffer.end(start);
      all.add(buffer.toArray());
      bytes.write(all.get(i));
    }
    var file = Files.write(folder.resolve("many.bson"), bytes.toByteArray());
    var templates = Templates.map(file, 100, 80);
    assertEquals(100, templates.count());
    for (int i = 0; i < 100; i++) {
      var got = new byte[templates.at(i).remaining()];
      templates.at(i).get(got);
      assertEquals(HEX.formatHex(all.get(i)), HEX.formatHex(got));
    }
  }

  @ParameterizedTest
  @CsvSource({"'', no documents", "05000000, damaged at byte 0", "050000000001, at byte 5"})
  void aFileOfAnythingElseIsRefused(String hex, String why) throws IOException {
    var file = Files.write(folder.resolve("odd.bson"), HEX.parseHex(hex));
    var refusal = assertThrows(UsageException.class, () -> Templates.map(file));
    assertTrue(refusal.getMessage().contains(why), refusal.getMessage());
  }
}
