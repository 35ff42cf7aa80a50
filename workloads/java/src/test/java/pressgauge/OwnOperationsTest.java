package pressgauge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.mongodb.MongoSocketReadException;
import com.mongodb.ServerAddress;
import com.mongodb.client.result.UpdateResult;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.Document;
import org.bson.RawBsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The kinds of operations of mixes of one's own, as far as they need no server. */
class OwnOperationsTest extends WorkloadRunner {
  private MemoryStore store = new MemoryStore();

  @Override
  Properties properties(String... more) {
    var properties = super.properties(more);
    ClientRecord.of(properties).store(store);
    return properties;
  }

  /** The properties of operations, each given as its keys and values. */
  private static String[] mix(String... operations) {
    var found = new ArrayList<>(List.of("pressgauge.operations", "" + operations.length));
    for (int number = 0; number < operations.length; number++) {
      var before = "pressgauge.operations." + number + '.';
      found.addAll(List.of(before + "weight", "1.0"));
      for (var pair : operations[number].split(" ")) {
        var parts = pair.split("=");
        found.addAll(List.of(before + parts[0], parts[1]));
      }
    }
    return found.toArray(String[]::new);
  }

  private String[] templates(String set) throws Exception {
    var golden = TemplateDocumentsTest.set(set);
    var found = new ArrayList<String>();
    TemplateDocumentsTest.properties(golden, folder)
        .forEach((name, value) -> found.addAll(List.of((String) name, (String) value)));
    return found.toArray(String[]::new);
  }

  /** Puts the loaded records into the store, without an operation. */
  private Documents load(String... more) {
    var documents = Documents.of(new Settings(properties(more)));
    var layout = documents.layout();
    for (long record = 0; record < RECORDS; record++) {
      var document = documents.blank();
      documents.fill(document, record, 0);
      var buffer = new BsonBuffer(64);
      int start = layout.document(buffer, documents.keys().of(record), document);
      store.insert(List.of(buffer.view(start, buffer.size())));
    }
    return documents;
  }

  private Document runMix(String[] more, String... operations) throws Exception {
    return run(new MemoryDb(), 2, false, concat(more, mix(operations)));
  }

  private static Document statuses(Document file, String operation) {
    return file.get("operations", Document.class)
        .get(operation, Document.class)
        .get("by_status", Document.class);
  }

  /** Recomputes what is stored, as the verification does; returns the updates counted in it. */
  private long verify(Documents documents, Document file, String... more) {
    int deleted = file.getInteger("records_deleted");
    int inserted = file.getInteger("records_inserted");
    var settings =
        new Settings(
            properties(
                concat(
                    more,
                    "verify.ranges",
                    RECORDS + ":" + inserted,
                    "verify.absent",
                    "0:1:" + file.getInteger("records_restored") + ':' + deleted)));
    var records = Records.of(settings);
    assertEquals(records.expected(), store.documents.size());
    var check = new DocumentCheck(new RecordIndex(documents.keys(), records), documents);
    var all = store.documents.values().stream().map(MemoryStore::raw).toList();
    var found = check.check(all).toDocument();
    assertEquals(0L, found.getLong("altered"), found.toJson());
    assertEquals(0L, found.getLong("surplus"), found.toJson());
    return found.getLong("write_sum");
  }

  @Test
  void theClientsWordsAreThoseOfTheSpec() {
    var kinds =
        Map.ofEntries(
            Map.entry("find", "FIND"),
            Map.entry("find-by-index index=a", "FIND-BY-INDEX"),
            Map.entry("insert", "INSERT"),
            Map.entry("update set=field0", "UPDATE"),
            Map.entry("replace", "REPLACE"),
            Map.entry("delete", "DELETE"),
            Map.entry("upsert", "UPSERT"),
            Map.entry("count index=a", "COUNT"),
            Map.entry("aggregate group=field0", "AGGREGATE"),
            Map.entry("scan", "SCAN"),
            Map.entry("scan-all", "SCAN-ALL"),
            Map.entry("transaction", "TRANSACTION"),
            Map.entry("read-modify-write", "READ-MODIFY-WRITE"));
    kinds.forEach(
        (kind, series) -> {
          var mix = new Settings(properties(mix("kind=" + kind)));
          var operations = new OperationMix(mix, Operations.REGISTERED, 42, "run");
          assertEquals(Set.of(series), operations.series());
          assertTrue(operations.isOwn());
        });
  }

  @ParameterizedTest
  @CsvSource({
    "kind=vacuum, 'pressgauge.operations.0.kind: vacuum is none; there are aggregate, count, del'",
    "kind=find weight=0, 'pressgauge.operations.0.weight: 0 is not above 0 and up to'",
    "kind=insert documents=0, 'pressgauge.operations.0.documents: 0 is not in 1 to 10000'",
    "kind=update set=fieldX, 'pressgauge.operations.0.set: fieldX is not so written'",
    "kind=update push=field0, 'pressgauge.operations.0.push: field0 is not so written'",
  })
  void whatCannotBeIsRefused(String operation, String told) {
    var settings = new Settings(properties(mix(operation)));
    var refusal = assertThrows(UsageException.class, () -> Operations.own(settings));
    assertTrue(refusal.getMessage().startsWith(told), refusal.getMessage());
  }

  @Test
  void aMixIsOfOneFormAlone() {
    var both = new Settings(properties(concat(mix("kind=find"), "readproportion", "1")));
    assertThrows(UsageException.class, () -> Operations.REGISTERED.isOwn(both));
  }

  @Test
  void operationsComeByTheirWeights() {
    var more = concat(mix("kind=find", "kind=scan-all"), "pressgauge.operations.0.weight", "9");
    var mix = new OperationMix(new Settings(properties(more)), Operations.REGISTERED, 42, "run");
    long finds = 0;
    for (int index = 0; index < 10_000; index++) {
      finds += mix.operation(index) instanceof Find ? 1 : 0;
    }
    assertEquals(9000, finds, 150);
  }

  @ParameterizedTest
  @ValueSource(strings = {"uniform", "zipfian", "latest", "hotspot"})
  void whatIsLeftOfTextIsWhatWasCounted(String keys) throws Exception {
    var more = new String[] {"pressgauge.keys", keys, "pressgauge.keys.exponent", "0.99"};
    var documents = load(more);
    var file =
        runMix(
            more,
            "kind=find",
            "kind=update set=field0,field2",
            "kind=read-modify-write",
            "kind=transaction updates=2",
            "kind=scan-all",
            "kind=aggregate group=field1",
            "kind=insert documents=3");
    for (var name : file.get("operations", Document.class).keySet()) {
      assertEquals(Set.of("OK"), statuses(file, name).keySet(), name);
    }
    assertEquals(file.getInteger("writes_counted"), (int) verify(documents, file, more));
    assertTrue(file.getInteger("writes_counted") > 100);
  }

  @ParameterizedTest
  @ValueSource(strings = {"objectId", "string", "int"})
  void whatIsLeftOfTemplatesCanBeMadeAgain(String set) throws Exception {
    var more = templates(set);
    var documents = load(more);
    var file =
        runMix(
            more,
            "kind=find fields=status",
            "kind=update set=status,shipping.city",
            "kind=replace",
            "kind=delete",
            "kind=upsert",
            "kind=insert deleted=true",
            "kind=read-modify-write");
    for (var name : file.get("operations", Document.class).keySet()) {
      assertEquals(Set.of("OK"), statuses(file, name).keySet(), name);
    }
    long left = verify(documents, file, more);
    assertTrue(left > 0 && left < file.getInteger("writes_counted"));
    assertTrue(file.getInteger("documents_overwritten") > 100);
    assertTrue(file.getInteger("records_restored") > 0);
  }

  @Test
  void aLaterPhaseKnowsWhichRecordsExist() throws Exception {
    var documents = load();
    var deletes = new String[] {"kind=delete", "kind=find", "kind=find", "kind=upsert"};
    var file = runMix(new String[0], deletes);
    var more =
        new String[] {
          "pressgauge.phase",
          "again",
          "pressgauge.deleted",
          file.getInteger("records_deleted").toString(),
          "pressgauge.restored",
          file.getInteger("records_restored").toString()
        };
    var later = runMix(more, "kind=find", "kind=insert deleted=true");
    assertEquals(Set.of("OK"), statuses(later, "FIND").keySet());
    assertEquals(later.getInteger("records_deleted"), later.getInteger("records_restored"));
    verify(documents, later, more);
  }

  @Test
  void whenHalfIsDeletedNothingMoreIs() throws Exception {
    load();
    var file = runMix(new String[] {"pressgauge.maxfailures", "1000"}, "kind=delete");
    assertEquals(RECORDS / 2, statuses(file, "DELETE").getInteger("OK"));
    assertEquals(OPERATIONS - RECORDS / 2, statuses(file, "DELETE").getInteger("TOO_FEW_LEFT"));
    assertEquals(RECORDS / 2, store.documents.size());
  }

  /** Answers that can't be right. */
  private static final class WrongStore extends MemoryStore {
    @Override
    public int find(Query query, Consumer<RawBsonDocument> each) {
      return 0;
    }

    @Override
    public long delete(RawBsonDocument filter) {
      return 0;
    }

    @Override
    public UpdateResult update(RawBsonDocument filter, RawBsonDocument update) {
      return UpdateResult.acknowledged(1, 0L, null);
    }

    @Override
    public UpdateResult replace(RawBsonDocument filter, RawBsonDocument document, boolean upsert) {
      return UpdateResult.acknowledged(0, 0L, null);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "find",
        "scan",
        "scan-all",
        "delete",
        "update set=field0",
        "replace",
        "upsert",
        "read-modify-write",
        "transaction"
      })
  void wrongAnswersAreFailures(String kind) throws Exception {
    store = new WrongStore();
    var file = runMix(new String[0], "kind=" + kind);
    var operations = file.get("operations", Document.class);
    var name = operations.keySet().iterator().next();
    assertEquals(Map.of("WRONG_ANSWER", 10), statuses(file, name)); // two threads give up
  }

  @Test
  void anUpdateThatFailedMayHaveBeenDone() throws Exception {
    store =
        new MemoryStore() {
          @Override
          public UpdateResult update(RawBsonDocument filter, RawBsonDocument update) {
            throw new MongoSocketReadException("lost", new ServerAddress());
          }
        };
    load();
    var file = runMix(new String[0], "kind=update set=field1");
    assertEquals(Map.of("CONNECTION_LOST", 10), statuses(file, "UPDATE"));
    assertEquals(10, file.getInteger("writes_uncertain"));
    assertEquals(0, file.getInteger("writes_counted"));
  }

  @Test
  void severalClientsDeleteOnlyWhereEachHasItsOwnRecords() {
    var several = new String[] {"pressgauge.clientcount", "2", "pressgauge.clientindex", "1"};
    var skewed = concat(several, "pressgauge.keys", "zipfian", "pressgauge.keys.exponent", "1");
    assertThrows(IllegalStateException.class, () -> runMix(skewed, "kind=delete"));
    assertEquals(2, end.status);
  }

  @Test
  void withoutAStoreTheOperationsDie() throws Exception {
    store = null;
    var file = runMix(new String[0], "kind=find");
    var died = file.get("threads", Document.class).getList("died", Document.class);
    assertEquals(2, died.size());
    assertTrue(died.get(0).getString("why").contains("no operations but YCSB's"));
  }

  @Test
  void entriesArePushedAndNumbersCounted() throws Exception {
    var lines =
        Stream.of(
            "{_id: 1, n: 5, list: [{a: 1}], s: 'x'}",
            "{_id: 2, n: {$numberLong: '7'}, list: [], s: 'y'}",
            "{_id: 3, n: 2147483640, list: [8, 'nine', {b: [1]}], s: 'z'}");
    var buffer = new BsonBuffer(64);
    lines
        .map(line -> MemoryStore.raw(BsonDocument.parse(line)).getByteBuffer().asNIO())
        .forEach(bytes -> buffer.bytes(bytes, bytes.position(), bytes.remaining()));
    Files.write(folder.resolve("own.bson"), buffer.toArray());
    var more =
        new String[] {
          "pressgauge.documents", "templates",
          "pressgauge.corpus", folder.resolve("own.bson").toString(),
          "pressgauge.updatepaths", "s,n,list",
          "pressgauge.incrementpaths", "n",
          "pressgauge.pushpaths", "list",
          "pressgauge.idkind", "int",
          "pressgauge.idspan", "3",
          "pressgauge.keys", "zipfian",
          "pressgauge.keys.exponent", "2"
        };
    var documents = load(more);
    var file = runMix(more, "kind=update inc=n push=list", "kind=update set=s");
    assertEquals(Set.of("OK"), statuses(file, "UPDATE").keySet());
    assertEquals(OPERATIONS, (int) verify(documents, file, more));
    int longest =
        store.documents.values().stream()
            .mapToInt(one -> one.getArray("list").size())
            .max()
            .orElse(0);
    assertTrue(longest > 10, longest + " entries");
  }
}
