package pressgauge;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A file of BSON documents one after the other, mapped into memory: the documents never are in the
 * heap, where only the place of every sixteenth is kept. For any number of threads.
 */
final class Templates {
  private static final int EVERY = 16;
  private static final int SEGMENT = 1 << 30;
  private static final int LARGEST =
      (16 << 20) + (16 << 10); // a document, as large as mongod keeps any
  private static final int SMALLEST = 5;

  private final ByteBuffer[] segments;
  private final int segment;
  private long[] starts = new long[64];
  private int count;

  private Templates(FileChannel file, int segment, int largest) throws IOException {
    this.segment = segment;
    long size = file.size();
    segments = new ByteBuffer[Math.toIntExact((size + segment - 1) / segment)];
    for (int i = 0; i < segments.length; i++) {
      long from = (long) i * segment; // with as much more as a document can reach over its end
      long length = Math.min(size - from, (long) segment + largest);
      segments[i] =
          file.map(FileChannel.MapMode.READ_ONLY, from, length).order(ByteOrder.LITTLE_ENDIAN);
    }
    for (long at = 0; at < size; at += length(at)) {
      if (size - at < SMALLEST
          || length(at) < SMALLEST
          || length(at) > Math.min(largest, size - at)) {
        throw new UsageException("damaged at byte " + at);
      }
      if (count % EVERY == 0) {
        if (count / EVERY == starts.length) {
          starts = Arrays.copyOf(starts, 2 * starts.length);
        }
        starts[count / EVERY] = at;
      }
      count = Math.addExact(count, 1);
    }
    if (count == 0) {
      throw new UsageException("it has no documents");
    }
  }

  /**
   * Maps a file.
   *
   * @throws UsageException if it can't be read or holds something else
   */
  static Templates map(Path file) {
    return map(file, SEGMENT, LARGEST);
  }

  /** As {@link #map(Path)}, in segments of so many bytes, none of whose documents is larger. */
  static Templates map(Path file, int segment, int largest) {
    try (var channel = FileChannel.open(file)) {
      return new Templates(channel, segment, largest);
    } catch (IOException e) {
      throw new UsageException("pressgauge.corpus: can't read " + file + ": " + Reason.of(e));
    } catch (UsageException e) {
      throw new UsageException("pressgauge.corpus: " + file + ": " + e.getMessage());
    }
  }

  int count() {
    return count;
  }

  /** A document: little-endian, and all of the buffer. */
  ByteBuffer at(int template) {
    long at = starts[template / EVERY];
    for (int i = template % EVERY; i > 0; i--) {
      at += length(at);
    }
    var document = segments[(int) (at / segment)].slice((int) (at % segment), length(at));
    return document.order(ByteOrder.LITTLE_ENDIAN);
  }

  private int length(long at) {
    return segments[(int) (at / segment)].getInt((int) (at % segment));
  }
}
