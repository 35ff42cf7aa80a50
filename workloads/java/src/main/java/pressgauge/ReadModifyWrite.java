package pressgauge;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import site.ycsb.ByteIterator;
import site.ycsb.Status;

/** Reads a record, and writes the next version of some fields. It waits for nothing but these. */
final class ReadModifyWrite implements Operation {
  private static final Status WRITE_LOST =
      new Status("WRITE_LOST", "A version was read that acknowledged writes had replaced.");

  @Override
  public String name() {
    return "READ-MODIFY-WRITE";
  }

  @Override
  public List<String> series() {
    return List.of(name(), "READ", "UPDATE");
  }

  @Override
  public Status run(Turn turn) {
    long recordNumber = turn.chooseRecord();
    var key = turn.key(recordNumber);
    var fields = turn.ownFieldsToWrite(recordNumber);
    return turn.measured(
        name(),
        () -> {
          var write = turn.workload().versions().begin(recordNumber, fields);
          try {
            return writeSuccessors(turn, recordNumber, key, fields, write);
          } finally {
            write.end();
          }
        });
  }

  private Status writeSuccessors(
      Turn turn, long recordNumber, String key, int[] fields, Versions.Write write) {
    var found = new HashMap<String, ByteIterator>();
    var status = turn.db().read(turn.table(), key, turn.fieldsToRead(fields), found);
    if (!status.isOk()) {
      return status;
    }
    var documents = turn.documents();
    var successors = new LinkedHashMap<String, ByteIterator>();
    for (int i = 0; i < fields.length; i++) {
      var name = documents.fields().get(fields[i]);
      long read = documents.version(found, fields[i]);
      if (read < 0) {
        return Status.UNEXPECTED_STATE;
      }
      if (read < write.least(i)) {
        var why =
            "version %d was read, %d or later is acknowledged".formatted(read, write.least(i));
        turn.workload().record().tell(name(), WRITE_LOST, key + ' ' + name + ": " + why);
        return WRITE_LOST;
      }
      documents.put(successors, recordNumber, fields[i], write.next(i, read));
    }
    status = turn.db().update(turn.table(), key, successors);
    if (status.isOk()) {
      write.acknowledge();
    }
    return status;
  }
}
