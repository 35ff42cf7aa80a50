package pressgauge;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.bson.Document;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class Murmur3Test {
  static Stream<Document> vectors() throws IOException {
    var file = Path.of("..", "..", "tests", "golden", "value_hashes.json");
    return Document.parse(Files.readString(file)).getList("vectors", Document.class).stream();
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void hashesAreTheGoldenOnes(Document vector) {
    var text = ("beside" + vector.getString("text") + "beside").getBytes(StandardCharsets.UTF_8);
    var value = new TextValue(text, 6, text.length - 12);
    assertEquals(vector.getString("hash"), Reference.to(value, 128).toString());
    assertEquals(vector.getString("hash").substring(0, 16), Reference.to(value, 64).toString());
  }
}
