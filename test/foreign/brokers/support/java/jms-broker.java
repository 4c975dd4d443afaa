import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.security.*;
import java.security.cert.*;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.*;
import java.util.concurrent.*;
import javax.jms.*;

/** A broker in this process. */
abstract class JmsBroker {
  static final String CLIENT = "reader";
  static final String CLIENT_PASSWORD = "reads";
  static final char[] STORE_PASSWORD = "changeit".toCharArray();
  final Map<String, Integer> ports = new HashMap<>();
  Path folder;
  Path keystore;

  /** Starts it, with this password of the user `gateway`. */
  abstract void start(String password) throws Exception;

  abstract void stop() throws Exception;

  /** Connects consumers, also again after a restart; each gets so many messages ahead. */
  abstract ConnectionFactory clients(int ahead) throws Exception;

  /** Reads commands, one in a line: a number, a verb and its words. Answers and messages are lines, too. */
  void serve(String[] words) throws Exception {
    folder = Path.of(words[0]);
    for (String pair : words[1].split(",")) ports.put(pair.split("=")[0], Integer.valueOf(pair.split("=")[1]));
    keystore = keystore(Files.readString(folder.resolve("broker.pem")));
    Map<String, Reader> readers = new ConcurrentHashMap<>();
    ExecutorService pool = Executors.newCachedThreadPool();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    say("ready");
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] cells = line.split(" ");
      pool.execute(() -> {
        try {
          switch (cells[1]) {
            case "start" -> start(cells[2]);
            case "stop" -> stop();
            case "read" -> readers.put(cells[2], new Reader(this, cells));
            case "resume" -> readers.get(cells[2]).resume();
            case "tally" -> say("tally " + cells[2] + " " + readers.get(cells[2]).tally());
            case "forget" -> readers.remove(cells[2]).close();
            default -> throw new IllegalArgumentException(cells[1]);
          }
          say("done " + cells[0]);
        } catch (Throwable error) {
          StringWriter trace = new StringWriter();
          error.printStackTrace(new PrintWriter(trace));
          say("failed " + cells[0] + " " + encoded(trace.toString()));
        }
      });
    }
    System.exit(0);
  }

  private static final PrintStream OUT = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);

  static void say(String line) {
    synchronized (OUT) {
      OUT.println(line);
      OUT.flush();
    }
  }

  static String encoded(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  /** A keystore with the key and the certificates of a PEM text. */
  private Path keystore(String pem) throws Exception {
    String key = pem.replaceAll("(?s).*-----BEGIN PRIVATE KEY-----(.*?)-----END PRIVATE KEY-----.*", "$1").replaceAll("\\s", "");
    String certificates = pem.replaceAll("(?s)-----BEGIN PRIVATE KEY-----.*?-----END PRIVATE KEY-----\\s*", "");
    PrivateKey secret = KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(key)));
    var chain = CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(certificates.getBytes()));
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setKeyEntry("broker", secret, STORE_PASSWORD, chain.toArray(new java.security.cert.Certificate[0]));
    Path file = folder.resolve("broker.p12");
    try (OutputStream out = Files.newOutputStream(file)) {
      store.store(out, STORE_PASSWORD);
    }
    return file;
  }

  /**
   * A JMS consumer that says each message: `read NAME topic|durable|queue DESTINATION now|later PAUSE`. With `count` in
   * place of `now` it only counts them, for benchmarks.
   */
  static class Reader {
    private static final int MANY = 1000;
    private static final String ID = "\"_id\":\"";
    private final Connection connection;
    private final MessageConsumer consumer;
    private final String name;
    private final long pause;
    private final Set<String> ids = new HashSet<>();
    private long messages;

    Reader(JmsBroker broker, String[] cells) throws Exception {
      name = cells[2];
      pause = Long.parseLong(cells[6]);
      boolean isCounting = cells[5].equals("count");
      connection = broker.clients(isCounting ? MANY : 1).createConnection(CLIENT, CLIENT_PASSWORD);
      if (cells[3].equals("durable")) connection.setClientID(name);
      connection.start();
      Session session = connection.createSession(false, isCounting ? Session.DUPS_OK_ACKNOWLEDGE : Session.AUTO_ACKNOWLEDGE);
      consumer = switch (cells[3]) {
        case "topic" -> session.createConsumer(session.createTopic(cells[4]));
        case "durable" -> session.createDurableSubscriber(session.createTopic(cells[4]), name);
        default -> session.createConsumer(session.createQueue(cells[4]));
      };
      if (cells[5].equals("now")) resume();
      if (isCounting) consumer.setMessageListener(this::count);
    }

    /** How many messages came, and of how many events. */
    synchronized String tally() {
      return messages + " " + ids.size();
    }

    private synchronized void count(Message message) {
      try {
        String text = ((TextMessage) message).getText();
        ids.add(text.substring(text.lastIndexOf(ID) + ID.length()));
        messages++;
      } catch (Exception error) {
        say("failed 0 " + encoded(error.toString()));
      }
    }

    void resume() throws JMSException {
      consumer.setMessageListener(this::tell);
    }

    void close() throws JMSException {
      connection.close();
    }

    private void tell(Message message) {
      try {
        if (pause > 0) Thread.sleep(pause);
        String kind = message instanceof TextMessage ? "TextMessage" : message.getClass().getSimpleName();
        String mode = message.getJMSDeliveryMode() == DeliveryMode.PERSISTENT ? "PERSISTENT" : "NON_PERSISTENT";
        List<String> properties = new ArrayList<>();
        for (var names = message.getPropertyNames(); names.hasMoreElements();) properties.add((String) names.nextElement());
        String text = message instanceof TextMessage body ? body.getText() : "";
        String[] cells = {"message", name, kind, mode, "" + message.getJMSPriority(), "" + message.getJMSRedelivered(),
          encoded(String.valueOf(message.getJMSType())), encoded(message.getJMSMessageID()), encoded(String.join(",", properties)), encoded(text)};
        say(String.join(" ", cells));
      } catch (Exception error) {
        say("failed 0 " + encoded(error.toString()));
      }
    }
  }
}
