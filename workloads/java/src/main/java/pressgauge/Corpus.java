package pressgauge;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A UTF-8 text in memory, one unit (sentence, paragraph) a line. Line ends become spaces, and the
 * text's own beginning is appended to its end, so that every slice of up to {@link #longestSlice}
 * bytes that starts on a line is contiguous.
 */
final class Corpus {
  private final byte[] text;
  private final int[] starts;
  private final int longestSlice;

  private Corpus(byte[] text, int[] starts, int longestSlice) {
    this.text = text;
    this.starts = starts;
    this.longestSlice = longestSlice;
  }

  /**
   * Reads a corpus file.
   *
   * @param longestSlice the longest slice, in bytes, that will be asked for
   * @throws UsageException if the file can't be read or is no corpus
   */
  static Corpus read(Path file, int longestSlice) {
    try {
      return of(Files.readAllBytes(file), longestSlice);
    } catch (IOException e) {
      throw new UsageException("pressgauge.corpus: can't read " + file + ": " + Reason.of(e));
    } catch (OutOfMemoryError e) {
      throw new UsageException("pressgauge.corpus: " + file + " doesn't fit into one Java array");
    } catch (UsageException e) {
      throw new UsageException("pressgauge.corpus: " + file + ": " + e.getMessage());
    }
  }

  /** As {@link #read}, from the file's bytes. */
  static Corpus of(byte[] lines, int longestSlice) {
    if (lines.length == 0 || lines[lines.length - 1] != '\n') {
      throw new UsageException("not a corpus: it is empty, or its last line has no line end");
    }
    requireUtf8(lines);
    var text = new byte[Math.addExact(lines.length, longestSlice)];
    for (int at = 0; at < text.length; at++) {
      var source = lines[at % lines.length];
      text[at] = source == '\n' ? (byte) ' ' : source;
    }
    var starts = lineStarts(lines);
    requireNoMarkers(text, starts);
    return new Corpus(text, starts, longestSlice);
  }

  private static void requireNoMarkers(byte[] text, int[] starts) {
    for (int line = 0; line < starts.length; line++) {
      if (ValueFunction.version(text, starts[line], text.length - starts[line]) != 0) {
        throw new UsageException(
            "line " + (line + 1) + " begins like a version marker (#<number> and a space)");
      }
    }
  }

  private static void requireUtf8(byte[] lines) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(lines));
    } catch (CharacterCodingException e) {
      throw new UsageException("not a corpus: not valid UTF-8");
    }
  }

  private static int[] lineStarts(byte[] lines) {
    var starts = new int[1024];
    int count = 0;
    for (int start = 0; start < lines.length; start = endOfLine(lines, start) + 1) {
      if (lines[start] == '\n') {
        throw new UsageException("not a corpus: line " + (count + 1) + " is empty");
      }
      if (count == starts.length) {
        starts = Arrays.copyOf(starts, 2 * count);
      }
      starts[count++] = start;
    }
    return Arrays.copyOf(starts, count);
  }

  private static int endOfLine(byte[] lines, int from) {
    int at = from;
    while (lines[at] != '\n') {
      at++;
    }
    return at;
  }

  /** The text followed by its own beginning; shared, not to be written. */
  byte[] text() {
    return text;
  }

  int lines() {
    return starts.length;
  }

  /** Where a line starts, in bytes. */
  int start(int line) {
    return starts[line];
  }

  int longestSlice() {
    return longestSlice;
  }
}
