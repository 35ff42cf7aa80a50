package pressgauge;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** A prepared recording, read once from its beginning to its end. */
final class RecordedFile implements Closeable {
  private static final byte[] MAGIC = "PGREPLAY\1\0\0\0".getBytes(StandardCharsets.ISO_8859_1);
  private static final int MOST_BYTES = 17 << 20;

  private final InputStream stream;

  /**
   * Opens a file.
   *
   * @throws UsageException if it is no prepared recording, or of another format
   */
  RecordedFile(Path path) throws IOException {
    stream = new BufferedInputStream(Files.newInputStream(path), 1 << 18);
    if (!Arrays.equals(stream.readNBytes(MAGIC.length), MAGIC)) {
      stream.close();
      throw new UsageException(path + ": no prepared recording of this version");
    }
  }

  /** The next operation; null at the end. */
  RecordedOperation next() throws IOException {
    var size = stream.readNBytes(Integer.BYTES);
    if (size.length == 0) {
      return null;
    }
    int length = size.length < Integer.BYTES ? -1 : littleEndian(size).getInt();
    if (length < RecordedOperation.HEAD_BYTES + 5 || length > MOST_BYTES) {
      throw new UsageException("a record of the recording is damaged; prepare it again");
    }
    var record = stream.readNBytes(length);
    if (record.length < length) {
      throw new EOFException("the prepared recording ends within a record");
    }
    return RecordedOperation.read(littleEndian(record));
  }

  private static ByteBuffer littleEndian(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  public void close() throws IOException {
    stream.close();
  }
}
