package pressgauge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CorpusTest {
  @Test
  void linesStartAfterLineEndsAndTheTextGoesOnAtItsBeginning() {
    var corpus = Corpus.of(bytes("one\ntwo three\n"), 20);

    assertEquals(2, corpus.lines());
    assertEquals(0, corpus.start(0));
    assertEquals(4, corpus.start(1));
    var text = new String(corpus.text(), StandardCharsets.UTF_8);
    assertEquals("one two three one two three one tw", text);
  }

  @ParameterizedTest
  @CsvSource({
    "'', is empty",
    "'no end', no line end",
    "'one\n\ntwo\n', line 2 is empty",
    "'one\n#12 two\n', line 2 begins like a version marker",
    "'one\n#12\ntwo\n', line 2 begins like a version marker",
  })
  void whatIsNoCorpusIsRefused(String lines, String why) {
    var refusal = assertThrows(UsageException.class, () -> Corpus.of(bytes(lines), 8));
    assertTrue(refusal.getMessage().contains(why), refusal.getMessage());
  }

  @Test
  void brokenUtf8IsRefused() {
    byte[] cut = {(byte) 0xC3, '\n'};
    assertThrows(UsageException.class, () -> Corpus.of(cut, 8));
  }

  @Test
  void aMissingFileIsNamed() {
    var missing = Path.of("no", "such", "corpus");
    var refusal = assertThrows(UsageException.class, () -> Corpus.read(missing, 8));
    assertTrue(refusal.getMessage().contains(missing.toString()), refusal.getMessage());
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
