package pressgauge;

import com.mongodb.MongoException;
import org.bson.RawBsonDocument;
import site.ycsb.Status;

/**
 * An operation of a mix of one's own: its messages are made before it is timed, and what the server
 * answers is checked.
 */
abstract class StoreOperation implements Operation {
  private static final Status WRONG_ANSWER =
      new Status("WRONG_ANSWER", "The server's answer can't be right.");

  /** An operation that is ready to be done. */
  interface Call {
    /** Does it, and checks the answer. Timed. */
    Status run(Store store);

    /** Comes after it, whatever came of it. */
    default void end() {}
  }

  private final String name;

  StoreOperation(String name) {
    this.name = name;
  }

  @Override
  public final String name() {
    return name;
  }

  /** Makes what is to be sent. */
  abstract Call prepare(Turn turn);

  /** How many updates it makes that documents count. */
  int writes() {
    return 0;
  }

  @Override
  public final Status run(Turn turn) {
    turn.store().buffer().clear();
    var call = prepare(turn);
    try {
      return turn.measured(name, () -> attempt(turn, call));
    } finally {
      call.end();
    }
  }

  private Status attempt(Turn turn, Call call) {
    try {
      return call.run(turn.store());
    } catch (MongoException e) {
      var status = MongoFailure.status(e);
      turn.workload().record().tell(name, status, MongoFailure.line(e));
      turn.workload().record().mayHaveWritten(writes());
      return status;
    }
  }

  /** What finds the record of a key. */
  static RawBsonDocument byKey(Turn turn, String key) {
    return Messages.filter(turn.store().buffer(), turn.layout(), key);
  }

  /** OK, or a wrong answer that is told. */
  final Status checked(Turn turn, boolean right, String told) {
    if (right) {
      return Status.OK;
    }
    turn.workload().record().tell(name, WRONG_ANSWER, told);
    return WRONG_ANSWER;
  }

  /** Whether one document was met, or none because the chosen record was deleted meanwhile. */
  final Status checkedOne(Turn turn, Turn.Chosen chosen, long met, String what) {
    boolean right = met == 1 || (met == 0 && !turn.stayed(chosen));
    return checked(turn, right, chosen.key() + ": " + met + ' ' + what + " instead of 1");
  }
}
