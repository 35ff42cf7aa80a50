package pressgauge;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * Reads a recording ahead, and gives each lane its operations in their order. What waits takes a
 * bounded memory: where one lane is far behind, the others wait for it.
 */
final class Lanes {
  private static final long LOOK_MS = 200;

  private final List<BlockingQueue<RecordedOperation>> queues;
  private final Semaphore room;
  private volatile boolean ended;
  private volatile String failure;

  /**
   * @param count how many lanes there are
   * @param mostBytes that may wait, above the largest operation's
   */
  Lanes(int count, int mostBytes) {
    queues =
        IntStream.range(0, count)
            .<BlockingQueue<RecordedOperation>>mapToObj(each -> new LinkedBlockingQueue<>())
            .toList();
    room = new Semaphore(mostBytes);
  }

  /** Begins to read a file with a thread of its own. */
  void readAhead(Path path) {
    var thread = new Thread(() -> read(path), "recording");
    thread.setDaemon(true);
    thread.start();
  }

  private void read(Path path) {
    try (var file = new RecordedFile(path)) {
      for (var next = file.next(); next != null; next = file.next()) {
        if (next.lane() >= queues.size()) {
          throw new UsageException("the recording has more lanes than it was said to have");
        }
        room.acquire(next.bytes());
        queues.get(next.lane()).add(next);
      }
    } catch (IOException | UsageException e) {
      failure = Reason.of(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    ended = true;
  }

  /**
   * Waits for a lane's next operation.
   *
   * @param stopped whether it is worth no more waiting
   * @return null if there is none any more
   */
  RecordedOperation take(int lane, BooleanSupplier stopped) {
    var queue = queues.get(lane);
    try {
      while (!stopped.getAsBoolean()) {
        boolean isLast = ended; // before looking: what is in the queue by then is all there is
        var next = isLast ? queue.poll() : queue.poll(LOOK_MS, TimeUnit.MILLISECONDS);
        if (next != null) {
          room.release(next.bytes());
          return next;
        }
        if (isLast) {
          return null;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return null;
  }

  /** Why the recording could not be read to its end; null if nothing went wrong. */
  String failure() {
    return failure;
  }
}
