package pressgauge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.junit.jupiter.api.Test;
import pressgauge.Answer.Kind;

class AnswerTest {
  private static final Answer UNKNOWN = recorded(Kind.NOT_RECORDED, 0, -1, -1);

  private static Answer recorded(Kind kind, int code, long count, long modified) {
    return new Answer(kind, code, count, modified, 0, 0);
  }

  private static RecordedOperation operation(String name, String command) {
    var bytes = RawBsonDocument.parse(command).getByteBuffer();
    var copy = new byte[bytes.remaining()];
    bytes.get(copy);
    return new RecordedOperation(0, 0, name, UNKNOWN, 0, 0, copy);
  }

  private static Answer answer(String name, String command, String reply) {
    return Answer.of(operation(name, command), BsonDocument.parse(reply));
  }

  @Test
  void countsWhatACursorReturnsAndWhetherItHasMore() {
    var open = answer("FIND", "{find: 'c'}", "{cursor: {id: NumberLong(7), firstBatch: [{}, {}]}}");
    var last = answer("GET-MORE", "{getMore: 1}", "{cursor: {id: NumberLong(0), nextBatch: [{}]}}");

    assertEquals(new Answer(Kind.OPEN, 0, 2, -1, 7, 0), open);
    assertEquals(new Answer(Kind.DONE, 0, 1, -1, 0, 0), last);
  }

  @Test
  void knowsByHowManyDocumentsAWriteMadeTheCollectionGrow() {
    assertEquals(3, answer("INSERT", "{insert: 'c'}", "{n: 3}").change());
    assertEquals(-2, answer("DELETE", "{delete: 'c'}", "{n: 2}").change());
    assertEquals(0, answer("UPDATE", "{update: 'c'}", "{n: 2, nModified: 1}").change());
    assertEquals(
        1, answer("UPDATE", "{}", "{n: 1, upserted: [{index: 0}], nModified: 0}").change());
    var removed = "{lastErrorObject: {n: 1}, value: {}}";
    assertEquals(-1, answer("FIND-AND-MODIFY", "{remove: true}", removed).change());
    assertEquals(0, answer("FIND-AND-MODIFY", "{update: {}}", removed).change());
    var upserted = "{lastErrorObject: {n: 1, upserted: 5}, value: null}";
    assertEquals(1, answer("FIND-AND-MODIFY", "{upsert: true}", upserted).change());
  }

  @Test
  void tellsTheFirstErrorOfWrites() {
    var refused =
        answer("INSERT", "{insert: 'c'}", "{n: 1, writeErrors: [{index: 1, code: 11000}]}");

    assertEquals(Kind.WRITES_REFUSED, refused.kind());
    assertEquals(11000, refused.code());
    assertEquals(1, refused.change());
    assertEquals("writes refused 11000, count 1", refused.told());
  }

  @Test
  void isComparedInWhatWasRecorded() {
    var now = new Answer(Kind.DONE, 0, 3, 2, 0, 0);

    assertTrue(now.isLike(recorded(Kind.DONE, 0, 3, 2)));
    assertTrue(now.isLike(recorded(Kind.DONE, 0, -1, -1)));
    assertFalse(now.isLike(recorded(Kind.DONE, 0, 4, 2)));
    assertFalse(now.isLike(recorded(Kind.DONE, 0, 3, 1)));
    assertFalse(now.isLike(recorded(Kind.OPEN, 0, 3, 2)));
    assertFalse(Answer.refused(50).isLike(recorded(Kind.REFUSED, 51, -1, -1)));
  }

  @Test
  void addsUpWhatDiffers() {
    var answers = new Answers();
    var recorded = recorded(Kind.DONE, 0, 3, -1);
    var find = new RecordedOperation(0, 1_500_000, "FIND", recorded, 0, 0, new byte[0]);
    answers.add(find, recorded);
    answers.add(find, recorded(Kind.DONE, 0, 2, -1));
    answers.add(find, null);
    answers.add(operation("COUNT", "{count: 'c'}"), recorded);

    var facts = answers.facts();
    assertEquals(3L, facts.get("compared"));
    assertEquals(1L, facts.get("not_recorded"));
    assertEquals("{FIND=2}", facts.get("unequal").toString());
    assertTrue(
        facts
            .get("examples")
            .toString()
            .contains("FIND at 1.500 s: done, count 2; recorded: done, count 3"));
  }
}
