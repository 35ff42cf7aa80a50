package pressgauge;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.Vector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;
import site.ycsb.measurements.Measurements;
import site.ycsb.measurements.exporter.MeasurementsExporter;

/**
 * One seed means the same calls of the binding, the same account of them and the same series, in
 * every version of the client. Of YCSB's distributions only those that draw nothing can be held to
 * it; the others draw from Java's own generator, which has no seed.
 */
class SameOperationsTest extends WorkloadRunner {
  private final StringBuilder calls = new StringBuilder();

  /** Writes every call down, with its values, and has the binding that does nothing answer it. */
  private final class Recorder extends DB {
    private final NoopBinding noop = new NoopBinding();

    Recorder(Properties properties) {
      noop.setProperties(properties);
      noop.init();
    }

    @Override
    public Status read(
        String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
      calls.append("read " + table + ' ' + key + ' ' + fields + '\n');
      return noop.read(table, key, fields, result);
    }

    @Override
    public Status scan(
        String table,
        String startKey,
        int count,
        Set<String> fields,
        Vector<HashMap<String, ByteIterator>> result) {
      calls.append("scan " + table + ' ' + startKey + ' ' + count + ' ' + fields + '\n');
      return noop.scan(table, startKey, count, fields, result);
    }

    @Override
    public Status update(String table, String key, Map<String, ByteIterator> values) {
      calls.append("update " + table + ' ' + key + ' ' + values + '\n');
      return noop.update(table, key, values);
    }

    @Override
    public Status insert(String table, String key, Map<String, ByteIterator> values) {
      calls.append("insert " + table + ' ' + key + ' ' + values + '\n');
      return noop.insert(table, key, values);
    }

    @Override
    public Status delete(String table, String key) {
      calls.append("delete " + table + ' ' + key + '\n');
      return noop.delete(table, key);
    }
  }

  /** Each series with how many latencies it holds. */
  private static Map<String, Number> series() throws Exception {
    var counts = new TreeMap<String, Number>();
    Measurements.getMeasurements()
        .exportMeasurements(
            new MeasurementsExporter() {
              @Override
              public void write(String metric, String measurement, int count) {}

              @Override
              public void write(String metric, String measurement, long count) {
                counts.merge(metric, measurement.equals("Operations") ? count : 0, this::sum);
              }

              @Override
              public void write(String metric, String measurement, double value) {}

              private Number sum(Number some, Number more) {
                return some.longValue() + more.longValue();
              }

              @Override
              public void close() {}
            });
    return counts;
  }

  private String digest(boolean load, String... more) throws Exception {
    var singleton = Measurements.class.getDeclaredField("singleton");
    singleton.setAccessible(true);
    singleton.set(null, null); // the series of earlier tests
    var file = run(new Recorder(properties(more)), 1, load, more);
    for (var fact : new String[] {"operations", "versions_written", "last_inserted_record"}) {
      calls.append(fact + ' ' + file.get(fact) + '\n');
    }
    calls.append("series " + series());
    var sha256 = MessageDigest.getInstance("SHA-256");
    var digest = sha256.digest(calls.toString().getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(digest, 0, 8);
  }

  @Test
  void loadsAreWhatTheyWere() throws Exception {
    assertEquals("9875cd6d87ad8c99", digest(true, "fieldcount", "10"));
  }

  @ParameterizedTest
  @CsvSource({
    "a, 0.5, 0.5, 0, 0, 0, uniform, false, 2272d1ab2619c706",
    "b, 0.95, 0.05, 0, 0, 0, uniform, false, 6cff18694434abff",
    "c, 1, 0, 0, 0, 0, uniform, false, 7da6b3857efe51dd",
    "d, 0.95, 0, 0.05, 0, 0, uniform, false, f4ac34191fc26923",
    "e, 0, 0, 0.05, 0.95, 0, uniform, false, 4b5bdf872163c971",
    "f, 0.5, 0, 0, 0, 0.5, uniform, false, 985e95a4e5417d52",
    "all, 0.3, 0.2, 0.2, 0.1, 0.4, uniform, false, 15db69ef74254cda",
    "all, 0.3, 0.2, 0.2, 0.1, 0.4, uniform, true, 7b87f44d845607b6",
    "all, 0.3, 0.2, 0.2, 0.1, 0.4, sequential, false, fb00e0937c7cbfaf",
    "all, 0.3, 0.2, 0.2, 0.1, 0.4, sequential, true, da0a2bde237bc7b6",
  })
  void runsAreWhatTheyWere(
      String name,
      String read,
      String update,
      String insert,
      String scan,
      String rmw,
      String distribution,
      String wholeDocuments,
      String expected)
      throws Exception {
    var digest =
        digest(
            false,
            "readproportion",
            read,
            "updateproportion",
            update,
            "insertproportion",
            insert,
            "scanproportion",
            scan,
            "readmodifywriteproportion",
            rmw,
            "requestdistribution",
            distribution,
            "writeallfields",
            wholeDocuments,
            "readallfields",
            wholeDocuments,
            "maxscanlength",
            "1",
            "pressgauge.insertstart",
            "1000");
    assertEquals(expected, digest);
  }

  @Test
  void theDefaultMixIsWhatItWas() throws Exception {
    assertEquals(
        "4d0cb14c89274cc3",
        digest(false, "pressgauge.clientcount", "2", "pressgauge.clientindex", "1"));
  }
}
