package pressgauge;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ValueFunctionTest {
  private static Document golden() throws IOException {
    return Document.parse(
        Files.readString(Path.of("..", "..", "tests", "golden", "value_function.json")));
  }

  static Stream<Document> vectors() throws IOException {
    return golden().getList("vectors", Document.class).stream();
  }

  static Stream<Document> draws() throws IOException {
    return golden().getList("draws", Document.class).stream();
  }

  @ParameterizedTest
  @MethodSource("draws")
  void drawsAreTheGoldenOnes(Document vector) {
    long draw =
        ValueFunction.draw(
            number(vector, "seed"),
            number(vector, "key"),
            number(vector, "field"),
            number(vector, "version"));
    assertEquals(vector.getString("draw"), String.format("%016x", draw));
  }

  static Stream<Document> once() throws IOException {
    return golden().getList("once", Document.class).stream();
  }

  @ParameterizedTest
  @MethodSource("once")
  void linesThatBeginOneValueEachAreTheGoldenOnes(Document vector) {
    var lines =
        LineChoice.eachOnce(
            number(vector, "seed"), vector.getInteger("fields"), vector.getInteger("lines"));
    int line =
        lines.line(number(vector, "key"), vector.getInteger("field"), number(vector, "version"));
    assertEquals(vector.getInteger("line"), line);
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void valuesAreTheGoldenOnes(Document vector) throws IOException {
    var lines = golden().get("corpora", Document.class).getString(vector.getString("corpus"));
    int length = vector.getInteger("length");
    long version = number(vector, "version");
    var documents =
        new TextDocuments(null, List.of(), values(lines, number(vector, "seed"), length));
    var value = documents.value(number(vector, "key"), vector.getInteger("field"), version);
    assertAll(
        () -> assertEquals(vector.getString("value"), value.toString()),
        () -> assertEquals(length, value.length()),
        () -> assertEquals(version, ValueFunction.version(value)));
  }

  @Test
  void aValueThatNeedsNoChangeIsASliceOfTheCorpus() {
    var corpus = Corpus.of("plain text of one line\n".getBytes(StandardCharsets.UTF_8), 16);
    assertSame(corpus.text(), new ValueFunction(corpus, 1, 16).value(5, 0, 0).array());
  }

  @ParameterizedTest
  @CsvSource({"16, 'éééééééé'", "17, 'éééééééé '", "18, 'éééééééé  '", "19, 'éééééééé é'"})
  void aCharacterSplitByTheEndBecomesSpaces(int length, String expected) {
    assertEquals(expected, values("éééééééé\n", 1, length).value(0, 0, 0).toString());
  }

  @ParameterizedTest
  @CsvSource({
    "'#1 x', 1",
    "'#12 ', 12",
    "'#9999 and more', 9999",
    "'#123456789012345678 x', 123456789012345678",
    "'#1234567890123456789 x', 0",
    "'# x', 0",
    "'#0 x', 0",
    "'#012 x', 0",
    "'#12', 0",
    "'#1x ', 0",
    "'12 x', 0",
    "'', 0",
  })
  void onlyAWholeMarkerIsAVersion(String text, long version) {
    var bytes = text.getBytes(StandardCharsets.UTF_8);
    assertEquals(version, ValueFunction.version(new TextValue(bytes, 0, bytes.length)));
  }

  @Test
  void aMarkerThatDoesNotFitIsRefused() {
    var values = values("some text\n", 1, 4);
    assertEquals("#99 ", values.value(0, 0, 99).toString());
    assertThrows(IllegalArgumentException.class, () -> values.value(0, 0, 100));
  }

  private static ValueFunction values(String lines, long seed, int length) {
    var corpus = Corpus.of(lines.getBytes(StandardCharsets.UTF_8), length);
    return new ValueFunction(corpus, seed, length);
  }

  private static long number(Document vector, String name) {
    return ((Number) vector.get(name)).longValue();
  }
}
