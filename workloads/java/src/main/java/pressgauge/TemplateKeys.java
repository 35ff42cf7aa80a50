package pressgauge;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.bson.BsonType;

/**
 * The {@code _id}s of records made of templates: in the first cycle the templates' own, in later
 * ones by their kind ({@code pressgauge.idkind}), so that each is another.
 *
 * @param span what a cycle adds to the number in them
 */
record TemplateKeys(Templates templates, Kind kind, long span) implements Keys {
  private static final long UNSIGNED = 0xFFFFFFFFL;
  private static final long EXACT_IN_DOUBLE = 1L << 53;

  /** What the templates' {@code _id}s are, all of them. */
  enum Kind {
    INT("int", BsonType.INT32),
    LONG("long", BsonType.INT64),
    DOUBLE("double", BsonType.DOUBLE),
    DATE("date", BsonType.DATE_TIME),
    OBJECT_ID("objectId", BsonType.OBJECT_ID),
    STRING("string", BsonType.STRING),
    BINARY("binData", BsonType.BINARY),
    OTHER("other", null); // nothing that could go on

    private final String told;
    private final BsonType type;

    Kind(String told, BsonType type) {
      this.told = told;
      this.type = type;
    }

    static Kind of(String told) {
      for (var kind : values()) {
        if (kind.told.equals(told)) {
          return kind;
        }
      }
      throw new UsageException("pressgauge.idkind: " + told + " is none");
    }
  }

  @Override
  public String of(long recordNumber) {
    return RawKey.of(id(recordNumber));
  }

  @Override
  public long number(long recordNumber) {
    return number(of(recordNumber));
  }

  @Override
  public long number(String key) {
    return key.hashCode();
  }

  /**
   * The {@code _id} of a record.
   *
   * @throws RecordRefused if it can't go on so far
   */
  RawValue id(long recordNumber) {
    long cycle = recordNumber / templates.count();
    var fields = new BsonFields(templates.at((int) (recordNumber % templates.count())));
    if (!fields.next() || !fields.isNamed("_id")) {
      throw new UsageException("pressgauge.corpus: a document does not begin with its _id");
    }
    var own = fields.value();
    if (cycle == 0) {
      return own;
    }
    try {
      if (own.type() == kind.type) {
        return inCycle(own, cycle);
      }
    } catch (ArithmeticException | IndexOutOfBoundsException e) {
      // told below, with all that can't go on
    }
    throw new RecordRefused(
        "record %d of %d templates: an _id of kind %s has no cycle %d"
            .formatted(recordNumber, templates.count(), kind.told, cycle));
  }

  private RawValue inCycle(RawValue own, long cycle) {
    var bytes = own.bytes();
    return switch (kind) {
      case INT -> RawValue.int32(Math.toIntExact(later(bytes.getInt(0), cycle)));
      case LONG, DATE -> RawValue.int64(own.type(), later(bytes.getLong(0), cycle));
      case DOUBLE -> wholeNumber(later(wholeNumber(bytes.getDouble(0)), cycle));
      case OBJECT_ID ->
          objectId(bytes, later(Integer.reverseBytes(bytes.getInt(0)) & UNSIGNED, cycle));
      case STRING ->
          RawKey.string(
              (RawKey.text(own) + '~' + Long.toString(cycle, 36)).getBytes(StandardCharsets.UTF_8));
      case BINARY -> binary(own, bytes, cycle);
      case OTHER -> throw new ArithmeticException();
    };
  }

  private long later(long number, long cycle) {
    return Math.addExact(number, Math.multiplyExact(cycle, span));
  }

  private static long wholeNumber(double number) {
    return require(
        number == Math.rint(number) && Math.abs(number) <= EXACT_IN_DOUBLE, (long) number);
  }

  private static RawValue wholeNumber(long number) {
    double exact = require(number <= EXACT_IN_DOUBLE, number);
    return RawValue.int64(BsonType.DOUBLE, Double.doubleToRawLongBits(exact));
  }

  private static RawValue objectId(ByteBuffer own, long seconds) {
    var bytes = RawValue.littleEndian(own.limit()).put(own.duplicate());
    bytes.putInt(0, Integer.reverseBytes((int) require(seconds <= UNSIGNED, seconds)));
    return new RawValue(BsonType.OBJECT_ID, bytes.array());
  }

  private static RawValue binary(RawValue own, ByteBuffer bytes, long cycle) {
    int last = bytes.limit() - Long.BYTES;
    require(last > Integer.BYTES, last);
    var other = RawValue.littleEndian(bytes.limit()).put(bytes.duplicate());
    other.putLong(last, bytes.getLong(last) ^ Long.reverseBytes(ValueFunction.mix(cycle)));
    return new RawValue(own.type(), other.array());
  }

  private static long require(boolean fits, long number) {
    if (!fits) {
      throw new ArithmeticException();
    }
    return number;
  }
}
