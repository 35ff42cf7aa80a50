package pressgauge;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.client.ClientSession;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.bson.Document;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;

/** Asks a server what was recorded: the command as it is, with the campaign's write concern. */
final class Asker {
  private static final byte DOCUMENT = 0x03;
  private static final byte INT64 = 0x12;
  private static final int FIRST_FIELD = Integer.BYTES;

  private final SharedClient client;
  private final Cursors cursors;
  private final byte[] concern;

  Asker(SharedClient client, Cursors cursors) {
    this.client = client;
    this.cursors = cursors;
    var document = client.database().getWriteConcern().asDocument();
    concern = element("writeConcern", new RawBsonDocument(document, new BsonDocumentCodec()));
  }

  private static byte[] element(String name, RawBsonDocument document) {
    var encoded = name.getBytes(StandardCharsets.US_ASCII);
    var bytes = document.getByteBuffer();
    return ByteBuffer.allocate(2 + encoded.length + bytes.remaining())
        .put(DOCUMENT)
        .put(encoded)
        .put((byte) 0)
        .put(bytes.asNIO())
        .array();
  }

  /** Has a connection made, so that the first operation need not wait for one. */
  void greet() {
    client.database().runCommand(new Document("ping", 1));
  }

  /**
   * Asks an operation.
   *
   * @param open the cursor that it asks for more; null where it asks for none
   * @return the answer, be it an error of the server
   * @throws MongoException if there was none
   */
  Answer ask(RecordedOperation operation, Cursors.Open open) {
    if (operation.asksMore()) {
      return askMore(operation, open);
    }
    if (operation.cursor() != 0) {
      return openCursor(operation);
    }
    var command = operation.writes() ? withConcern(operation) : operation.document();
    return run(operation, null, command);
  }

  /** What leaves a cursor open has a session of its own, as only that may ask for more. */
  private Answer openCursor(RecordedOperation operation) {
    var opened = Cursors.Open.NONE;
    var session = client.session();
    try {
      var answer = run(operation, session, operation.document());
      if (answer.kind() == Answer.Kind.OPEN) {
        opened = new Cursors.Open(answer.cursor(), session);
      }
      return answer;
    } finally {
      if (opened == Cursors.Open.NONE) {
        session.close();
      }
      cursors.pass(operation, opened);
    }
  }

  private Answer askMore(RecordedOperation operation, Cursors.Open open) {
    var passed = Cursors.Open.NONE;
    try {
      var answer = run(operation, open.session(), withCursor(operation, open.id()));
      if (answer.kind() == Answer.Kind.OPEN && !operation.isLastOfCursor()) {
        passed = open;
      }
      return answer;
    } finally {
      if (passed == Cursors.Open.NONE) {
        open.session().close();
      }
      cursors.pass(operation, passed);
    }
  }

  private Answer run(RecordedOperation operation, ClientSession session, RawBsonDocument command) {
    try {
      var database = client.database();
      var reply =
          session == null
              ? database.runCommand(command, RawBsonDocument.class)
              : database.runCommand(session, command, RawBsonDocument.class);
      return Answer.of(operation, reply);
    } catch (MongoCommandException | MongoExecutionTimeoutException e) {
      return Answer.refused(e.getCode());
    }
  }

  private RawBsonDocument withConcern(RecordedOperation operation) {
    var command = operation.command();
    var bytes = Arrays.copyOf(command, command.length + concern.length);
    System.arraycopy(concern, 0, bytes, command.length - 1, concern.length);
    bytes[bytes.length - 1] = 0;
    littleEndian(bytes).putInt(0, bytes.length);
    return new RawBsonDocument(bytes);
  }

  /** A getMore begins with its cursor, a 64-bit number. */
  private static RawBsonDocument withCursor(RecordedOperation operation, long cursor) {
    var bytes = operation.command().clone();
    int value = FIRST_FIELD + 1 + "getMore".length() + 1;
    if (bytes[FIRST_FIELD] != INT64 || bytes.length < value + Long.BYTES) {
      throw new UsageException("a getMore of the recording names no cursor; prepare it again");
    }
    littleEndian(bytes).putLong(value, cursor);
    return new RawBsonDocument(bytes);
  }

  private static ByteBuffer littleEndian(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
