package pressgauge;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.bson.RawBsonDocument;

/** Documents are stored as they are. */
final class EmbeddedModel implements DocumentModel {
  @Override
  public List<RawBsonDocument> stored(List<RawBsonDocument> written) {
    return written;
  }

  @Override
  public RawBsonDocument stored(RawBsonDocument written) {
    return written;
  }

  @Override
  public List<RawBsonDocument> resolved(List<RawBsonDocument> read) {
    return read;
  }

  @Override
  public RawBsonDocument resolved(RawBsonDocument read) {
    return read;
  }

  @Override
  public OptionalLong entries() {
    return OptionalLong.empty();
  }

  @Override
  public Map<String, Object> facts() {
    return Map.of("name", "embedded");
  }
}
