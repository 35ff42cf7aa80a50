package pressgauge;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoIterable;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.client.result.UpdateResult;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.bson.RawBsonDocument;
import site.ycsb.Status;

/** A collection of MongoDB, in one session of the thread's own. */
final class MongoStore implements Store, AutoCloseable {
  private static final int MOST_AT_ONCE = 1000; // or a scan of all would hold 16 MB

  private final SharedClient shared;
  private final MongoCollection<RawBsonDocument> collection;
  private final BsonBuffer buffer = new BsonBuffer(16 * 1024);
  private ClientSession session;

  MongoStore(SharedClient shared, String table) {
    this.shared = shared;
    collection = shared.collection(table);
  }

  private ClientSession session() {
    if (session == null) {
      session = shared.session();
    }
    return session;
  }

  @Override
  public void close() {
    if (session != null) {
      session.close();
    }
  }

  @Override
  public BsonBuffer buffer() {
    return buffer;
  }

  @Override
  public int find(Query query, Consumer<RawBsonDocument> each) {
    int atOnce = query.limit() == 0 ? MOST_AT_ONCE : Math.min(MOST_AT_ONCE, query.limit());
    var find = collection.find(session(), query.filter()).projection(query.projection());
    return drain(find.sort(query.sort()).limit(query.limit()).batchSize(atOnce), each);
  }

  private static int drain(
      MongoIterable<RawBsonDocument> documents, Consumer<RawBsonDocument> each) {
    int count = 0;
    try (var cursor = documents.iterator()) {
      for (; cursor.hasNext(); count++) {
        each.accept(cursor.next());
      }
    }
    return count;
  }

  @Override
  public long count(RawBsonDocument filter) {
    return collection.countDocuments(session(), filter);
  }

  @Override
  public int aggregate(List<RawBsonDocument> pipeline, Consumer<RawBsonDocument> each) {
    return drain(collection.aggregate(session(), pipeline).batchSize(MOST_AT_ONCE), each);
  }

  @Override
  public void insert(List<RawBsonDocument> documents) {
    if (documents.size() == 1) {
      collection.insertOne(session(), documents.get(0));
    } else {
      collection.insertMany(session(), documents);
    }
  }

  @Override
  public UpdateResult update(RawBsonDocument filter, RawBsonDocument update) {
    return collection.updateOne(session(), filter, update);
  }

  @Override
  public UpdateResult replace(RawBsonDocument filter, RawBsonDocument document, boolean upsert) {
    return collection.replaceOne(session(), filter, document, new ReplaceOptions().upsert(upsert));
  }

  @Override
  public long delete(RawBsonDocument filter) {
    return collection.deleteOne(session(), filter).getDeletedCount();
  }

  @Override
  public Status together(Function<Store, Status> operations) {
    return session().withTransaction(() -> operations.apply(this));
  }
}
