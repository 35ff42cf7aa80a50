package pressgauge;

/** How often ranks are chosen, the most frequent first. For any number of threads. */
interface Skew {
  /** A rank of 0..n-1. */
  int rank(Draws draws, int n);

  /**
   * Rank r has a share in proportion to (r + 1) to the power of -exponent. By rejection-inversion
   * (Hörmann and Derflinger, 1996), so that nothing needs to be summed up, whatever n is.
   */
  record Zipfian(double exponent) implements Skew {
    @Override
    public int rank(Draws draws, int n) {
      double from = integral(1.5) - 1;
      double to = integral(n + 0.5);
      double surely = 2 - inverse(integral(2.5) - Math.pow(2, -exponent));
      while (true) {
        double at = to + draws.share() * (from - to);
        double x = inverse(at);
        long k = Math.max(1, Math.min(n, Math.round(x)));
        if (k - x <= surely || at >= integral(k + 0.5) - Math.pow(k, -exponent)) {
          return (int) (k - 1);
        }
      }
    }

    /** Of the density, from 1 to x. */
    private double integral(double x) {
      double log = Math.log(x);
      double power = (1 - exponent) * log;
      return Math.abs(power) < 1e-8 ? log * (1 + power / 2) : Math.expm1(power) / (1 - exponent);
    }

    private double inverse(double integral) {
      double power = Math.max(-1, (1 - exponent) * integral);
      return Math.exp(
          Math.abs(power) < 1e-8
              ? integral * (1 - power / 2)
              : Math.log1p(power) / power * integral);
    }
  }

  /**
   * The first so many of the ranks have so many of the operations, in pieces; within a piece all
   * are alike.
   *
   * @param ranks which share of the ranks lies before each piece's end; ascending, the last is 1
   * @param operations which share of the operations they have together; likewise
   */
  record Pieces(double[] ranks, double[] operations) implements Skew {
    /** All ranks alike. */
    static final Pieces UNIFORM = new Pieces(new double[] {1}, new double[] {1});

    @Override
    public int rank(Draws draws, int n) {
      double drawn = draws.share();
      int piece = 0;
      while (piece < operations.length - 1 && drawn >= operations[piece]) {
        piece++;
      }
      int first = piece == 0 ? 0 : bound(piece - 1, n);
      int count = bound(piece, n) - first;
      return Math.min(n - 1, first + draws.below(Math.max(1, count)));
    }

    private int bound(int piece, int n) {
      return piece == ranks.length - 1 ? n : (int) Math.round(ranks[piece] * n);
    }
  }
}
