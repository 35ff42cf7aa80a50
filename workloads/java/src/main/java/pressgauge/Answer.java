package pressgauge;

import java.util.Locale;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/**
 * What a server answered, in kind and count.
 *
 * @param code of the first error; 0 for none
 * @param count documents returned, matched, inserted or deleted, or what was counted; {@link
 *     #UNKNOWN} where the answer doesn't tell
 * @param modified documents; {@link #UNKNOWN} likewise
 * @param cursor the one that stays open; 0 for none
 * @param change by how many documents the collection grew
 */
record Answer(Kind kind, int code, long count, long modified, long cursor, long change) {
  static final long UNKNOWN = -1;

  /** In the order of their numbers in prepared recordings. */
  enum Kind {
    NOT_RECORDED,
    DONE,
    OPEN,
    REFUSED,
    WRITES_REFUSED
  }

  static Answer refused(int code) {
    return new Answer(Kind.REFUSED, code, UNKNOWN, UNKNOWN, 0, 0);
  }

  /** What a reply says that is no error of the whole command. */
  static Answer of(RecordedOperation operation, BsonDocument reply) {
    return switch (operation.name()) {
      case RecordedOperation.FIND, RecordedOperation.GET_MORE, RecordedOperation.AGGREGATE ->
          ofCursor(reply);
      case RecordedOperation.FIND_AND_MODIFY -> ofFound(operation, reply);
      case RecordedOperation.DISTINCT -> done(reply.getArray("values").size());
      case RecordedOperation.COUNT -> done(number(reply, "n"));
      default -> ofWrite(operation, reply);
    };
  }

  private static Answer done(long count) {
    return new Answer(Kind.DONE, 0, count, UNKNOWN, 0, 0);
  }

  private static Answer ofCursor(BsonDocument reply) {
    var cursor = reply.getDocument("cursor");
    var batch = cursor.containsKey("firstBatch") ? "firstBatch" : "nextBatch";
    long open = number(cursor, "id");
    var kind = open == 0 ? Kind.DONE : Kind.OPEN;
    return new Answer(kind, 0, cursor.getArray(batch).size(), UNKNOWN, open, 0);
  }

  private static Answer ofWrite(RecordedOperation operation, BsonDocument reply) {
    long count = number(reply, "n");
    long change =
        switch (operation.name()) {
          case RecordedOperation.INSERT -> count;
          case RecordedOperation.DELETE -> -count;
          default -> reply.containsKey("upserted") ? reply.getArray("upserted").size() : 0;
        };
    var kind = Kind.DONE;
    int code = 0;
    if (reply.containsKey("writeErrors")) {
      kind = Kind.WRITES_REFUSED;
      code = (int) number(reply.getArray("writeErrors").get(0).asDocument(), "code");
    }
    return new Answer(kind, code, count, number(reply, "nModified"), 0, change);
  }

  private static Answer ofFound(RecordedOperation operation, BsonDocument reply) {
    if (!reply.isDocument("lastErrorObject")) {
      return done(UNKNOWN);
    }
    var last = reply.getDocument("lastErrorObject");
    long count = number(last, "n");
    long change = last.containsKey("upserted") ? 1 : 0;
    if (isTrue(operation.document().get("remove"))) {
      change = -Math.max(0, count);
    }
    return new Answer(Kind.DONE, 0, count, UNKNOWN, 0, change);
  }

  private static boolean isTrue(BsonValue value) {
    return value != null && (value.isBoolean() ? value.asBoolean().getValue() : isNumber(value, 1));
  }

  private static boolean isNumber(BsonValue value, int number) {
    return value.isNumber() && value.asNumber().intValue() == number;
  }

  private static long number(BsonDocument document, String name) {
    return document.isNumber(name) ? document.getNumber(name).longValue() : UNKNOWN;
  }

  boolean isRecorded() {
    return kind != Kind.NOT_RECORDED;
  }

  /** Whether it is what was recorded, as far as that is known. */
  boolean isLike(Answer recorded) {
    return kind == recorded.kind
        && code == recorded.code
        && isLike(count, recorded.count)
        && isLike(modified, recorded.modified);
  }

  private static boolean isLike(long count, long recorded) {
    return recorded == UNKNOWN || count == recorded;
  }

  /** In words, without anything of a document. */
  String told() {
    var counted = count == UNKNOWN ? "" : ", count " + count;
    var changed = modified == UNKNOWN ? "" : ", modified " + modified;
    var error = code == 0 ? "" : " " + code;
    return kind.name().toLowerCase(Locale.ROOT).replace('_', ' ') + error + counted + changed;
  }
}
