package pressgauge;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;
import org.bson.RawBsonDocument;
import pressgauge.Findings.Example;

/** Recomputes stored documents and compares them byte by byte. */
final class DocumentCheck {
  private final RecordIndex records;
  private final List<String> fields;
  private final ValueFunction values;

  DocumentCheck(RecordIndex records, List<String> fields, ValueFunction values) {
    this.records = records;
    this.fields = fields;
    this.values = values;
  }

  /** What is found in some documents. */
  Findings check(List<RawBsonDocument> documents) {
    var findings = new Findings();
    var sha256 = sha256();
    for (var document : documents) {
      var bytes = document.getByteBuffer();
      sha256.update(bytes.array(), bytes.position(), bytes.remaining());
      check(document, sha256.digest(), findings);
    }
    return findings;
  }

  private void check(RawBsonDocument document, byte[] digest, Findings findings) {
    var stored = new BsonStrings(document);
    String key;
    try {
      boolean hasId = stored.next() && stored.name().equals("_id");
      key = hasId ? stored.value().toString() : "";
    } catch (IllegalStateException e) {
      key = "";
    }
    int recordNumber = records.find(key);
    if (recordNumber < 0) {
      findings.surplus(key, digest, key.isEmpty() ? "_id is no string" : "no record has this key");
      return;
    }
    long versions = 0;
    for (int field = 0; field < fields.size(); field++) {
      var why = difference(stored, recordNumber, field);
      if (!why.isEmpty()) {
        findings.altered(new Example(key, recordNumber, fields.get(field), why));
        findings.checked(recordNumber, digest, versions);
        return;
      }
      versions += ValueFunction.version(stored.value());
    }
    if (hasMore(stored)) {
      findings.altered(new Example(key, recordNumber, "", "it has more fields than it should"));
    }
    findings.checked(recordNumber, digest, versions);
  }

  private static boolean hasMore(BsonStrings stored) {
    try {
      return stored.next();
    } catch (IllegalStateException e) {
      return true;
    }
  }

  /** How the next stored field differs from what it should be; empty if it doesn't. */
  private String difference(BsonStrings stored, int recordNumber, int field) {
    try {
      if (!stored.next()) {
        return "it is missing";
      }
    } catch (IllegalStateException e) {
      return e.getMessage();
    }
    if (!stored.isNamed(fields.get(field))) {
      return "field " + stored.name() + " is in its place";
    }
    var found = stored.value();
    long version = ValueFunction.version(found);
    var expected = values.value(recordNumber, field, version);
    int at =
        Arrays.mismatch(
            found.array(),
            found.offset(),
            found.offset() + found.length(),
            expected.array(),
            expected.offset(),
            expected.offset() + expected.length());
    return at < 0 ? "" : "version " + version + " differs at byte " + at;
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java platform has it
    }
  }
}
