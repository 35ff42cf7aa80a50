package pressgauge;

import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoIterable;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.bson.Document;
import org.bson.RawBsonDocument;
import pressgauge.Findings.Example;
import site.ycsb.DBException;
import site.ycsb.workloads.CoreWorkload;

/**
 * Reads a collection back and recomputes every document, or an evenly spread sample of them.
 *
 * <p>Properties beside the workload's: {@code verify.documents} (how many records, from 0 on;
 * default recordcount), {@code verify.ranges} ({@code first:count,...}: further records, inserted
 * by several clients), {@code verify.absent} ({@code client:clients:restored:deleted,...}: how many
 * of its loaded records each client deleted, and how many came back), {@code verify.sample} (0:
 * all), {@code verify.out} (the JSON file).
 *
 * <p>All documents are read with one cursor, so that unknown ones are found too; memory is 8 to 16
 * bytes a record. {@code content_hash} is the sum of the documents' SHA-256, in four lanes of 64
 * bits, over what was read: equal content has equal hashes in whatever order it lies.
 */
public final class Verify {
  private static final int CHUNK = 512;
  private static final int CHUNK_BYTES = 1 << 20; // or large documents would wait by the gigabyte
  private static final int WAITING_CHUNKS = 16;
  private static final int CURSOR_BATCH = 16_384;
  private static final int FORMAT_VERSION = 1;
  private static final long PROGRESS_NS = 1_000_000_000L;

  private final MongoCollection<RawBsonDocument> collection;
  private final DocumentModel model;
  private final ReferenceCount references = new ReferenceCount();
  private final Keys keys;
  private final Layout layout;
  private final Records records;
  private final DocumentCheck check;
  private final int wholeBytes;
  private final Findings findings = new Findings();
  private final AtomicReference<RuntimeException> defect = new AtomicReference<>();
  private long read;
  private long toldNs = System.nanoTime();
  private long toldRead;

  private Verify(Settings settings, SharedClient client) {
    var table = settings.text(CoreWorkload.TABLENAME_PROPERTY, "usertable");
    collection = written(client.collection(table));
    model = DocumentModel.of(settings).over(client);
    var documents = Documents.of(settings);
    keys = documents.keys();
    layout = documents.layout();
    records = Records.of(settings);
    long fieldBytes = settings.count(CoreWorkload.FIELD_LENGTH_PROPERTY, 100, 1, 15_000_000);
    wholeBytes = (int) Math.min(CHUNK_BYTES, documents.fields().size() * fieldBytes);
    check = new DocumentCheck(new RecordIndex(keys, records), documents);
  }

  /** Runs the verification; see {@link Tool#main} for its exit status. */
  public static void main(String[] arguments) {
    System.exit(Tool.main("verify", arguments, Verify::run, System.err));
  }

  private static void run(Settings settings) throws DBException, IOException {
    var out = settings.path("verify.out");
    Files.deleteIfExists(out); // or a failure would leave an earlier verification's word
    var client = SharedClient.acquire(settings.properties());
    try {
      var verify = new Verify(settings, client);
      verify.check();
      Files.writeString(out, verify.result().toJson() + "\n");
    } finally {
      client.release(settings.properties());
    }
  }

  /** The primary's own documents, however the workload reads them. */
  private static MongoCollection<RawBsonDocument> written(
      MongoCollection<RawBsonDocument> collection) {
    return collection
        .withReadPreference(ReadPreference.primary())
        .withReadConcern(ReadConcern.DEFAULT);
  }

  /** Reads with this thread, recomputes with others; this one helps out when they are behind. */
  private void check() {
    int helpers = Math.max(1, Runtime.getRuntime().availableProcessors() - 1);
    var queue = new ArrayBlockingQueue<Runnable>(WAITING_CHUNKS);
    var helpOut = new ThreadPoolExecutor.CallerRunsPolicy();
    var pool = new ThreadPoolExecutor(helpers, helpers, 0, TimeUnit.SECONDS, queue, helpOut);
    try {
      if (records.isSample()) {
        readSample(pool);
      } else {
        read(collection.find().batchSize(CURSOR_BATCH), pool);
      }
    } finally {
      pool.shutdown();
      awaitEnd(pool);
    }
    if (defect.get() != null) {
      throw defect.get();
    }
  }

  private static void awaitEnd(ThreadPoolExecutor pool) {
    try {
      while (!pool.awaitTermination(1, TimeUnit.SECONDS)) {
        // chunks are short; the queue is bounded
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void readSample(ThreadPoolExecutor pool) {
    var chunk = new ArrayList<String>(CHUNK);
    var buffer = new BsonBuffer(CHUNK * 32);
    for (int i = 0; i < records.count(); i++) {
      chunk.add(keys.of(records.at(i)));
      if (chunk.size() == CHUNK || i == records.count() - 1) {
        buffer.clear();
        int start = layout.filter(buffer, chunk);
        var filter = buffer.view(start, buffer.size());
        read(collection.find(filter).batchSize(CHUNK), pool);
        chunk.clear();
      }
    }
  }

  private void read(MongoIterable<RawBsonDocument> documents, ThreadPoolExecutor pool) {
    var chunk = new ArrayList<RawBsonDocument>(CHUNK);
    int bytes = 0;
    try (var cursor = documents.iterator()) {
      while (cursor.hasNext()) {
        var document = cursor.next();
        bytes += Math.max(document.getByteBuffer().remaining(), wholeBytes);
        chunk.add(document);
        if (chunk.size() == CHUNK || bytes >= CHUNK_BYTES || !cursor.hasNext()) {
          var full = chunk;
          bytes = 0;
          pool.execute(() -> check(full));
          read += full.size();
          tell();
          chunk = new ArrayList<>(CHUNK);
        }
      }
    }
  }

  private void check(ArrayList<RawBsonDocument> documents) {
    try {
      var whole = model.resolved(documents);
      if (whole != documents) { // else nothing was referred to
        references.count(documents, whole);
      }
      findings.merge(check.check(whole));
    } catch (RuntimeException e) {
      defect.compareAndSet(null, e);
    }
  }

  private void tell() {
    long now = System.nanoTime();
    if (now - toldNs >= PROGRESS_NS) {
      long perS = (read - toldRead) * 1_000_000_000L / (now - toldNs);
      System.err.printf("verify: %d of %d documents, %d/s%n", read, records.count(), perS);
      toldNs = now;
      toldRead = read;
    }
  }

  private Document result() {
    long counted = records.isSample() ? collection.estimatedDocumentCount() : read;
    for (int i = 0; i < records.count() && findings.wantsMissing(records.count()); i++) {
      int recordNumber = records.at(i);
      if (!findings.hasSeen(recordNumber)) {
        var key = keys.of(recordNumber);
        findings.example(new Example(key, recordNumber, "", "the document is missing"));
      }
    }
    var result =
        new Document("format_version", FORMAT_VERSION)
            .append("expected", records.expected())
            .append("counted", counted)
            .append("missing", records.count() - findings.checked());
    result.putAll(findings.toDocument());
    boolean isWhole = !records.isSample();
    model
        .entries()
        .ifPresent(entries -> result.put("dictionary", references.toDocument(entries, isWhole)));
    if (records.isSample()) {
      result.put("surplus", Math.max(0, counted - records.expected()));
    }
    return result;
  }
}
