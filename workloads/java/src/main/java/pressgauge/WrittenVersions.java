package pressgauge;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.bson.BsonType;

/**
 * What updates have left in a document's {@code _pg}: {@code {"0": 3, "2": [7, 9], "w": 6}}. By the
 * path's place the version that it was set to, how often it was incremented, or the versions whose
 * values were pushed; and how many updates were counted. A path that it doesn't name has version 0.
 *
 * @param pushed null for a path to which nothing was pushed
 * @param writes updates that were counted, as those of YCSB's mixes aren't
 * @param start where {@code _pg} begins in the stored document, or would begin
 */
record WrittenVersions(long[] versions, long[][] pushed, long writes, int start) {
  static final String NAME = "_pg";
  static final String WRITES = "w";

  /** These versions, as they are when nothing else was written. */
  static WrittenVersions of(long[] versions) {
    return new WrittenVersions(versions, new long[versions.length][], 0, 0);
  }

  /** One version for all of so many paths. */
  static WrittenVersions all(int paths, long version) {
    var versions = new long[paths];
    Arrays.fill(versions, version);
    return of(versions);
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
        var found = of(fields, paths);
        if (fields.next()) {
          throw new IllegalStateException("field " + fields.name() + " is behind it");
        }
        return found;
      }
    }
    return new WrittenVersions(new long[paths], new long[paths][], 0, fields.at());
  }

  /** Reads them from the field that holds them. */
  static WrittenVersions of(BsonFields marker, int paths) {
    if (marker.type() != BsonType.DOCUMENT) {
      throw new IllegalStateException("it is no document");
    }
    var versions = new long[paths];
    var pushed = new long[paths][];
    long writes = 0;
    var fields = marker.inner();
    while (fields.next()) {
      if (fields.isNamed(WRITES) && writes == 0) {
        writes = version(fields);
        continue;
      }
      int path = 0;
      while (path < paths && !fields.isNamed(Integer.toString(path))) {
        path++;
      }
      if (path == paths || versions[path] != 0 || pushed[path] != null) {
        throw new IllegalStateException("its field " + fields.name() + " is no path's version");
      }
      if (fields.type() == BsonType.ARRAY) {
        pushed[path] = versionsOf(fields);
      } else {
        versions[path] = version(fields);
      }
    }
    if (fields.at() + 1 != marker.end()) {
      throw new IllegalStateException("it is malformed");
    }
    return new WrittenVersions(versions, pushed, writes, marker.at());
  }

  private static long version(BsonFields field) {
    long version = field.type() == BsonType.INT64 ? field.value().bytes().getLong(0) : 0;
    if (version < 1) {
      throw new IllegalStateException("its field " + field.name() + " is no path's version");
    }
    return version;
  }

  private static long[] versionsOf(BsonFields list) {
    var versions = LongStream.builder();
    var entries = list.inner();
    while (entries.next()) {
      versions.add(version(entries));
    }
    return versions.build().toArray();
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
