import java.lang.instrument.Instrumentation;
import java.util.Arrays;

/** Loaded into a running YCSB client, stops one of its client threads where it stands. */
public final class ThreadStopper {
  private ThreadStopper() {}

  @SuppressWarnings("removal")
  public static void agentmain(String arguments, Instrumentation instrumentation) {
    Thread.getAllStackTraces().entrySet().stream()
        .filter(one -> Arrays.stream(one.getValue()).anyMatch(ThreadStopper::isClientThread))
        .findFirst()
        .orElseThrow()
        .getKey()
        .stop();
  }

  private static boolean isClientThread(StackTraceElement frame) {
    return frame.getClassName().equals("site.ycsb.ClientThread");
  }
}
