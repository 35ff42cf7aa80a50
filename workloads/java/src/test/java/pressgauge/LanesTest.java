package pressgauge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class LanesTest {
  private static final Path GOLDEN = Path.of("..", "..", "tests", "golden", "few.traffic");
  private static final byte[] COMMAND = {5, 0, 0, 0, 0};

  @TempDir Path folder;

  /** Operations of two lanes in turn; the time of each is its number. */
  private Path recording(int operations) throws Exception {
    var bytes = ByteBuffer.allocate(12 + operations * 55).order(ByteOrder.LITTLE_ENDIAN);
    bytes.put("PGREPLAY\1\0\0\0".getBytes(StandardCharsets.ISO_8859_1));
    for (int i = 0; i < operations; i++) {
      bytes.putInt(51).putInt(i % 2).putLong(i).put((byte) 0).put((byte) 1);
      bytes.putInt(0).putLong(i).putLong(-1).putLong(0).putInt(0).put(COMMAND);
    }
    return Files.write(folder.resolve("recording"), bytes.array());
  }

  @Test
  void eachLaneGetsItsOperationsInTheirOrder() throws Exception {
    var lanes = new Lanes(2, 1 << 20);
    lanes.readAhead(recording(7));

    for (int i = 0; i < 7; i += 2) {
      assertEquals(i, lanes.take(0, () -> false).dueUs());
    }
    assertNull(lanes.take(0, () -> false));
    for (int i = 1; i < 7; i += 2) {
      assertEquals(i, lanes.take(1, () -> false).dueUs());
    }
    assertNull(lanes.take(1, () -> false));
    assertNull(lanes.failure());
  }

  @Test
  void whatWaitsTakesABoundedMemory() throws Exception {
    var lanes = new Lanes(2, 500); // of 133 bytes each
    lanes.readAhead(recording(1000));

    for (int i = 0; i < 1000; i++) {
      var next = lanes.take(i % 2, () -> false);
      assertEquals(i, next.dueUs());
    }
  }

  @Test
  void waitingEndsWhenTheReplayIsStopped() {
    assertNull(new Lanes(1, 1).take(0, () -> true));
  }

  @Test
  void aRecordingThatIsCutOffEndsTheLanesAndSaysWhy() throws Exception {
    var whole = Files.readAllBytes(recording(2));
    var lanes = new Lanes(2, 1 << 20);
    lanes.readAhead(Files.write(folder.resolve("cut"), Arrays.copyOf(whole, whole.length - 3)));

    assertNotNull(lanes.take(0, () -> false));
    assertNull(lanes.take(1, () -> false));
    assertTrue(lanes.failure().contains("ends within a record"));
  }

  @Test
  void anotherFileIsRefused() throws Exception {
    var other = Files.writeString(folder.resolve("other"), "no recording at all");

    assertThrows(UsageException.class, () -> new RecordedFile(other));
  }

  @Test
  void damagedRecordsAreRefused() throws Exception {
    var bytes = Files.readAllBytes(recording(1));
    for (int at = 12; at < bytes.length; at++) {
      var damaged = bytes.clone();
      damaged[at] = -1;
      try (var file = new RecordedFile(Files.write(folder.resolve("damaged"), damaged))) {
        file.next();
      } catch (UsageException | java.io.EOFException e) {
        // told; what is a number may be any other one, too
      }
    }
  }

  @Test
  void whatPythonPreparesIsRead() throws Exception {
    int operations = 0;
    try (var file = new RecordedFile(GOLDEN)) {
      for (var next = file.next(); next != null; next = file.next()) {
        var command = next.document();
        var collection = command.get(next.asksMore() ? "collection" : command.getFirstKey());
        assertEquals("usertable", collection.asString().getValue());
        assertEquals(next.document(), BsonDocument.parse(command.toJson()));
        assertTrue(next.answer().isRecorded());
        operations++;
      }
    }
    assertTrue(operations > 20);
  }
}
