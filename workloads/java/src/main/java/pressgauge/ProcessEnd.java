package pressgauge;

import java.util.function.IntSupplier;

/** How the process ends: YCSB's client ends with exit status 0 whatever happened. */
interface ProcessEnd {
  /** Ends the process now. */
  void now(int status);

  /** Corrects the status once the process ends by itself; 0 leaves it as it is. */
  void correct(IntSupplier status);

  /** The Java virtual machine's end. */
  final class OfJvm implements ProcessEnd {
    @Override
    public void now(int status) {
      System.exit(status);
    }

    @Override
    public void correct(IntSupplier status) {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> halt(status.getAsInt())));
    }

    private static void halt(int status) {
      if (status != 0) {
        System.out.flush();
        System.err.flush();
        Runtime.getRuntime().halt(status);
      }
    }
  }
}
