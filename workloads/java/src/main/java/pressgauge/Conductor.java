package pressgauge;

import java.io.EOFException;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The parent process, which says over a Unix socket when it is this client's turn. Lines of ASCII:
 *
 * <ul>
 *   <li>to the parent, {@code ready}: every thread has connected and waits at the closed gate
 *   <li>{@code pace} while closed, without an answer: from the next turn on operations keep their
 *       pace, if they have one
 *   <li>{@code open}, answered by {@code opened <unix ms>}
 *   <li>{@code mark}, answered by {@code marked <unix ms>}: the turn's measured part begins
 *   <li>{@code close}, answered by {@code closed <unix ms> <operations so far>} once none is in
 *       flight
 *   <li>{@code end} while closed, without an answer: there are no more turns, the client ends
 *   <li>to the parent, {@code finished <unix ms> <operations>}: all threads are through by
 *       themselves, which ends the turn; nothing is answered any more
 * </ul>
 *
 * <p>A parent that is gone, or says what it can't mean, stops the client, which has then failed.
 */
final class Conductor {
  private static final int LONGEST_LINE = 64;

  private final SocketChannel channel;
  private final ByteBuffer received = ByteBuffer.allocate(LONGEST_LINE).flip();
  private volatile boolean failed;

  private Conductor(SocketChannel channel) {
    this.channel = channel;
  }

  /**
   * The parent at the other end of a socket.
   *
   * @throws UsageException if no one listens there
   */
  static Conductor at(Path socket) {
    try {
      return new Conductor(SocketChannel.open(UnixDomainSocketAddress.of(socket)));
    } catch (IOException | IllegalArgumentException e) {
      throw new UsageException(
          Gate.PROPERTY + ": can't connect to " + socket + ": " + Reason.of(e));
    }
  }

  /** Tells the parent a line. */
  void tell(String line) {
    try {
      var bytes = ByteBuffer.wrap((line + '\n').getBytes(StandardCharsets.US_ASCII));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    } catch (IOException e) {
      // The parent is gone, which is told where its lines are read.
    }
  }

  /**
   * Begins to do as the parent says.
   *
   * @param stop ends the client's threads, those that wait at the gate too, when there are no more
   *     turns or something failed
   */
  void attend(Gate gate, Runnable stop) {
    var thread = new Thread(() -> attendUntilTheEnd(gate, stop), "gate");
    thread.setDaemon(true);
    thread.start();
  }

  /** Whether it went wrong: the client is stopped then. */
  boolean hasFailed() {
    return failed;
  }

  private void attendUntilTheEnd(Gate gate, Runnable stop) {
    try {
      while (!gate.hasEnded()) {
        obey(line(), gate);
      }
    } catch (UsageException e) {
      fail(gate, e.getMessage());
    } catch (IOException | RuntimeException e) {
      fail(gate, Gate.PROPERTY + ": lost the parent process: " + Reason.of(e));
    }
    stop.run();
  }

  private void fail(Gate gate, String why) {
    if (!gate.hasEnded()) {
      failed = true;
      System.err.println("pressgauge: " + why);
    }
  }

  private static void obey(String line, Gate gate) {
    switch (line) {
      case "open" -> gate.open();
      case "mark" -> gate.mark();
      case "pace" -> gate.pace();
      case "close" -> gate.close();
      case "end" -> gate.end();
      default -> throw new UsageException(Gate.PROPERTY + ": no command: " + line);
    }
  }

  private String line() throws IOException {
    var line = new StringBuilder();
    while (line.length() < LONGEST_LINE) {
      if (!received.hasRemaining()) {
        received.clear();
        if (channel.read(received) < 0) {
          throw new EOFException("it closed the socket");
        }
        received.flip();
        continue;
      }
      char next = (char) received.get();
      if (next == '\n') {
        return line.toString();
      }
      line.append(next);
    }
    throw new UsageException(Gate.PROPERTY + ": a line of more than " + LONGEST_LINE + " bytes");
  }
}
