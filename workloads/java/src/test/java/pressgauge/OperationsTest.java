package pressgauge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import site.ycsb.Status;

class OperationsTest extends WorkloadRunner {
  /** Deletes a record, or finds that it has been deleted. */
  private static final class Delete implements Operation {
    @Override
    public String name() {
      return "DELETE";
    }

    @Override
    public Status run(Turn turn) {
      var status = turn.db().delete(turn.table(), turn.key(turn.chooseRecord()));
      return status == Status.NOT_FOUND ? Status.OK : status;
    }
  }

  private static Operations withDelete() {
    var all = new ArrayList<>(Operations.REGISTERED.all());
    all.add(new Delete());
    return new Operations(all);
  }

  private static OperationMix mix(Operations operations, String... more) {
    var properties = new Properties();
    for (int i = 0; i < more.length; i += 2) {
      properties.setProperty(more[i], more[i + 1]);
    }
    return new OperationMix(new Settings(properties), operations, 42, "run");
  }

  /** The defaults are CoreWorkload's. */
  @ParameterizedTest
  @CsvSource({
    "readproportion, 0.95, READ",
    "updateproportion, 0.05, UPDATE",
    "insertproportion, 0, INSERT",
    "scanproportion, 0, SCAN",
    "readmodifywriteproportion, 0, READ-MODIFY-WRITE",
  })
  void everyProportionOfYcsbsIsAnOperations(String property, String proportion, String name) {
    var operation = Operations.REGISTERED.of(property);
    assertEquals(name, operation.name());
    assertEquals(proportion, operation.proportion());
  }

  @Test
  void anUnknownOperationIsToldWithThoseThatThereAre() {
    var refusal =
        assertThrows(
            UsageException.class, () -> mix(Operations.REGISTERED, "deleteproportion", "0.1"));
    assertEquals(
        "deleteproportion: no such operation; there are readproportion, updateproportion,"
            + " insertproportion, scanproportion, readmodifywriteproportion",
        refusal.getMessage());
  }

  @Test
  void aMixFillsTheSeriesOfItsOperationsAlone() {
    assertEquals(Set.of("READ", "UPDATE"), mix(Operations.REGISTERED).series());
    var rmw = mix(Operations.REGISTERED, concat(RMW, "scanproportion", "0.1"));
    assertEquals(Set.of("READ", "UPDATE", "SCAN", "READ-MODIFY-WRITE"), rmw.series());
  }

  @Test
  void aNewOperationLeavesMixesWithoutItAsTheyAre() {
    var before = mix(Operations.REGISTERED, RMW);
    var after = mix(withDelete(), RMW);
    for (int index = 0; index < 1000; index++) {
      assertEquals(before.operation(index), after.operation(index));
    }
  }

  @Test
  void aNewOperationIsAClassAndALine() throws Exception {
    var db = loaded();
    known = withDelete();

    var file = run(db, 2, false, "readproportion", "0", "deleteproportion", "0.95");

    var operations = file.get("operations", Document.class);
    var deletes = operations.get("DELETE", Document.class);
    assertEquals(Map.of("OK", deletes.getInteger("ok")), deletes.get("by_status", Document.class));
    assertTrue(deletes.getInteger("ok") > OPERATIONS / 2, operations.toJson());
    assertTrue(db.documents.size() < RECORDS);
  }
}
