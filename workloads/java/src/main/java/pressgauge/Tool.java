package pressgauge;

import com.mongodb.MongoException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import site.ycsb.DBException;

/** A command of its own beside YCSB's client, with the same {@code -P FILE} and {@code -p k=v}. */
interface Tool {
  void run(Settings settings) throws DBException, IOException;

  /**
   * Runs a tool; its exit status is 0, 2 (wrong input), 3 (the database or a file failed) or 70 (a
   * defect), and whatever fails is told in one line.
   */
  static int main(String name, String[] arguments, Tool tool, PrintStream errors) {
    try {
      tool.run(new Settings(properties(arguments)));
      return 0;
    } catch (UsageException e) {
      return failed(name, errors, e.getMessage(), 2);
    } catch (DBException e) {
      return failed(name, errors, e.getMessage(), 3);
    } catch (MongoException e) {
      return failed(name, errors, MongoFailure.line(e), 3);
    } catch (IOException e) {
      return failed(name, errors, Reason.of(e), 3);
    } catch (RuntimeException e) {
      return failed(name, errors, "a defect: " + Reason.of(e) + " at " + e.getStackTrace()[0], 70);
    }
  }

  private static int failed(String name, PrintStream errors, String why, int status) {
    errors.println("pressgauge " + name + ": " + why);
    return status;
  }

  /** As YCSB's client reads them: -p overrides -P, later overrides earlier. */
  private static Properties properties(String[] arguments) {
    var fromFiles = new Properties();
    var given = new Properties();
    for (int i = 0; i < arguments.length; i += 2) {
      var value = i + 1 < arguments.length ? arguments[i + 1] : "";
      int equals = value.indexOf('=');
      if (arguments[i].equals("-P")) {
        load(fromFiles, Path.of(value));
      } else if (arguments[i].equals("-p") && equals > 0) {
        given.setProperty(value.substring(0, equals), value.substring(equals + 1));
      } else {
        throw new UsageException("expected -P FILE or -p key=value, got " + arguments[i]);
      }
    }
    fromFiles.putAll(given);
    return fromFiles;
  }

  private static void load(Properties properties, Path file) {
    try (var in = Files.newInputStream(file)) {
      properties.load(in);
    } catch (IOException | IllegalArgumentException e) {
      throw new UsageException("-P " + file + ": " + Reason.of(e));
    }
  }
}
