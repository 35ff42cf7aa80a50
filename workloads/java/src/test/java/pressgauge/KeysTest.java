package pressgauge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeysTest {
  @ParameterizedTest
  @CsvSource({
    "hashed, 1, 0, user6284781860667377211",
    "hashed, 1, 1, user8517097267634966620",
    "hashed, 19, 2, user1820151046732198393",
    "ordered, 1, 17, user17",
    "ordered, 8, 17, user00000017",
  })
  void recordsAreNamedAsYcsbNamesThem(String order, int padding, long number, String name) {
    assertEquals(name, names(order, padding).of(number));
  }

  @Test
  void everyRecordIsFoundByItsNameAndNoOther() {
    var records = new Records(List.of(range(0, 1000), range(5000, 10)), new int[0], 1010, 1010);
    var names = names("hashed", 1);
    var index = new RecordIndex(names, records);

    for (int i = 0; i < records.count(); i++) {
      assertEquals(records.at(i), index.find(names.of(records.at(i))));
    }
    for (var stranger : List.of(names.of(1000), names.of(5010), "user", "user1", "other", "")) {
      assertEquals(-1, index.find(stranger), stranger);
    }
    assertEquals(-1, index.find(names.of(0).replace("user", "user0")));
  }

  @Test
  void aSampleIsSpreadOverAllRanges() {
    var properties = new Properties();
    properties.setProperty("verify.documents", "100");
    properties.setProperty("verify.ranges", "1000:50, 2000:50");
    properties.setProperty("verify.sample", "4");

    var records = Records.of(new Settings(properties));

    assertEquals(200, records.expected());
    var sample = List.of(records.at(0), records.at(1), records.at(2), records.at(3));
    assertEquals(List.of(0, 50, 1000, 2000), sample);
  }

  @Test
  void aMalformedRangeIsRefused() {
    var properties = new Properties();
    properties.setProperty("verify.documents", "100");
    properties.setProperty("verify.ranges", "1000-1050");
    assertThrows(UsageException.class, () -> Records.of(new Settings(properties)));
  }

  private static Records.Range range(int first, int count) {
    return new Records.Range(first, count);
  }

  private static KeyNames names(String order, int padding) {
    var properties = new Properties();
    properties.setProperty("insertorder", order);
    properties.setProperty("zeropadding", Integer.toString(padding));
    return new KeyNames(new Settings(properties));
  }
}
