package pressgauge;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bson.RawBsonDocument;

/**
 * Writes BSON documents, one behind the other, into one growing array: text goes from the corpus
 * into the message's bytes without ever being a Java string. For one thread.
 */
final class BsonBuffer {
  private static final byte STRING = 0x02;
  private static final byte DOCUMENT = 0x03;
  private static final byte ARRAY = 0x04;
  private static final byte INT32 = 0x10;

  private final Map<String, byte[]> encodedNames = new HashMap<>();
  private byte[] bytes;
  private int size;

  BsonBuffer(int capacity) {
    bytes = new byte[Math.max(capacity, 64)];
  }

  /** In bytes. */
  int size() {
    return size;
  }

  /** Forgets everything written; views handed out before become meaningless. */
  void clear() {
    size = 0;
  }

  /** Begins a document; returns where, for {@link #end} and {@link #view}. */
  int begin() {
    int start = size;
    reserve(Integer.BYTES);
    size += Integer.BYTES;
    return start;
  }

  /** Begins a document that is the value of a field of the one being written. */
  int begin(String name) {
    name(DOCUMENT, name);
    return begin();
  }

  /** As {@link #begin(String)}, an array: its entries are fields that are named 0, 1, ... */
  int beginArray(String name) {
    name(ARRAY, name);
    return begin();
  }

  void end(int start) {
    reserve(1);
    bytes[size++] = 0;
    putInt(start, size - start);
  }

  void string(String name, TextValue value) {
    string(name, value.array(), value.offset(), value.length());
  }

  void string(String name, String value) {
    var text = value.getBytes(StandardCharsets.UTF_8);
    string(name, text, 0, text.length);
  }

  void int32(String name, int value) {
    name(INT32, name);
    reserve(Integer.BYTES);
    putInt(size, value);
    size += Integer.BYTES;
  }

  void raw(String name, RawValue value) {
    name((byte) value.type().getValue(), name);
    bytes(value.array(), value.offset(), value.length());
  }

  /** Whole fields, or a whole document, as they are. */
  void bytes(byte[] from, int offset, int length) {
    reserve(length);
    System.arraycopy(from, offset, bytes, size, length);
    size += length;
  }

  /** As {@link #bytes(byte[], int, int)}. */
  void bytes(ByteBuffer from, int offset, int length) {
    reserve(length);
    from.get(offset, bytes, size, length);
    size += length;
  }

  /** A copy of all that was written. */
  byte[] toArray() {
    return Arrays.copyOf(bytes, size);
  }

  /** The document that began at {@code start}: a view, good until the buffer is written again. */
  RawBsonDocument view(int start, int end) {
    return new RawBsonDocument(bytes, start, end - start);
  }

  /**
   * As {@link #view}, all documents that began at these places, each ending where the next begins.
   */
  List<RawBsonDocument> views(List<Integer> starts) {
    var documents = new ArrayList<RawBsonDocument>(starts.size());
    for (int i = 0; i < starts.size(); i++) {
      documents.add(view(starts.get(i), i + 1 < starts.size() ? starts.get(i + 1) : size));
    }
    return documents;
  }

  private void string(String name, byte[] text, int offset, int length) {
    name(STRING, name);
    reserve(Integer.BYTES + length + 1);
    putInt(size, length + 1);
    System.arraycopy(text, offset, bytes, size + Integer.BYTES, length);
    size += Integer.BYTES + length + 1;
    bytes[size - 1] = 0;
  }

  private void name(byte type, String name) {
    var encoded = encodedNames.computeIfAbsent(name, BsonBuffer::encode);
    reserve(1 + encoded.length);
    bytes[size] = type;
    System.arraycopy(encoded, 0, bytes, size + 1, encoded.length);
    size += 1 + encoded.length;
  }

  private static byte[] encode(String name) {
    return (name + '\0').getBytes(StandardCharsets.UTF_8);
  }

  private void reserve(int more) {
    if (bytes.length - size < more) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, Math.addExact(size, more)));
    }
  }

  private void putInt(int at, int value) {
    bytes[at] = (byte) value;
    bytes[at + 1] = (byte) (value >>> 8);
    bytes[at + 2] = (byte) (value >>> 16);
    bytes[at + 3] = (byte) (value >>> 24);
  }
}
