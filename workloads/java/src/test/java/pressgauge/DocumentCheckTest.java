package pressgauge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import org.bson.Document;
import org.bson.RawBsonDocument;
import org.bson.codecs.DocumentCodec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DocumentCheckTest {
  private static final int RECORDS = 5;
  private static final List<String> FIELDS = List.of("field0", "field1");

  private final KeyNames names = new KeyNames(new Settings(new Properties()));
  private final Documents documents = new TextDocuments(names, FIELDS, values());
  private final DocumentCheck check =
      new DocumentCheck(
          new RecordIndex(names, new Records(List.of(new Records.Range(0, 5)), new int[0], 5, 5)),
          documents);

  private static ValueFunction values() {
    var lines = "One line of text.\nAnother line, longer than that.\n";
    return new ValueFunction(Corpus.of(lines.getBytes(StandardCharsets.UTF_8), 20), 7, 20);
  }

  private RawBsonDocument stored(int recordNumber, long version) {
    var fields = documents.blank();
    documents.fill(fields, recordNumber, version);
    var buffer = new BsonBuffer(64);
    int start = documents.layout().document(buffer, names.of(recordNumber), fields);
    return buffer.view(start, buffer.size());
  }

  private List<RawBsonDocument> all(long version) {
    var documents = new ArrayList<RawBsonDocument>();
    for (int recordNumber = 0; recordNumber < RECORDS; recordNumber++) {
      documents.add(stored(recordNumber, version));
    }
    return documents;
  }

  @Test
  void whatTheGeneratorWroteIsFoundRight() {
    var found = check.check(all(3)).toDocument();
    assertEquals((long) RECORDS, found.getLong("checked"));
    assertEquals(0L, found.getLong("altered"));
    assertEquals(0L, found.getLong("surplus"));
    assertEquals(3L * RECORDS * FIELDS.size(), found.getLong("version_sum"));
  }

  @Test
  void theContentHashKnowsContentButNoOrder() {
    var forward = all(0);
    var backward = new ArrayList<>(forward);
    Collections.reverse(backward);
    var parts = new Findings();
    parts.merge(check.check(backward.subList(0, 2)));
    parts.merge(check.check(backward.subList(2, RECORDS)));

    var hash = check.check(forward).toDocument().getString("content_hash");

    assertEquals(hash, parts.toDocument().getString("content_hash"));
    assertNotEquals(hash, check.check(all(1)).toDocument().getString("content_hash"));
    assertNotEquals(
        hash, check.check(forward.subList(0, 4)).toDocument().getString("content_hash"));
  }

  @Test
  void everyFlippedByteIsFound() {
    var bytes = stored(1, 0).getByteBuffer();
    int text = bytes.limit() - 22; // the last field's text, its end and the document's
    for (int at = text; at < bytes.limit() - 2; at++) {
      var flipped = bytes.array().clone();
      flipped[at] ^= 1;
      var document = new RawBsonDocument(flipped, bytes.position(), bytes.remaining());
      assertEquals(1L, check.check(List.of(document)).toDocument().getLong("altered"), "at " + at);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "swap, field1 is in its place",
    "drop, it is missing",
    "add, more fields",
    "number, is no string",
    "shorten, differs at byte 19",
  })
  void otherShapesAreAltered(String how, String why) {
    var document = stored(2, 0).decode(new DocumentCodec());
    switch (how) {
      case "swap" -> document.append("field0", document.remove("field0"));
      case "drop" -> document.remove("field1");
      case "add" -> document.append("field2", "new");
      case "number" -> document.append("field1", 5);
      default -> document.append("field1", document.getString("field1").substring(0, 19));
    }

    var found = check.check(List.of(raw(document))).toDocument();

    assertEquals(1L, found.getLong("altered"));
    var example = found.getList("examples", Document.class).get(0);
    assertEquals(names.of(2), example.getString("key"));
    assertEquals(2, example.getInteger("record"));
    assertTrue(example.getString("why").contains(why), example.toJson());
  }

  @ParameterizedTest
  @ValueSource(strings = {"{_id: 'user1'}", "{_id: 1}", "{_id: 'stranger', field0: 'x'}"})
  void strangersAreSurplus(String json) {
    var found = check.check(List.of(RawBsonDocument.parse(json))).toDocument();
    assertEquals(1L, found.getLong("surplus"));
    assertEquals(0L, found.getLong("checked"));
  }

  private static RawBsonDocument raw(Document document) {
    return new RawBsonDocument(document, new DocumentCodec());
  }
}
