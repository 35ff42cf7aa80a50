package pressgauge;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuthorityTest {
  @Test
  void whatIsNoCertificateIsRefused(@TempDir Path folder) throws IOException {
    var file = Files.writeString(folder.resolve("authority.pem"), "no certificate");
    refuses(file);
    refuses(folder.resolve("missing.pem"));
  }

  private static void refuses(Path file) {
    var refusal = assertThrows(UsageException.class, () -> Authority.context(file));
    assertTrue(refusal.getMessage().contains("can't use " + file), refusal.getMessage());
  }
}
