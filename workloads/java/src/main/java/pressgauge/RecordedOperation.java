package pressgauge;

import java.nio.ByteBuffer;
import java.util.List;
import org.bson.RawBsonDocument;

/**
 * A command that was recorded, and what was answered then, as {@code datasets/recordings} prepares
 * it.
 *
 * @param lane the thread that asks it; within a lane the order stays
 * @param dueUs since the recording's first operation
 * @param cursor the recorded one that it asks for more, or else opened; 0 for none
 * @param asks its place among those that ask the cursor, from 1; 0 if it asks none
 */
record RecordedOperation(
    int lane, long dueUs, String name, Answer answer, long cursor, int asks, byte[] command) {
  static final String FIND = "FIND";
  static final String GET_MORE = "GET-MORE";
  static final String INSERT = "INSERT";
  static final String UPDATE = "UPDATE";
  static final String DELETE = "DELETE";
  static final String FIND_AND_MODIFY = "FIND-AND-MODIFY";
  static final String AGGREGATE = "AGGREGATE";
  static final String COUNT = "COUNT";
  static final String DISTINCT = "DISTINCT";

  /** By their numbers in the file. */
  static final List<String> NAMES =
      List.of(FIND, GET_MORE, INSERT, UPDATE, DELETE, FIND_AND_MODIFY, AGGREGATE, COUNT, DISTINCT);

  /** What stands before a command, without the record's length. */
  static final int HEAD_BYTES = 4 + 8 + 1 + 1 + 4 + 8 + 8 + 8 + 4;

  /**
   * Reads a record without its length.
   *
   * @throws UsageException if it is none
   */
  static RecordedOperation read(ByteBuffer record) {
    int lane = record.getInt();
    long dueUs = record.getLong();
    int name = record.get();
    int kind = record.get();
    var answer =
        new Answer(kindOf(kind), record.getInt(), record.getLong(), record.getLong(), 0, 0);
    long cursor = record.getLong();
    int asks = record.getInt();
    if (lane < 0 || dueUs < 0 || name < 0 || name >= NAMES.size()) {
      throw new UsageException("a record of the recording is damaged; prepare it again");
    }
    var command = new byte[record.remaining()];
    record.get(command);
    return new RecordedOperation(lane, dueUs, NAMES.get(name), answer, cursor, asks, command);
  }

  private static Answer.Kind kindOf(int number) {
    var kinds = Answer.Kind.values();
    if (number < 0 || number >= kinds.length) {
      throw new UsageException("a record of the recording is damaged; prepare it again");
    }
    return kinds[number];
  }

  /** In memory, about. */
  int bytes() {
    return command.length + 128;
  }

  boolean asksMore() {
    return name.equals(GET_MORE);
  }

  /** Whether the recording asks its cursor for nothing after this. */
  boolean isLastOfCursor() {
    return asksMore()
        && (answer.kind() == Answer.Kind.DONE || answer.kind() == Answer.Kind.REFUSED);
  }

  boolean writes() {
    return switch (name) {
      case INSERT, UPDATE, DELETE, FIND_AND_MODIFY -> true;
      default -> false;
    };
  }

  RawBsonDocument document() {
    return new RawBsonDocument(command);
  }
}
