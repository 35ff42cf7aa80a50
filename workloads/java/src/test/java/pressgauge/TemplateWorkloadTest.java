package pressgauge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import site.ycsb.DB;

/** The workload on documents of one's own, as far as it needs no server. */
class TemplateWorkloadTest extends WorkloadRunner {
  /** A phase with the binding that does nothing, on a golden set with so many updated paths. */
  private Document run(String set, String paths, boolean load, String... more) throws Exception {
    var golden = TemplateDocumentsTest.set(set);
    golden.put("updatepaths", paths);
    var given = TemplateDocumentsTest.properties(golden, folder);
    var all = more;
    for (var name : given.stringPropertyNames()) {
      all = concat(all, name, given.getProperty(name));
    }
    var noop = new NoopBinding();
    noop.setProperties(properties(all));
    noop.init();
    return run((DB) noop, 2, load, all);
  }

  private static Document statuses(Document file, String operation) {
    var operations = file.get("operations", Document.class);
    return operations.get(operation, Document.class).get("by_status", Document.class);
  }

  @Test
  void recordsThatCannotBeAreRefusedOneByOne() throws Exception {
    var file = run("other", "status", true, "pressgauge.maxfailures", "100");
    var expected = new Document("OK", 5).append("RECORD_REFUSED", RECORDS - 5);
    assertEquals(expected, statuses(file, "INSERT"));
    assertEquals(4, file.getInteger("last_inserted_record"));
  }

  @ParameterizedTest
  @CsvSource({"'status,shipping.city', false", "'status,shipping.city', true", "status, false"})
  void everyOperationRuns(String paths, String whole) throws Exception {
    var file =
        run(
            "objectId",
            paths,
            false,
            concat(
                new String[] {"readallfields", whole, "writeallfields", whole},
                "readproportion",
                "0.2",
                "updateproportion",
                "0.2",
                "insertproportion",
                "0.2",
                "scanproportion",
                "0.2",
                "readmodifywriteproportion",
                "0.2"));
    int ok = 0;
    for (var operation : new String[] {"READ", "UPDATE", "INSERT", "SCAN", "READ-MODIFY-WRITE"}) {
      var statuses = statuses(file, operation);
      assertEquals(1, statuses.size(), statuses.toJson());
      ok += statuses.getInteger("OK");
    }
    assertEquals(OPERATIONS, ok);
  }

  @Test
  void whereNothingIsWrittenDocumentsAreReadWhole() throws Exception {
    String[] reads = {"readallfields", "false", "readproportion", "1", "updateproportion", "0"};
    assertEquals(new Document("OK", OPERATIONS), statuses(run("int", "", false, reads), "READ"));
    run("int", "", true); // a load has no mix
  }

  @ParameterizedTest
  @ValueSource(strings = {"readmodifywriteproportion", "updateproportion"})
  void updatesWithoutPathsAreRefused(String operation) {
    String[] mix = {"readproportion", "0.5", "updateproportion", "0", operation, "0.5"};
    var refusal = assertThrows(IllegalStateException.class, () -> run("int", "", false, mix));
    assertEquals("ended with 2", refusal.getMessage());
  }
}
