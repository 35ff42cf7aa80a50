package pressgauge;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.bson.BsonType;

/**
 * The versions that updates have given to a document's paths, as {@code _pg} holds them: {@code
 * {"0": 3}}, by the path's place. A path that it doesn't name has version 0.
 *
 * @param start where {@code _pg} begins in the stored document, or would begin
 */
record WrittenVersions(long[] versions, int start) {
  static final String NAME = "_pg";

  /** One version for all of so many paths. */
  static WrittenVersions all(int paths, long version) {
    var versions = new long[paths];
    Arrays.fill(versions, version);
    return new WrittenVersions(versions, 0);
  }

  /**
   * Reads them from a stored document, which is all of the buffer.
   *
   * @throws IllegalStateException if no updates can have left them so
   */
  static WrittenVersions in(ByteBuffer stored, int paths) {
    var fields = new BsonFields(stored);
    while (fields.next()) {
      if (fields.isNamed(NAME)) {
        var found = new WrittenVersions(versions(fields, paths), fields.at());
        if (fields.next()) {
          throw new IllegalStateException("field " + fields.name() + " is behind it");
        }
        return found;
      }
    }
    return new WrittenVersions(new long[paths], fields.at());
  }

  private static long[] versions(BsonFields marker, int paths) {
    if (marker.type() != BsonType.DOCUMENT) {
      throw new IllegalStateException("it is no document");
    }
    var versions = new long[paths];
    var fields = marker.inner();
    while (fields.next()) {
      int path = 0;
      while (path < paths && !fields.isNamed(Integer.toString(path))) {
        path++;
      }
      long version = fields.type() == BsonType.INT64 ? fields.value().bytes().getLong(0) : 0;
      if (path == paths || versions[path] != 0 || version < 1) {
        throw new IllegalStateException("its field " + fields.name() + " is no path's version");
      }
      versions[path] = version;
    }
    if (fields.at() + 1 != marker.end()) {
      throw new IllegalStateException("it is malformed");
    }
    return versions;
  }

  long of(int path) {
    return versions[path];
  }

  long sum() {
    return LongStream.of(versions).sum();
  }

  /** A document with these versions in it, if there are any. */
  byte[] appendedTo(byte[] document) {
    if (sum() == 0) {
      return document;
    }
    var buffer = new BsonBuffer(document.length + 16 * (versions.length + 1));
    int start = buffer.begin();
    buffer.bytes(document, Integer.BYTES, document.length - Integer.BYTES - 1);
    int marker = buffer.begin(NAME);
    for (int path = 0; path < versions.length; path++) {
      if (versions[path] > 0) {
        buffer.raw(Integer.toString(path), RawValue.int64(BsonType.INT64, versions[path]));
      }
    }
    buffer.end(marker);
    buffer.end(start);
    return buffer.toArray();
  }
}
