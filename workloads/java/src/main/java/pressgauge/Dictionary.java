package pressgauge;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertManyOptions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bson.RawBsonDocument;

/**
 * The values that documents refer to, each once: {@code {_id: <reference>, v: <text>}}. Entries are
 * never changed nor removed. For any number of threads and clients.
 */
final class Dictionary {
  static final String NAME = "dictionary";

  private static final String VALUE = "v";
  private static final int ENTRY_BYTES = 200;
  private static final int DUPLICATE_KEY = 11000;
  private static final InsertManyOptions INDEPENDENT = new InsertManyOptions().ordered(false);

  /** Where the entries lie. */
  interface Entries {
    /** Stores some in one bulk write, each independently of the others. */
    void insert(List<RawBsonDocument> some);

    /** Those that a filter finds, so many at most. */
    Iterable<RawBsonDocument> find(RawBsonDocument filter, int most);

    long count();
  }

  /** Entries in a collection. */
  record Collected(MongoCollection<RawBsonDocument> collection) implements Entries {
    @Override
    public void insert(List<RawBsonDocument> some) {
      collection.insertMany(some, INDEPENDENT);
    }

    @Override
    public Iterable<RawBsonDocument> find(RawBsonDocument filter, int most) {
      return collection.find(filter).batchSize(most);
    }

    @Override
    public long count() {
      return collection.countDocuments();
    }
  }

  private final Entries entries;
  private final KnownHashes known;

  Dictionary(Entries entries, KnownHashes known) {
    this.entries = entries;
    this.known = known;
  }

  KnownHashes known() {
    return known;
  }

  long size() {
    return entries.count();
  }

  /**
   * Sees to it that values are there: when it returns, each is acknowledged.
   *
   * @throws HashCollision if another value has the hash of one of them
   * @throws MongoException if one of them isn't known to be there
   */
  void store(Map<Reference, TextValue> values) {
    if (values.isEmpty()) {
      return;
    }
    known.missed(values.size());
    try {
      entries.insert(documents(values));
    } catch (MongoBulkWriteException e) {
      requireSame(met(e, values));
    }
    values.forEach(known::learn);
  }

  private static List<RawBsonDocument> documents(Map<Reference, TextValue> values) {
    var buffer = new BsonBuffer(values.size() * ENTRY_BYTES);
    var starts = new ArrayList<Integer>(values.size());
    values.forEach(
        (reference, value) -> {
          int start = buffer.begin();
          reference.write(buffer, "_id");
          buffer.string(VALUE, value);
          buffer.end(start);
          starts.add(start);
        });
    return buffer.views(starts);
  }

  /** The values whose hash was there: written before, or by others meanwhile. */
  private static Map<Reference, TextValue> met(
      MongoBulkWriteException failure, Map<Reference, TextValue> values) {
    var concern = failure.getWriteConcernError();
    if (concern != null) {
      throw failed(concern.getCode(), concern.getMessage());
    }
    var sent = List.copyOf(values.keySet());
    var met = new LinkedHashMap<Reference, TextValue>();
    for (var error : failure.getWriteErrors()) {
      if (error.getCode() != DUPLICATE_KEY) {
        throw failed(error.getCode(), error.getMessage());
      }
      var reference = sent.get(error.getIndex());
      met.put(reference, values.get(reference));
    }
    return met;
  }

  /** Not the driver's own exception, whose indexes would be taken for those of documents. */
  private static MongoException failed(int code, String why) {
    return new MongoException(code, NAME + ": " + why);
  }

  private void requireSame(Map<Reference, TextValue> met) {
    var there = find(met.keySet());
    met.forEach(
        (reference, value) -> {
          var stored = there.get(reference);
          if (stored == null) {
            throw new MongoException(NAME + ": entry " + reference + " was there, and is gone");
          }
          if (!stored.isSame(value)) {
            throw new HashCollision(reference, stored, value);
          }
        });
    known.met(met.size());
  }

  /** The values of references, by one query; what isn't there is missing. */
  Map<Reference, TextValue> find(Collection<Reference> references) {
    var buffer = new BsonBuffer(references.size() * ENTRY_BYTES / 4);
    int start = buffer.begin();
    int id = buffer.begin("_id");
    int in = buffer.beginArray("$in");
    int place = 0;
    for (var reference : references) {
      reference.write(buffer, Integer.toString(place++));
    }
    buffer.end(in);
    buffer.end(id);
    buffer.end(start);
    var filter = buffer.view(start, buffer.size());
    var found = new HashMap<Reference, TextValue>();
    for (var entry : entries.find(filter, references.size())) {
      var fields = new BsonFields(entry);
      fields.next();
      var reference = Reference.of(fields);
      fields.next();
      found.put(reference, fields.text());
    }
    return found;
  }
}
