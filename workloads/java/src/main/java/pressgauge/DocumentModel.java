package pressgauge;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.bson.RawBsonDocument;

/**
 * How the documents of a workload lie in the database: between the {@link Layout}, which knows them
 * whole, and the driver.
 */
interface DocumentModel {
  /** Every value in its document. */
  DocumentModel EMBEDDED = new EmbeddedModel();

  /**
   * The model that {@code pressgauge.model} names: embedded (the default) or normalised, whose
   * references have {@code pressgauge.hashbits} (64, the default, or 128) and whose {@link
   * KnownHashes} are {@code pressgauge.knownhashes} at most (default 100,000).
   *
   * @throws UsageException if there is none of this name, or it can't be as it is set
   */
  static Maker of(Settings settings) {
    var name = settings.text("pressgauge.model", "embedded");
    return switch (name) {
      case "embedded" -> client -> EMBEDDED;
      case "normalised" -> NormalisedModel.of(settings);
      default ->
          throw new UsageException(
              "pressgauge.model: there is no " + name + "; embedded and normalised are");
    };
  }

  /**
   * Refuses what bindings can't do.
   *
   * @throws UsageException as {@link #of}, or if the mix sends documents past the model
   */
  static void require(Settings settings, OperationMix mix) {
    of(settings);
    if (mix.isOwn() && !settings.text("pressgauge.model", "embedded").equals("embedded")) {
      throw new UsageException("pressgauge.model: a mix of one's own has embedded documents only");
    }
  }

  /** Makes a thread's model, once there is a client. */
  interface Maker {
    DocumentModel over(SharedClient client);
  }

  /**
   * What is to be sent in place of documents, or of updates of them. What it refers to has been
   * acknowledged when this returns. By one thread; good until its next call.
   *
   * @throws com.mongodb.MongoException if it can't be sent
   */
  List<RawBsonDocument> stored(List<RawBsonDocument> written);

  /** As {@link #stored(List)}, of one. */
  default RawBsonDocument stored(RawBsonDocument written) {
    return stored(List.of(written)).get(0);
  }

  /**
   * Stored documents with their values in place, of which a reference that leads nowhere is left as
   * it is. By any number of threads.
   */
  List<RawBsonDocument> resolved(List<RawBsonDocument> read);

  /** As {@link #resolved(List)}, of one. */
  default RawBsonDocument resolved(RawBsonDocument read) {
    return resolved(List.of(read)).get(0);
  }

  /** The values that lie beside the documents; empty where none do. */
  OptionalLong entries();

  /** For the client file: the model, how it is set, and what came of it so far. */
  Map<String, Object> facts();
}
