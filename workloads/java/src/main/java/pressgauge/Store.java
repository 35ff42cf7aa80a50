package pressgauge;

import com.mongodb.client.result.UpdateResult;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.bson.RawBsonDocument;
import site.ycsb.Status;

/**
 * What operations ask of a collection beyond YCSB's calls. For one thread; what the server or the
 * driver refuses is a {@link com.mongodb.MongoException}.
 */
interface Store {
  /**
   * A query.
   *
   * @param projection null for whole documents
   * @param sort null for the order in which the server finds them
   * @param limit 0 for all
   */
  record Query(
      RawBsonDocument filter, RawBsonDocument projection, RawBsonDocument sort, int limit) {}

  /** Where the thread's messages are made; empty at the beginning of each operation. */
  BsonBuffer buffer();

  /** Gives each document that is found, and returns how many there are. */
  int find(Query query, Consumer<RawBsonDocument> each);

  long count(RawBsonDocument filter);

  /** Gives each document that comes out of a pipeline, and returns how many there are. */
  int aggregate(List<RawBsonDocument> pipeline, Consumer<RawBsonDocument> each);

  /** Inserts documents with one command. */
  void insert(List<RawBsonDocument> documents);

  UpdateResult update(RawBsonDocument filter, RawBsonDocument update);

  UpdateResult replace(RawBsonDocument filter, RawBsonDocument document, boolean upsert);

  /** Deletes one document at most, and returns how many. */
  long delete(RawBsonDocument filter);

  /** Does something in a transaction, again where it met another one's writes. */
  Status together(Function<Store, Status> operations);
}
