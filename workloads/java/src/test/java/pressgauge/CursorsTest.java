package pressgauge;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CursorsTest {
  private static final Answer OPEN = new Answer(Answer.Kind.OPEN, 0, 1, -1, 0, 0);
  private static final Answer LAST = new Answer(Answer.Kind.DONE, 0, 1, -1, 0, 0);

  private final Cursors cursors = new Cursors();

  private static RecordedOperation find() {
    return new RecordedOperation(0, 0, RecordedOperation.FIND, OPEN, 7, 0, new byte[0]);
  }

  private static RecordedOperation getMore(int asks, Answer answer) {
    return new RecordedOperation(0, 0, RecordedOperation.GET_MORE, answer, 7, asks, new byte[0]);
  }

  @Test
  void eachOfACursorWaitsForTheOneBefore() throws Exception {
    var second = CompletableFuture.supplyAsync(() -> cursors.await(getMore(2, LAST), () -> false));
    var first = CompletableFuture.supplyAsync(() -> cursors.await(getMore(1, OPEN), () -> false));
    var open = new Cursors.Open(99, null);
    cursors.pass(find(), open);

    assertSame(open, first.get());
    assertFalse(second.isDone());
    cursors.pass(getMore(1, OPEN), Cursors.Open.NONE);
    assertSame(Cursors.Open.NONE, second.get());
  }

  @Test
  void nothingIsWaitedForWhenTheReplayIsStopped() {
    assertNull(cursors.await(getMore(1, OPEN), () -> true));
  }
}
