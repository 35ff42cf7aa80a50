package pressgauge;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** How the answers of a replay compare with those that were recorded. */
final class Answers {
  private static final int MOST_EXAMPLES = 10;

  private final LongAdder compared = new LongAdder();
  private final LongAdder notRecorded = new LongAdder();
  private final LongAdder added = new LongAdder();
  private final Map<String, LongAdder> unequal = new ConcurrentHashMap<>();
  private final List<String> examples = new ArrayList<>();

  /** Takes in an answer; null for what could not be asked, as its cursor was not open. */
  void add(RecordedOperation operation, Answer answer) {
    if (answer != null) {
      added.add(answer.change());
    }
    if (!operation.answer().isRecorded()) {
      notRecorded.increment();
      return;
    }
    compared.increment();
    if (answer == null || !answer.isLike(operation.answer())) {
      differs(operation, answer == null ? "not asked, as its cursor was not open" : answer.told());
    }
  }

  private void differs(RecordedOperation operation, String now) {
    unequal.computeIfAbsent(operation.name(), name -> new LongAdder()).increment();
    synchronized (examples) {
      if (examples.size() < MOST_EXAMPLES) {
        double atS = operation.dueUs() / 1e6;
        var told = operation.answer().told();
        examples.add("%s at %.3f s: %s; recorded: %s".formatted(operation.name(), atS, now, told));
      }
    }
  }

  /** For the client file. */
  Map<String, Object> facts() {
    var byOperation = new TreeMap<String, Long>();
    unequal.forEach((name, count) -> byOperation.put(name, count.sum()));
    var facts = new LinkedHashMap<String, Object>();
    facts.put("compared", compared.sum());
    facts.put("not_recorded", notRecorded.sum());
    facts.put("unequal", byOperation);
    facts.put("documents_added", added.sum());
    synchronized (examples) {
      facts.put("examples", List.copyOf(examples));
    }
    return facts;
  }
}
