package pressgauge;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import org.bson.RawBsonDocument;
import pressgauge.Findings.Example;

/** Recomputes stored documents and compares them byte by byte. */
final class DocumentCheck {
  private final RecordIndex records;
  private final Documents documents;
  private final Layout layout;

  DocumentCheck(RecordIndex records, Documents documents) {
    this.records = records;
    this.documents = documents;
    layout = documents.layout();
  }

  /** What is found in some documents. */
  Findings check(List<RawBsonDocument> stored) {
    var findings = new Findings();
    var sha256 = sha256();
    for (var document : stored) {
      var bytes = document.getByteBuffer();
      sha256.update(bytes.array(), bytes.position(), bytes.remaining());
      check(document, sha256.digest(), findings);
    }
    return findings;
  }

  private void check(RawBsonDocument document, byte[] digest, Findings findings) {
    var key = layout.key(document);
    int recordNumber = records.find(key);
    if (recordNumber < 0) {
      findings.surplus(key, digest, "no record has this key");
      return;
    }
    var checked = documents.check(recordNumber, document);
    if (!checked.why().isEmpty()) {
      findings.altered(new Example(key, recordNumber, checked.field(), checked.why()));
    }
    findings.checked(recordNumber, digest, checked);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java platform has it
    }
  }
}
