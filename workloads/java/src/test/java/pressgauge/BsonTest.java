package pressgauge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.junit.jupiter.api.Test;
import site.ycsb.ByteIterator;
import site.ycsb.StringByteIterator;

class BsonTest {
  private static BsonDocument decoded(RawBsonDocument document) {
    return document.decode(new BsonDocumentCodec());
  }

  @Test
  void theDriverReadsWhatIsEncoded() {
    Map<String, ByteIterator> values = new LinkedHashMap<>();
    values.put("field0", text("plain"));
    values.put("field1", text("žluťoučký 🦓"));
    values.put("field2", text(""));
    values.put("field3", new StringByteIterator("another binding's"));
    var buffer = new BsonBuffer(0);

    int start = new TextLayout(List.of()).document(buffer, "user17", values);

    var expected =
        BsonDocument.parse(
            "{_id: 'user17', field0: 'plain', field1: 'žluťoučký 🦓', field2: '',"
                + " field3: \"another binding's\"}");
    assertEquals(expected, decoded(buffer.view(start, buffer.size())));
  }

  @Test
  void documentsNestAndFollowEachOther() {
    var buffer = new BsonBuffer(0);
    int first = buffer.begin();
    int inner = buffer.begin("$set");
    buffer.string("a", "b");
    buffer.end(inner);
    buffer.end(first);
    int second = buffer.begin();
    buffer.int32("n", -7);
    buffer.end(second);

    assertEquals(BsonDocument.parse("{$set: {a: 'b'}}"), decoded(buffer.view(first, second)));
    assertEquals(BsonDocument.parse("{n: -7}"), decoded(buffer.view(second, buffer.size())));
  }

  @Test
  void stringsAreWalkedInOrder() {
    var strings = new BsonFields(RawBsonDocument.parse("{_id: 'k', a: 'Ünï', b: ''}"));

    assertTrue(strings.next());
    assertTrue(strings.isNamed("_id"));
    assertTrue(strings.next());
    assertEquals("a", strings.name());
    assertEquals("Ünï", strings.text().toString());
    assertTrue(strings.next());
    assertEquals("", strings.text().toString());
    assertFalse(strings.isNamed("bb"));
    assertFalse(strings.next());
  }

  @Test
  void aFieldThatIsNoStringIsNamed() {
    var fields = new BsonFields(RawBsonDocument.parse("{a: 1}"));
    assertTrue(fields.next());
    var refusal = assertThrows(IllegalStateException.class, fields::text);
    assertTrue(refusal.getMessage().contains("field a"), refusal.getMessage());
  }

  private static TextValue text(String text) {
    var bytes = ("<" + text + ">").getBytes(StandardCharsets.UTF_8);
    return new TextValue(bytes, 1, bytes.length - 2);
  }
}
