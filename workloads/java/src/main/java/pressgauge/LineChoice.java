package pressgauge;

import java.math.BigInteger;

/**
 * At which line of the corpus the value of a field begins: a pure function, as {@link
 * ValueFunction} is, with the same twin.
 */
interface LineChoice {
  /**
   * The line.
   *
   * @param key the record number
   */
  int line(long key, int field, long version);

  /** Any line, drawn at random: as many different values are loaded as there are lines. */
  static LineChoice drawn(long seed, int lines) {
    return (key, field, version) ->
        ValueFunction.below(ValueFunction.draw(seed, key, field, version), lines);
  }

  /**
   * Each line once before any comes a second time. Those of neighbouring fields are far apart, so
   * that pages hold no text twice by that.
   *
   * @param fields of a record
   */
  static LineChoice eachOnce(long seed, int fields, int lines) {
    long step = Math.max(1, (lines * (ValueFunction.GOLDEN_GAMMA >>> 32)) >>> 32);
    while (!areCoprime(step, lines)) {
      step++;
    }
    long coprime = step;
    return (key, field, version) -> {
      long first = ValueFunction.below(ValueFunction.draw(seed, 0, 0, version), lines);
      return (int) ((first + (key * fields + field) % lines * coprime) % lines);
    };
  }

  private static boolean areCoprime(long a, long b) {
    return BigInteger.valueOf(a).gcd(BigInteger.valueOf(b)).equals(BigInteger.ONE);
  }
}
