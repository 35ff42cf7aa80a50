package pressgauge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import com.mongodb.ConnectionString;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SharedClientTest {
  @ParameterizedTest
  @CsvSource({
    "compressors=zstd, zstd",
    "compressors=snappy, snappy",
    "compressors=zlib, zlib",
    "compressors=zlib&zlibCompressionLevel=0, zlib 0",
  })
  void tellsWhatTheConnectionStringAsksFor(String options, String told) {
    var uri = new ConnectionString("mongodb://localhost/?" + options);
    assertEquals(told, SharedClient.told(uri.getCompressorList()));
  }

  @Test
  void tellsNothingWhereNothingIsAskedFor() {
    assertNull(SharedClient.told(List.of()));
  }
}
