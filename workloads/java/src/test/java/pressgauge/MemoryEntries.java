package pressgauge;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.ServerAddress;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.bulk.BulkWriteResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;

/** A dictionary's collection in memory, which refuses a key that is there, as mongod does. */
class MemoryEntries implements Dictionary.Entries {
  private static final BsonDocumentCodec CODEC = new BsonDocumentCodec();

  final ConcurrentMap<BsonValue, BsonDocument> stored = new ConcurrentHashMap<>();

  /** How many entries each bulk write had. */
  final List<Integer> sent = new ArrayList<>();

  @Override
  public void insert(List<RawBsonDocument> some) {
    synchronized (sent) {
      sent.add(some.size());
    }
    var errors = new ArrayList<BulkWriteError>();
    for (int i = 0; i < some.size(); i++) {
      var entry = some.get(i).decode(CODEC);
      if (stored.putIfAbsent(entry.get("_id"), entry) != null) {
        errors.add(new BulkWriteError(11000, "duplicate key", new BsonDocument(), i));
      }
    }
    if (!errors.isEmpty()) {
      throw new MongoBulkWriteException(
          BulkWriteResult.unacknowledged(), errors, null, new ServerAddress(), Set.of());
    }
  }

  @Override
  public Iterable<RawBsonDocument> find(RawBsonDocument filter, int most) {
    return filter.getDocument("_id").getArray("$in").stream()
        .filter(stored::containsKey)
        .map(id -> new RawBsonDocument(stored.get(id), CODEC))
        .toList();
  }

  @Override
  public long count() {
    return stored.size();
  }
}
