package pressgauge;

import com.mongodb.ClientSessionOptions;
import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoCompressor;
import com.mongodb.MongoException;
import com.mongodb.WriteConcern;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.connection.ServerMonitoringMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.bson.Document;
import org.bson.RawBsonDocument;
import site.ycsb.Client;
import site.ycsb.DBException;

/**
 * The one MongoClient of a process, shared by its threads' bindings and closed by the last of them.
 * It travels in the YCSB properties, which every binding is given: nothing here is static.
 */
final class SharedClient {
  private static final String PROPERTY = "pressgauge.internal.client";
  private static final int REACH_MS = 5_000;
  private static final int ANSWER_MS = 120_000;
  private static final int HEARTBEAT_HOURS = 24;

  // The driver logs to java.util.logging, which prints. Held, or the level would be collected.
  private static final Logger DRIVER_LOG = Logger.getLogger("org.mongodb.driver");

  private final MongoClient client;
  private final MongoDatabase database;
  private final MongoClientSettings settings;
  private final DBException failure;
  private int users;

  private SharedClient(
      MongoClient client,
      MongoDatabase database,
      MongoClientSettings settings,
      DBException failure) {
    this.client = client;
    this.database = database;
    this.settings = settings;
    this.failure = failure;
  }

  /**
   * The process's client, connected; a failure to connect is the same one for every thread.
   *
   * @throws DBException with one line: host and port, and why it can't be reached or used
   */
  static SharedClient acquire(Properties properties) throws DBException {
    synchronized (properties) {
      var shared = (SharedClient) properties.computeIfAbsent(PROPERTY, name -> connect(properties));
      if (shared.failure != null) {
        throw shared.failure;
      }
      shared.users++;
      // Here and not in connect(): properties can't be added to while they compute another one.
      var record = ClientRecord.of(properties);
      record.writeConcern(shared.database.getWriteConcern().asDocument().toJson());
      record.connection(shared.facts());
      return shared;
    }
  }

  private Map<String, Object> facts() {
    var facts = new LinkedHashMap<String, Object>();
    var level = database.getReadConcern().getLevel();
    facts.put("retry_writes", settings.getRetryWrites());
    facts.put("read_concern", level == null ? null : level.getValue());
    facts.put("read_preference", database.getReadPreference().getName());
    facts.put("compression", told(settings.getCompressorList()));
    return facts;
  }

  /** Gives the client back. */
  void release(Properties properties) {
    synchronized (properties) {
      if (--users == 0) {
        properties.remove(PROPERTY);
        client.close();
      }
    }
  }

  MongoCollection<RawBsonDocument> collection(String name) {
    return database.getCollection(name, RawBsonDocument.class);
  }

  /** A session in which reads don't wait for the session's own writes: they would not without. */
  ClientSession session() {
    return client.startSession(ClientSessionOptions.builder().causallyConsistent(false).build());
  }

  MongoDatabase database() {
    return database;
  }

  private static SharedClient connect(Properties properties) {
    DRIVER_LOG.setLevel(Level.OFF);
    var hosts = "mongod";
    MongoClient client = null;
    try {
      var settings = new Settings(properties);
      var uri = connectionString(settings.path("mongodb.uri.file"));
      hosts = String.join(",", uri.getHosts());
      var clientSettings = clientSettings(uri, settings);
      client = MongoClients.create(clientSettings);
      var database = client.getDatabase(settings.text("mongodb.database", "pressgauge"));
      database.runCommand(new Document("ping", 1));
      return new SharedClient(client, database, clientSettings, null);
    } catch (UsageException e) {
      return failed(client, e.getMessage());
    } catch (MongoException e) {
      return failed(client, "can't use " + hosts + ": " + MongoFailure.line(e));
    }
  }

  private static SharedClient failed(MongoClient client, String line) {
    if (client != null) {
      client.close();
    }
    return new SharedClient(null, null, null, new ConnectionFailure(line));
  }

  /** Compressors by name, each with its level where it was told one; null without any. */
  static String told(List<MongoCompressor> compressors) {
    var names = new StringJoiner(",");
    for (var one : compressors) {
      Object level = one.getProperty(MongoCompressor.LEVEL, null);
      names.add(level == null ? one.getName() : one.getName() + " " + level);
    }
    return compressors.isEmpty() ? null : names.toString();
  }

  private static int threads(Settings settings) {
    return settings.count(Client.THREAD_COUNT_PROPERTY, 1, 1, 100_000);
  }

  private static MongoClientSettings clientSettings(ConnectionString uri, Settings settings) {
    var builder = MongoClientSettings.builder().applicationName("pressgauge");
    builder.applyToSocketSettings(
        socket -> {
          socket.connectTimeout(REACH_MS, TimeUnit.MILLISECONDS);
          socket.readTimeout(ANSWER_MS, TimeUnit.MILLISECONDS);
        });
    builder.applyToClusterSettings(
        cluster -> cluster.serverSelectionTimeout(REACH_MS, TimeUnit.MILLISECONDS));
    int threads = threads(settings);
    builder.applyToConnectionPoolSettings(pool -> pool.maxSize(Math.max(100, threads + 1)));
    if (!settings
        .text("mongodb.authority.file", "")
        .isEmpty()) { // used where the string has tls=true
      var context = Authority.context(settings.path("mongodb.authority.file"));
      builder.applyToSslSettings(ssl -> ssl.context(context));
    }
    if (Gate.isAttended(settings)) {
      seeNoFreeze(builder);
    }
    // Retries would hide the very failures that void a trial: only where they are asked for.
    var retryWrites = Boolean.TRUE.equals(uri.getRetryWritesValue());
    return builder.applyConnectionString(uri).retryWrites(retryWrites).retryReads(false).build();
  }

  /** A server that is frozen between turns must not look lost, nor its connections stale. */
  private static void seeNoFreeze(MongoClientSettings.Builder builder) {
    builder.applyToServerSettings(
        server ->
            server
                .serverMonitoringMode(ServerMonitoringMode.POLL)
                .heartbeatFrequency(HEARTBEAT_HOURS, TimeUnit.HOURS));
    builder.applyToConnectionPoolSettings(
        pool ->
            pool.maxConnectionIdleTime(0, TimeUnit.SECONDS)
                .maxConnectionLifeTime(0, TimeUnit.SECONDS));
  }

  private static ConnectionString connectionString(Path file) {
    try {
      requirePrivate(file);
      var uri = new ConnectionString(Files.readString(file).strip());
      requireStatedWriteConcern(uri.getWriteConcern());
      return uri;
    } catch (IOException e) {
      throw new UsageException("mongodb.uri.file: can't read " + file + ": " + Reason.of(e));
    } catch (IllegalArgumentException e) {
      // The driver's message may quote the string, password and all.
      throw new UsageException("mongodb.uri.file: " + file + " holds no valid connection string");
    }
  }

  private static void requirePrivate(Path file) throws IOException {
    var others = EnumSet.allOf(PosixFilePermission.class);
    others.removeIf(permission -> permission.name().startsWith("OWNER"));
    others.retainAll(Files.getPosixFilePermissions(file));
    if (!others.isEmpty()) {
      throw new UsageException(
          "mongodb.uri.file: others than its owner can use " + file + "; run chmod 600 on it");
    }
  }

  /** The server's own default differs by version and topology, so a silent one is refused. */
  private static void requireStatedWriteConcern(WriteConcern concern) {
    if (concern == null || concern.getWObject() == null || concern.getJournal() == null) {
      throw new UsageException("mongodb.uri.file: state w and journal in the connection string");
    }
    if (!concern.isAcknowledged()) {
      throw new UsageException("mongodb.uri.file: w=0 acknowledges nothing; use w=1 or more");
    }
  }

  /** YCSB prints an init failure's stack trace, twice a thread; so this one has none. */
  private static final class ConnectionFailure extends DBException {
    private static final long serialVersionUID = 1;

    ConnectionFailure(String line) {
      super(line);
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
      return this;
    }

    @Override
    public String toString() {
      return "pressgauge: " + getMessage();
    }
  }
}
