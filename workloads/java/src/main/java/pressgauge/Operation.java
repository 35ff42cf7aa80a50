package pressgauge;

import java.util.List;
import java.util.Locale;
import site.ycsb.Status;

/**
 * A kind of operation of a run phase. It has no state: all threads share one object, and what it
 * needs comes with its {@link Turn}.
 */
interface Operation {
  /** How the properties end that give a proportion. */
  String PROPORTION = "proportion";

  /** Its name: of its series in YCSB's measurements, and of its counts in the client file. */
  String name();

  /** The property with its proportion in the mix, as YCSB names them: readmodifywriteproportion. */
  default String property() {
    return name().replace("-", "").toLowerCase(Locale.ROOT) + PROPORTION;
  }

  /** Its proportion where the property isn't given. */
  default String proportion() {
    return "0";
  }

  /** The series that it fills. YCSB measures each call of the binding; all else measures itself. */
  default List<String> series() {
    return List.of(name());
  }

  /** Whether the records that it chooses from must be its own client's alone. */
  default boolean needsOwnRecords() {
    return false;
  }

  /**
   * Does it once, and checks what came of it.
   *
   * @return the binding's status, or another where what it gave can't be right; counted once
   */
  Status run(Turn turn);
}
