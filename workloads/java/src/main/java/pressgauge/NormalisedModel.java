package pressgauge;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.bson.BsonType;
import org.bson.RawBsonDocument;

/**
 * Documents hold references, the {@link Dictionary} each value once. A value is every string of a
 * document but its {@code _id}; the documents themselves hold nothing that looks like a reference.
 */
final class NormalisedModel implements DocumentModel {
  private static final String SET = "$set";
  private static final int FIRST_BYTES = 16 * 1024;
  private static final int MOST_KNOWN = 10_000_000;

  private final int bits;
  private final Dictionary dictionary;
  private final BsonBuffer buffer = new BsonBuffer(FIRST_BYTES);
  private final Map<Reference, TextValue> unknown = new LinkedHashMap<>();

  /**
   * @param bits of a reference
   */
  NormalisedModel(int bits, Dictionary dictionary) {
    this.bits = bits;
    this.dictionary = dictionary;
  }

  /** As {@link DocumentModel#of}. */
  static Maker of(Settings settings) {
    if (!settings.text("pressgauge.documents", "text").equals("text")) {
      throw new UsageException("pressgauge.model: normalised is for documents of text");
    }
    var bits = settings.text("pressgauge.hashbits", "64");
    if (!bits.equals("64") && !bits.equals("128")) {
      throw new UsageException("pressgauge.hashbits: " + bits + " is neither 64 nor 128");
    }
    int most = settings.count("pressgauge.knownhashes", 100_000, 1, MOST_KNOWN);
    return client -> {
      var known = KnownHashes.of(settings.properties(), most);
      var entries = client.collection(Dictionary.NAME);
      var dictionary = new Dictionary(new Dictionary.Collected(entries), known);
      return new NormalisedModel(Integer.parseInt(bits), dictionary);
    };
  }

  @Override
  public List<RawBsonDocument> stored(List<RawBsonDocument> written) {
    buffer.clear();
    unknown.clear();
    var starts = new ArrayList<Integer>(written.size());
    for (var document : written) {
      starts.add(rewrite(buffer, document, this::refer));
    }
    dictionary.store(unknown);
    return buffer.views(starts);
  }

  /** Writes the reference to a value, which is noted unless it is known. */
  private boolean refer(BsonBuffer to, BsonFields field) {
    if (field.type() != BsonType.STRING || field.isNamed("_id")) {
      return false;
    }
    var value = field.text();
    var reference = Reference.to(value, bits);
    if (dictionary.known().holds(reference, value)) {
      dictionary.known().hit();
    } else {
      note(reference, value);
    }
    reference.write(to, field.name());
    return true;
  }

  private void note(Reference reference, TextValue value) {
    var noted = unknown.putIfAbsent(reference, value);
    if (noted != null && !noted.isSame(value)) {
      throw new HashCollision(reference, noted, value);
    }
    if (noted != null) {
      dictionary.known().hit();
    }
  }

  @Override
  public List<RawBsonDocument> resolved(List<RawBsonDocument> read) {
    var references = references(read);
    if (references.isEmpty()) {
      return read;
    }
    var values = dictionary.find(references);
    var own = new BsonBuffer(FIRST_BYTES);
    var starts = new ArrayList<Integer>(read.size());
    for (var document : read) {
      starts.add(rewrite(own, document, (to, field) -> resolve(to, field, values)));
    }
    return own.views(starts);
  }

  private static boolean resolve(
      BsonBuffer to, BsonFields field, Map<Reference, TextValue> values) {
    var value = values.get(Reference.of(field));
    if (value != null) {
      to.string(field.name(), value);
    }
    return value != null;
  }

  private static Set<Reference> references(List<RawBsonDocument> documents) {
    var references = new LinkedHashSet<Reference>();
    for (var document : documents) {
      var fields = new BsonFields(document);
      while (fields.next()) {
        var reference = Reference.of(fields);
        if (reference != null) {
          references.add(reference);
        }
      }
    }
    return references;
  }

  @Override
  public OptionalLong entries() {
    return OptionalLong.of(dictionary.size());
  }

  @Override
  public Map<String, Object> facts() {
    var facts = new LinkedHashMap<String, Object>();
    facts.put("name", "normalised");
    facts.put("hash_bits", bits);
    facts.putAll(dictionary.known().facts());
    return facts;
  }

  /** Writes a field in another way; false if it is to stay as it is. */
  private interface Rewriting {
    boolean write(BsonBuffer to, BsonFields field);
  }

  /**
   * Writes a document with its fields, or those that it sets, rewritten; returns where it starts.
   */
  private static int rewrite(BsonBuffer to, RawBsonDocument document, Rewriting rewriting) {
    int start = to.begin();
    rewrite(to, new BsonFields(document), rewriting);
    to.end(start);
    return start;
  }

  private static void rewrite(BsonBuffer to, BsonFields fields, Rewriting rewriting) {
    while (fields.next()) {
      if (fields.isNamed(SET)) {
        int start = to.begin(SET);
        rewrite(to, fields.inner(), rewriting);
        to.end(start);
      } else if (!rewriting.write(to, fields)) {
        fields.copy(to);
      }
    }
  }
}
