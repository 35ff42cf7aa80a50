package pressgauge;

import com.mongodb.client.result.UpdateResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import site.ycsb.Status;

/** Keeps documents, finds them by their _id or all of them, and updates them as a server does. */
class MemoryStore implements Store {
  final Map<String, BsonDocument> documents = new TreeMap<>();
  private final BsonBuffer buffer = new BsonBuffer(64);

  private static String key(BsonDocument document) {
    return document.get("_id").toString();
  }

  static RawBsonDocument raw(BsonDocument document) {
    return new RawBsonDocument(document, new BsonDocumentCodec());
  }

  private static BsonDocument copy(RawBsonDocument raw) {
    return raw.decode(new BsonDocumentCodec());
  }

  @Override
  public BsonBuffer buffer() {
    return buffer;
  }

  @Override
  public int find(Query query, Consumer<RawBsonDocument> each) {
    var found = new ArrayList<BsonDocument>();
    if (query.filter().containsKey("_id")) {
      var one = documents.get(key(query.filter()));
      if (one != null) {
        found.add(one);
      }
    } else {
      found.addAll(documents.values());
    }
    found.forEach(one -> each.accept(raw(one)));
    return found.size();
  }

  @Override
  public long count(RawBsonDocument filter) {
    return documents.size();
  }

  @Override
  public int aggregate(List<RawBsonDocument> pipeline, Consumer<RawBsonDocument> each) {
    each.accept(raw(new BsonDocument("n", new BsonInt32(documents.size()))));
    return 1;
  }

  @Override
  public void insert(List<RawBsonDocument> inserted) {
    inserted.forEach(one -> documents.put(key(one), copy(one)));
  }

  @Override
  public UpdateResult update(RawBsonDocument filter, RawBsonDocument update) {
    var document = documents.get(key(filter));
    if (document == null) {
      return UpdateResult.acknowledged(0, 0L, null);
    }
    update.forEach(
        (operator, paths) ->
            paths.asDocument().forEach((path, value) -> apply(document, operator, path, value)));
    return UpdateResult.acknowledged(1, 1L, null);
  }

  private static void apply(BsonDocument document, String operator, String path, BsonValue value) {
    var within = document;
    var names = path.split("\\.");
    for (int i = 0; i < names.length - 1; i++) {
      if (!within.containsKey(names[i])) {
        within.put(names[i], new BsonDocument());
      }
      within = within.getDocument(names[i]);
    }
    var name = names[names.length - 1];
    within.put(name, changed(operator, within.get(name), value));
  }

  private static BsonValue changed(String operator, BsonValue before, BsonValue value) {
    return switch (operator) {
      case "$set" -> value;
      case "$inc" -> before == null ? value : sum(before, value);
      default -> {
        var list = before == null ? new BsonArray() : before.asArray().clone();
        list.addAll(value.asDocument().getArray("$each"));
        int most = -value.asDocument().getInt32("$slice").getValue();
        yield new BsonArray(list.subList(Math.max(0, list.size() - most), list.size()));
      }
    };
  }

  private static BsonValue sum(BsonValue before, BsonValue more) {
    long sum = before.asNumber().longValue() + more.asNumber().longValue();
    return before.isInt32() && sum == (int) sum ? new BsonInt32((int) sum) : new BsonInt64(sum);
  }

  @Override
  public UpdateResult replace(RawBsonDocument filter, RawBsonDocument document, boolean upsert) {
    boolean isThere = documents.containsKey(key(filter));
    if (isThere || upsert) {
      documents.put(key(filter), copy(document));
    }
    var upserted = upsert && !isThere ? new BsonString("upserted") : null;
    return UpdateResult.acknowledged(isThere ? 1 : 0, isThere ? 1L : 0L, upserted);
  }

  @Override
  public long delete(RawBsonDocument filter) {
    return documents.remove(key(filter)) == null ? 0 : 1;
  }

  @Override
  public Status together(Function<Store, Status> operations) {
    return operations.apply(this);
  }
}
