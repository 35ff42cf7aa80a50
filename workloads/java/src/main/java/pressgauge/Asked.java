package pressgauge;

import java.util.List;
import org.bson.RawBsonDocument;

/**
 * What a mix of one's own asks of one of its operations: the properties {@code
 * pressgauge.operations.<number>.<key>}.
 */
record Asked(Settings settings, int number) {
  static final String PROPERTY = "pressgauge.operations";

  /** The property of a key. */
  String property(String key) {
    return PROPERTY + '.' + number + '.' + key;
  }

  String kind() {
    return settings.text(property("kind"));
  }

  double weight() {
    return settings.rate(property("weight"), 1e6);
  }

  int count(String key, int otherwise, int least, int most) {
    return settings.count(property(key), otherwise, least, most);
  }

  boolean flag(String key) {
    return settings.flag(property(key), false);
  }

  String text(String key) {
    return settings.text(property(key), "");
  }

  List<String> paths(String key) {
    return settings.list(property(key));
  }

  /** What is to be returned; null for whole documents. */
  RawBsonDocument projection() {
    var fields = paths("fields");
    return fields.isEmpty() ? null : Messages.each(fields, 1);
  }

  /** The documents that the operations are done with. */
  Documents documents() {
    return Documents.of(settings);
  }

  /** The places of paths, each of which must be written in this way. */
  int[] places(Way way, List<String> names) {
    var documents = documents();
    return names.stream()
        .mapToInt(
            name -> {
              int place = documents.fields().indexOf(name);
              if (place < 0 || documents.way(place) != way) {
                throw new UsageException(property(way.key()) + ": " + name + " is not so written");
              }
              return place;
            })
        .toArray();
  }

  /** The places of all paths that are set. */
  int[] settable() {
    var documents = documents();
    var names = documents.fields();
    var set = names.stream().filter(name -> documents.way(names.indexOf(name)) == Way.SET).toList();
    if (set.isEmpty()) {
      throw new UsageException(property("kind") + ": " + kind() + " needs a path that is set");
    }
    return places(Way.SET, set);
  }
}
