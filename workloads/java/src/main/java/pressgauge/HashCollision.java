package pressgauge;

import com.mongodb.MongoException;

/** Two values have one hash: the operation that found it fails, and stores no reference. */
final class HashCollision extends MongoException {
  static final String STATUS = "HASH_COLLISION";
  private static final long serialVersionUID = 1;
  private static final int SHOWN = 40;

  HashCollision(Reference reference, TextValue there, TextValue other) {
    super("%s is the hash of %s and of %s".formatted(reference, shown(there), shown(other)));
  }

  private static String shown(TextValue value) {
    var text = value.toString();
    return '"' + (text.length() > SHOWN ? text.substring(0, SHOWN) + "…" : text) + '"';
  }
}
