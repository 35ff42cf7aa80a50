package pressgauge;

import java.util.HashSet;
import java.util.Set;

/** Numbers that threads take in order, and how far all of those taken are done with. */
final class Sequence {
  private final Set<Long> early = new HashSet<>();
  private volatile long begun;
  private volatile long ended;

  Sequence(long first) {
    begun = first;
    ended = first;
  }

  /** The next number, if it lies below a bound; -1 if not. To be ended whatever comes of it. */
  synchronized long begin(long bound) {
    if (begun >= bound) {
      return -1;
    }
    long number = begun;
    begun = number + 1;
    return number;
  }

  synchronized void end(long number) {
    early.add(number);
    while (early.remove(ended)) {
      ended++;
    }
  }

  /** All numbers below this have been taken. */
  long begun() {
    return begun;
  }

  /** All numbers below this have been done with. */
  long ended() {
    return ended;
  }
}
