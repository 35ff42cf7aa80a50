package pressgauge;

import com.mongodb.client.ClientSession;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/**
 * Cursors of the replay by those of the recording. One may be opened in one lane and asked for more
 * in others, each of which waits until the one before it was answered.
 */
final class Cursors {
  private static final long LOOK_MS = 200;

  /**
   * A cursor of the replay.
   *
   * @param id 0 for one that did not open, or has ended
   * @param session the one that opened it: no other may ask it
   */
  record Open(long id, ClientSession session) {
    static final Open NONE = new Open(0, null);
  }

  /** A place among those that ask a recorded cursor. */
  private record Ask(long recorded, int asks) {}

  private final Map<Ask, CompletableFuture<Open>> passed = new ConcurrentHashMap<>();

  private CompletableFuture<Open> of(Ask ask) {
    return passed.computeIfAbsent(ask, each -> new CompletableFuture<>());
  }

  /** Gives the cursor on to the operation that asks it next in the recording, if there is one. */
  void pass(RecordedOperation operation, Open open) {
    if (!operation.isLastOfCursor()) {
      of(new Ask(operation.cursor(), operation.asks() + 1)).complete(open);
    }
  }

  /** Waits for what the operation before passes; null if that is worth no more waiting. */
  Open await(RecordedOperation operation, BooleanSupplier stopped) {
    var ask = new Ask(operation.cursor(), operation.asks());
    while (!stopped.getAsBoolean()) {
      try {
        var open = of(ask).get(LOOK_MS, TimeUnit.MILLISECONDS);
        passed.remove(ask);
        return open;
      } catch (TimeoutException e) {
        // it may have been stopped by now
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return null;
      } catch (ExecutionException e) {
        throw new IllegalStateException(e); // nothing completes one with a failure
      }
    }
    return null;
  }
}
