package pressgauge;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.mongodb.MongoConnectionPoolClearedException;
import com.mongodb.MongoCredential;
import com.mongodb.MongoException;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoSocketReadException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.ServerAddress;
import com.mongodb.connection.ClusterId;
import com.mongodb.connection.ServerId;
import org.junit.jupiter.api.Test;

class MongoFailureTest {
  private static final ServerAddress SERVER = new ServerAddress("127.0.0.1", 27017);

  @Test
  void aConnectionThatIsCutTakesThoseOfItsPoolAlong() {
    var cut = new MongoSocketReadException("reset", SERVER);
    var cleared =
        new MongoConnectionPoolClearedException(new ServerId(new ClusterId(), SERVER), cut);

    assertEquals("CONNECTION_LOST", name(cut));
    assertEquals("CONNECTION_LOST", name(cleared));
  }

  @Test
  void aPasswordIsNotRefusedByAConnectionThatIsCut() {
    var credential = MongoCredential.createCredential("pressgauge", "admin", new char[] {'x'});
    var cut = new MongoSocketReadException("reset", SERVER);

    assertEquals("CONNECTION_LOST", name(new MongoSecurityException(credential, "failed", cut)));
    assertEquals("NOT_AUTHENTICATED", name(new MongoSecurityException(credential, "failed")));
  }

  @Test
  void aServerThatAnswersNobodyIsUnreachable() {
    assertEquals("UNREACHABLE", name(new MongoTimeoutException("no answer")));
  }

  @Test
  void otherFailuresKeepTheirCode() {
    assertEquals("ERROR_112", name(new MongoException(112, "WriteConflict")));
  }

  private static String name(MongoException failure) {
    return MongoFailure.status(failure).getName();
  }
}
