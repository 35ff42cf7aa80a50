package pressgauge;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * The write barrier of the {@link Dictionary}: hashes of values that are acknowledged there, and so
 * need not be sent again. It holds so many at most, and forgets first what it has known longest;
 * what it has forgotten is only sent once more. Entries of a dictionary are never removed, so
 * nothing known becomes wrong. For all threads of a process.
 */
final class KnownHashes {
  private static final String PROPERTY = "pressgauge.internal.knownhashes";

  private final ConcurrentMap<Reference, TextValue> values = new ConcurrentHashMap<>();
  private final AtomicReferenceArray<Reference> order;
  private final AtomicLong learnt = new AtomicLong();
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder met = new LongAdder();

  /**
   * @param most how many it holds
   */
  KnownHashes(int most) {
    order = new AtomicReferenceArray<>(most);
  }

  /** The process's, which travels in the properties that every binding is given. */
  static KnownHashes of(Properties properties, int most) {
    return (KnownHashes) properties.computeIfAbsent(PROPERTY, name -> new KnownHashes(most));
  }

  /**
   * Whether a value is known to be in the dictionary.
   *
   * @throws HashCollision if another one is, under the same hash: it is compared, too
   */
  boolean holds(Reference reference, TextValue value) {
    var there = values.get(reference);
    if (there != null && !there.isSame(value)) {
      throw new HashCollision(reference, there, value);
    }
    return there != null;
  }

  /** Learns that a value is acknowledged; keeps a copy of it. */
  void learn(Reference reference, TextValue value) {
    if (values.putIfAbsent(reference, value.copy()) != null) {
      return;
    }
    int place = (int) (learnt.getAndIncrement() % order.length());
    var oldest = order.getAndSet(place, reference);
    if (oldest != null) {
      values.remove(oldest);
    }
  }

  /** Counts a value that need not be sent. */
  void hit() {
    hits.increment();
  }

  /** Counts values that are sent. */
  void missed(int count) {
    misses.add(count);
  }

  /** Counts values that were sent, and had been in the dictionary before. */
  void met(int count) {
    met.add(count);
  }

  /** For the client file. */
  Map<String, Object> facts() {
    var facts = new LinkedHashMap<String, Object>();
    facts.put("known_hashes", order.length());
    facts.put("hits", hits.sum());
    facts.put("misses", misses.sum());
    facts.put("met", met.sum());
    return facts;
  }
}
