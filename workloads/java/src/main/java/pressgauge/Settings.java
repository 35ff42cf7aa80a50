package pressgauge;

import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;

/** Reads YCSB properties; what is missing or malformed is a {@link UsageException} that says so. */
record Settings(Properties properties) {

  String text(String name, String otherwise) {
    return properties.getProperty(name, otherwise).strip();
  }

  String text(String name) {
    var value = properties.getProperty(name, "").strip();
    if (value.isEmpty()) {
      throw new UsageException(name + ": missing");
    }
    return value;
  }

  /** Texts separated by commas; none where it is missing. */
  List<String> list(String name) {
    return Stream.of(text(name, "").split(",")).filter(text -> !text.isEmpty()).toList();
  }

  Path path(String name) {
    return Path.of(text(name));
  }

  boolean flag(String name, boolean otherwise) {
    return Boolean.parseBoolean(text(name, Boolean.toString(otherwise)));
  }

  /** Any 64-bit number. */
  long number(String name) {
    var value = text(name);
    try {
      return Long.parseLong(value);
    } catch (NumberFormatException e) {
      throw new UsageException(name + ": " + value + " is no 64-bit integer");
    }
  }

  /** A count within limits, both included. */
  int count(String name, int otherwise, int least, int most) {
    var value = text(name, Integer.toString(otherwise));
    try {
      int count = Integer.parseInt(value);
      if (count >= least && count <= most) {
        return count;
      }
    } catch (NumberFormatException e) {
      // told below, as every other value out of range
    }
    throw new UsageException(name + ": " + value + " is not in " + least + " to " + most);
  }

  /** Something a second: more than 0. */
  double rate(String name, double most) {
    var value = text(name);
    try {
      double rate = Double.parseDouble(value);
      if (rate > 0 && rate <= most) {
        return rate;
      }
    } catch (NumberFormatException e) {
      // told below, as every other value out of range
    }
    throw new UsageException(name + ": " + value + " is not above 0 and up to " + most);
  }

  /** A proportion: 0 to 1. */
  double share(String name, String otherwise) {
    var value = text(name, otherwise);
    try {
      double share = Double.parseDouble(value);
      if (share >= 0 && share <= 1) {
        return share;
      }
    } catch (NumberFormatException e) {
      // told below, as every other value out of range
    }
    throw new UsageException(name + ": " + value + " is not in 0 to 1");
  }
}
