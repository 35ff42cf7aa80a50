package pressgauge;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoConnectionPoolClearedException;
import com.mongodb.MongoException;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoSocketException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.MongoWriteConcernException;
import java.util.regex.Pattern;
import site.ycsb.Status;

/** Names the driver's exceptions as statuses, and tells them in one line without secrets. */
final class MongoFailure {
  private static final Pattern CAUSE = Pattern.compile("caused by \\{([^{}]*)\\}");
  private static final int DUPLICATE_KEY = 11000;

  private MongoFailure() {}

  static Status status(MongoException failure) {
    if (failure instanceof MongoBulkWriteException bulk && !bulk.getWriteErrors().isEmpty()) {
      return status(bulk.getWriteErrors().get(0).getCode());
    }
    if (failure instanceof HashCollision) {
      return named(HashCollision.STATUS);
    }
    if (connectionLost(failure)) {
      return named("CONNECTION_LOST");
    }
    if (failure instanceof MongoTimeoutException) {
      return named("UNREACHABLE");
    }
    if (failure instanceof MongoSecurityException) {
      return named("NOT_AUTHENTICATED");
    }
    if (failure instanceof MongoWriteConcernException
        || failure instanceof MongoBulkWriteException) {
      return named("WRITE_CONCERN_FAILED");
    }
    return status(failure.getCode());
  }

  /** In an operation, in the handshake before it, or in another one of the same pool. */
  private static boolean connectionLost(Throwable failure) {
    return failure instanceof MongoSocketException
        || failure instanceof MongoConnectionPoolClearedException
        || (failure instanceof MongoSecurityException && connectionLost(failure.getCause()));
  }

  /** For an error code of the server. */
  static Status status(int code) {
    return named(code == DUPLICATE_KEY ? "DUPLICATE_KEY" : "ERROR_" + code);
  }

  /** One line; for a server out of reach the network's own words. */
  static String line(MongoException failure) {
    if (failure instanceof MongoTimeoutException) {
      var causes = CAUSE.matcher(failure.getMessage());
      return causes.find() ? causes.group(1).strip() : "no answer in time";
    }
    return Reason.of(failure).replaceAll(" The full response is .*", "");
  }

  private static Status named(String name) {
    return new Status(name, "The server or the driver reported a failure.");
  }
}
