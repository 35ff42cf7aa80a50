package pressgauge;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertManyOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.bson.RawBsonDocument;
import site.ycsb.ByteIterator;
import site.ycsb.Client;
import site.ycsb.DBException;
import site.ycsb.workloads.CoreWorkload;

/**
 * What the driver alone costs: a bare loop that sends, from as many threads, the documents that the
 * workload would, encoded beforehand. {@code floor.operation} is insert, insert_batched or rmw;
 * {@code floor.out} gets a JSON file like the client file, whose samples let a reader leave warm-up
 * out.
 */
public final class Floor {
  private static final InsertManyOptions INDEPENDENT = new InsertManyOptions().ordered(false);
  private static final int BUFFER_BYTES = 1 << 22;

  private final Settings settings;
  private final SharedClient client;
  private final String table;
  private final Layout layout;
  private final Documents documents;
  private final int threads;
  private final LongAdder done = new LongAdder();

  private Floor(Settings settings, SharedClient client) {
    this.settings = settings;
    this.client = client;
    table = settings.text(CoreWorkload.TABLENAME_PROPERTY, "usertable");
    documents = Documents.of(settings);
    layout = documents.layout();
    threads = settings.count(Client.THREAD_COUNT_PROPERTY, 1, 1, 1000);
  }

  /** See {@link Tool#main} for the exit status. */
  public static void main(String[] arguments) {
    System.exit(Tool.main("floor", arguments, Floor::run, System.err));
  }

  private static void run(Settings settings) throws DBException, IOException {
    var client = SharedClient.acquire(settings.properties());
    try {
      new Floor(settings, client).measure(settings.text("floor.operation"));
    } finally {
      client.release(settings.properties());
    }
  }

  private void measure(String operation) throws IOException {
    int batch = settings.count("mongodb.batchsize", 100, 1, 100_000);
    var loops =
        switch (operation) {
          case "insert" -> inserts();
          case "insert_batched" -> batchedInserts(batch);
          case "rmw" -> readModifyWrites();
          default -> throw new UsageException("floor.operation: insert, insert_batched or rmw");
        };
    var file = new ClientFile(new Intervals(System::currentTimeMillis, false), done::sum);
    var running = new ArrayList<Thread>();
    for (var loop : loops) {
      var thread = new Thread(loop);
      thread.start();
      running.add(thread);
    }
    for (var thread : running) {
      join(thread);
    }
    file.write(settings.path("floor.out"), 0, Map.of("operation", operation, "done", done.sum()));
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private List<Runnable> inserts() {
    return forEachThread(1, (collection, documents) -> collection.insertOne(documents.get(0)));
  }

  private List<Runnable> batchedInserts(int size) {
    return forEachThread(
        size, (collection, documents) -> collection.insertMany(documents, INDEPENDENT));
  }

  private interface Insert {
    void into(MongoCollection<RawBsonDocument> collection, List<RawBsonDocument> documents);
  }

  /**
   * Every thread sends its documents, so many at once, over and over: each time into another
   * collection, so that few need to be held in memory.
   */
  private List<Runnable> forEachThread(int size, Insert insert) {
    int records = settings.count(Client.RECORD_COUNT_PROPERTY, 0, 1, Integer.MAX_VALUE);
    int operations = settings.count(Client.OPERATION_COUNT_PROPERTY, 0, 1, Integer.MAX_VALUE);
    var loops = new ArrayList<Runnable>();
    for (int thread = 0; thread < threads; thread++) {
      var batches = batches(documents(thread, records), size);
      int passes = (operations + records - 1) / records;
      loops.add(
          () -> {
            for (int pass = 0; pass < passes; pass++) {
              var collection = client.collection(pass == 0 ? table : table + pass);
              for (var batch : batches) {
                insert.into(collection, batch);
                done.add(batch.size());
              }
            }
          });
    }
    return loops;
  }

  private List<RawBsonDocument> documents(int thread, int records) {
    var encoder = new Encoder();
    var document = documents.blank();
    for (int record = thread; record < records; record += threads) {
      documents.fill(document, record, 0);
      encoder.keep(layout.document(encoder.buffer, documents.keys().of(record), document));
    }
    return encoder.documents;
  }

  private static List<List<RawBsonDocument>> batches(List<RawBsonDocument> documents, int size) {
    var batches = new ArrayList<List<RawBsonDocument>>();
    for (int from = 0; from < documents.size(); from += size) {
      batches.add(List.copyOf(documents.subList(from, Math.min(from + size, documents.size()))));
    }
    return batches;
  }

  private List<Runnable> readModifyWrites() {
    int records = settings.count(Client.RECORD_COUNT_PROPERTY, 0, 1, Integer.MAX_VALUE);
    int operations = settings.count(Client.OPERATION_COUNT_PROPERTY, 0, 1, Integer.MAX_VALUE);
    // A phase of its own each time, or it would set fields to what they are already.
    var phase = settings.text("pressgauge.phase", "run");
    var mix =
        new OperationMix(
            settings, Operations.REGISTERED, settings.number("pressgauge.seed"), phase);
    var loops = new ArrayList<Runnable>();
    for (int thread = 0; thread < threads; thread++) {
      var filters = new Encoder();
      var updates = new Encoder();
      for (int operation = thread; operation < operations; operation += threads) {
        int record = mix.key(operation, records);
        int field = mix.field(operation, documents.fields().size());
        var values = new LinkedHashMap<String, ByteIterator>();
        documents.put(values, record, field, 1);
        filters.keep(layout.filter(filters.buffer, documents.keys().of(record)));
        updates.keep(Layout.update(updates.buffer, values));
      }
      loops.add(() -> readModifyWrite(filters.documents, updates.documents));
    }
    return loops;
  }

  private void readModifyWrite(List<RawBsonDocument> filters, List<RawBsonDocument> updates) {
    var collection = client.collection(table);
    for (int i = 0; i < filters.size(); i++) {
      collection.find(filters.get(i)).first();
      collection.updateOne(filters.get(i), updates.get(i));
      done.increment();
    }
  }

  /** Keeps documents as views on a few large arrays, as cheap to collect as can be. */
  private static final class Encoder {
    private final List<RawBsonDocument> documents = new ArrayList<>();
    private BsonBuffer buffer = new BsonBuffer(BUFFER_BYTES);

    void keep(int start) {
      documents.add(buffer.view(start, buffer.size()));
      if (buffer.size() > BUFFER_BYTES / 2) {
        buffer = new BsonBuffer(BUFFER_BYTES);
      }
    }
  }
}
