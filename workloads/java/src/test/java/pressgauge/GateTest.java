package pressgauge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class GateTest {
  private static final long HOUR_NS = 3_600_000_000_000L;

  private final AtomicLong clockMs = new AtomicLong(1000);
  private final AtomicLong clockNs = new AtomicLong();
  private final AtomicLong operations = new AtomicLong();
  private volatile LongSupplier clock = clockNs::get;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
  private final Intervals intervals = new Intervals(clockMs::get, true);
  private final List<Thread> started = new ArrayList<>();
  private Gate gate;

  private void gateOf(int threads) {
    gate = new Gate(threads, intervals, () -> clock.getAsLong(), operations::get, told::add);
  }

  @AfterEach
  void endThreads() throws Exception {
    gate.release();
    for (var thread : started) {
      thread.join();
    }
  }

  private Thread start(Runnable what) {
    var thread = new Thread(what);
    started.add(thread);
    thread.start();
    return thread;
  }

  /** A thread with so many operations to do. */
  private Thread worker(long share, Runnable operation) {
    var pass = gate.pass();
    return start(
        () -> {
          for (long done = 1; done <= share && gate.enter(pass, 0); done++) {
            inFlight.incrementAndGet();
            operation.run();
            operations.incrementAndGet();
            if (done == share) {
              gate.gone();
            }
            inFlight.decrementAndGet();
            gate.leave(pass);
          }
        });
  }

  private Thread endlessWorker() {
    return worker(Long.MAX_VALUE, () -> {});
  }

  private static void awaitParked(Thread thread) {
    await(() -> thread.getState() == Thread.State.WAITING);
  }

  private static void await(BooleanSupplier met) {
    try {
      while (!met.getAsBoolean()) {
        Thread.sleep(1);
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Runnable waitingFor(CountDownLatch latch) {
    return () -> {
      try {
        latch.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    };
  }

  @Test
  void itIsReadyWhenEveryThreadWaits() throws Exception {
    gateOf(3);
    awaitParked(endlessWorker());
    awaitParked(endlessWorker());
    assertTrue(told.isEmpty(), told.toString());
    assertThrows(UsageException.class, gate::open, "one thread is missing");

    awaitParked(endlessWorker());

    assertEquals(List.of("ready"), List.copyOf(told));
    assertEquals(0, operations.get());
  }

  @Test
  void closingWaitsForWhatIsInFlight() throws Exception {
    gateOf(1);
    var answer = new CountDownLatch(1);
    awaitParked(worker(Long.MAX_VALUE, waitingFor(answer)));
    gate.open();
    await(() -> inFlight.get() > 0);
    told.clear();

    var closing = start(gate::close);
    awaitParked(closing);
    clockMs.set(1250);
    assertTrue(told.isEmpty(), "closed too early");
    answer.countDown();
    closing.join();

    assertEquals(List.of("closed 1250 1"), List.copyOf(told));
    assertEquals(0, inFlight.get());
  }

  @Test
  void whoHasSeenItOpenLooksAgain() throws Exception {
    gateOf(1);
    var pass = gate.pass();
    var closed = new CountDownLatch(1);
    var looking = new CountDownLatch(1);
    var worker =
        start(
            () -> {
              while (gate.enter(pass, 1)) {
                operations.incrementAndGet();
                gate.leave(pass);
              }
            });
    awaitParked(worker);
    clock =
        () -> {
          if (Thread.currentThread() == worker) {
            looking.countDown();
            waitingFor(closed).run();
          }
          return clockNs.incrementAndGet();
        };
    gate.open();
    looking.await();
    gate.close();
    closed.countDown();
    awaitParked(worker);

    assertEquals(0, operations.get());
    gate.open();
    await(() -> operations.get() > 0);
    gate.close();
  }

  @Test
  void whileClosedNothingStartsAndNothingIsLost() throws Exception {
    int threads = 8;
    gateOf(threads);
    var mayRun = new AtomicBoolean();
    var faults = new AtomicInteger();
    for (int i = 0; i < threads; i++) {
      worker(
          Long.MAX_VALUE,
          () -> {
            if (!mayRun.get()) {
              faults.incrementAndGet();
            }
          });
    }
    assertEquals("ready", told.take());
    var random = new Random(15);
    for (int cycle = 0; cycle < 200; cycle++) {
      long before = operations.get();
      mayRun.set(true);
      gate.open();
      int enough = random.nextInt(3000);
      await(() -> operations.get() >= before + enough);
      gate.close();
      mayRun.set(false);
      long after = operations.get();
      assertEquals(0, inFlight.get());
      assertTrue(told.take().startsWith("opened "));
      assertEquals("closed 1000 " + after, told.take());
      if (random.nextBoolean()) {
        started.forEach(GateTest::awaitParked);
      }
      assertEquals(after, operations.get(), "an operation while closed");
    }
    gate.end();
    long last = operations.get();
    endThreads();
    assertEquals(0, faults.get());
    assertEquals(last, operations.get());
    assertTrue(told.isEmpty(), told.toString());
  }

  @Test
  void turnsHaveTheirTimes() throws Exception {
    gateOf(1);
    awaitParked(endlessWorker());
    for (long startMs : new long[] {2000, 10_000}) {
      clockMs.set(startMs);
      gate.open();
      if (startMs > 2000) {
        clockMs.set(startMs + 600);
        gate.mark();
      }
      clockMs.set(startMs + 4000);
      gate.close();
    }
    gate.end();

    var turns = gate.turns();
    assertEquals(2, turns.size());
    assertEquals(2.0, turns.get(0).get("opened_s"));
    assertEquals(null, turns.get(0).get("measured_s"), "a warm-up");
    assertEquals(6.0, turns.get(0).get("closed_s"));
    assertEquals(
        Map.of("opened_s", 10.0, "measured_s", 10.6, "all_until_s", 14.0, "closed_s", 14.0),
        turns.get(1));
  }

  @Test
  void whatIsInFlightWhenTheGateClosesIsAfterTheMeasuredPart() throws Exception {
    gateOf(1);
    var answer = new CountDownLatch(1);
    awaitParked(worker(2, waitingFor(answer)));
    gate.open();
    gate.mark();
    await(() -> inFlight.get() > 0);
    clockMs.set(3000);
    var closing = start(gate::close);
    awaitParked(closing);
    clockMs.set(3600);
    answer.countDown();
    closing.join();

    var turn = gate.turns().get(0);
    assertEquals(3.0, turn.get("all_until_s"));
    assertEquals(3.6, turn.get("closed_s"));
    gate.end();
    endThreads();
  }

  @Test
  void withoutTurnsWhatIsMeasuredEndsWithTheFirstThread() throws Exception {
    var intervals = new Intervals(clockMs::get, false);
    var cuts = new ArrayList<Long>();
    intervals.add(cuts::add);
    gate = new Gate(2, intervals, System::nanoTime, operations::get, null);
    for (var pass : new Gate.Pass[] {gate.pass(), gate.pass()}) {
      gate.enter(pass, 0);
      gate.leave(pass);
    }
    assertEquals(null, gate.allUntilMs());
    clockMs.set(5000);
    gate.gone();
    clockMs.set(5700);
    gate.release();
    gate.gone();
    gate.finish();

    assertEquals(5000, gate.allUntilMs());
    assertEquals(List.of(5000L), cuts);
  }

  @Test
  void threadsThatAreThroughEndTheTurn() throws Exception {
    gateOf(2);
    awaitParked(worker(3, () -> {}));
    awaitParked(worker(4, () -> {}));
    gate.open();
    for (var thread : started) {
      thread.join();
    }
    gate.close(); // crosses

    assertEquals(List.of("ready", "opened 1000", "finished 1000 7"), List.copyOf(told));
    assertEquals(1, gate.turns().size());
    gate.finish();
    gate.mark();
    gate.open();
    gate.end();
    assertEquals(3, told.size());
  }

  @Test
  void aLastOperationAnswersTheCloseThatWaitsForIt() throws Exception {
    gateOf(1);
    var answer = new CountDownLatch(1);
    awaitParked(worker(1, waitingFor(answer)));
    gate.open();
    await(() -> inFlight.get() > 0);
    var closing = start(gate::close);
    awaitParked(closing);
    answer.countDown();
    closing.join();

    assertEquals(List.of("ready", "opened 1000", "finished 1000 1"), List.copyOf(told));
  }

  @Test
  void aThreadThatHasGoneHoldsNothingUp() throws Exception {
    gateOf(2);
    awaitParked(endlessWorker());
    var shortlived = worker(1, () -> {});
    awaitParked(shortlived);
    gate.open();
    shortlived.join();
    gate.close();
    gate.open();
    gate.close();
    assertEquals(2, gate.turns().size());
  }

  @Test
  void commandsHaveTheirTime() throws Exception {
    gateOf(1);
    assertThrows(UsageException.class, gate::open);
    awaitParked(endlessWorker());
    assertThrows(UsageException.class, gate::mark);
    assertThrows(UsageException.class, gate::close);
    gate.open();
    assertThrows(UsageException.class, gate::open);
    assertThrows(UsageException.class, gate::end);
    gate.mark();
    assertThrows(UsageException.class, gate::mark);
    gate.close();
    assertThrows(UsageException.class, gate::close);
  }

  /**
   * A thread whose operations take no time, an hour of gate time apart; tells when each was due.
   */
  private Thread hourlyWorker(BlockingQueue<String> begun, Runnable operation) {
    var pass = gate.pass();
    return start(
        () -> {
          for (long done = 0; gate.enter(pass, done * HOUR_NS); done++) {
            begun.add("due " + pass.dueAtNs() / HOUR_NS + " begun " + clockNs.get() / HOUR_NS);
            operation.run();
            gate.leave(pass);
          }
        });
  }

  /** Time goes on, and whoever waits for it looks at the clock. */
  private void at(long hour) {
    clockNs.set(hour * HOUR_NS);
    started.forEach(LockSupport::unpark);
  }

  @Test
  void operationsAreDueInGateTime() throws Exception {
    gateOf(1);
    var begun = new LinkedBlockingQueue<String>();
    clockNs.set(100 * HOUR_NS);
    awaitParked(hourlyWorker(begun, () -> {}));
    gate.open();
    assertEquals("due 100 begun 100", begun.take());
    at(101);
    assertEquals("due 101 begun 101", begun.take());
    gate.close();
    at(150); // a frozen interval, in which nothing is due
    gate.open();
    at(151);
    assertEquals("due 151 begun 151", begun.take());
    gate.close();
    assertTrue(begun.isEmpty(), begun.toString());
  }

  @Test
  void latenessIsKeptWithoutTheTimeBetweenTurns() throws Exception {
    gateOf(1);
    var begun = new LinkedBlockingQueue<String>();
    var answer = new CountDownLatch(1);
    awaitParked(hourlyWorker(begun, waitingFor(answer)));
    gate.open();
    assertEquals("due 0 begun 0", begun.take());
    clockNs.set(3 * HOUR_NS); // it hangs for three hours of this turn, …
    var closing = start(gate::close);
    awaitParked(closing);
    clockNs.set(4 * HOUR_NS); // … and one more, in which nothing else could have begun
    answer.countDown();
    closing.join();
    clockNs.set(50 * HOUR_NS);
    gate.open();

    assertEquals("due 48 begun 50", begun.take());
    assertEquals("due 49 begun 50", begun.take());
    assertEquals("due 50 begun 50", begun.take());
    gate.close();
    assertTrue(begun.isEmpty(), begun.toString());
  }

  @Test
  void whoWaitsIsReleased() throws Exception {
    gateOf(1);
    var worker = endlessWorker();
    awaitParked(worker);
    gate.release();
    worker.join();
    assertEquals(0, operations.get());
  }

  @Test
  void withoutAnAttendantItStandsOpen() {
    gate = new Gate(2, intervals, () -> clock.getAsLong(), operations::get, null);
    var pass = gate.pass();
    assertTrue(gate.enter(pass, 0));
    gate.leave(pass);
    gate.gone();
    gate.gone();
    gate.finish();
    assertEquals(List.of(), gate.turns());
    gate.release();
    assertFalse(gate.enter(pass, 0));
  }
}
