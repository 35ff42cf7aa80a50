package pressgauge;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The operations that a mix can be made of.
 *
 * @param all in the order in which a draw goes through them: a new one comes last, or mixes that
 *     don't have it would draw others than before
 */
record Operations(List<Operation> all) {
  /** Each operation has one line here. */
  static final Operations REGISTERED =
      new Operations(
          List.of(new Read(), new Update(), new Insert(), new Scan(), new ReadModifyWrite()));

  /**
   * The operation with a proportion property.
   *
   * @throws UsageException if there is none
   */
  Operation of(String property) {
    return all.stream()
        .filter(operation -> operation.property().equals(property))
        .findFirst()
        .orElseThrow(
            () -> new UsageException(property + ": no such operation; there are " + known()));
  }

  private String known() {
    return all.stream().map(Operation::property).collect(Collectors.joining(", "));
  }
}
