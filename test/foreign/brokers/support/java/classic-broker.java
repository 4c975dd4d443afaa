import java.security.KeyStore;
import java.util.*;
import javax.jms.ConnectionFactory;
import javax.net.ssl.*;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.ActiveMQPrefetchPolicy;
import org.apache.activemq.broker.*;
import org.apache.activemq.broker.region.policy.*;
import org.apache.activemq.command.ActiveMQTopic;
import org.apache.activemq.filter.DestinationMapEntry;
import org.apache.activemq.security.*;
import org.apache.activemq.store.kahadb.KahaDBPersistenceAdapter;

/** ActiveMQ Classic. */
class ClassicBroker extends JmsBroker {
  /** Room for messages of a topic that is soon full, in bytes. */
  private static final long LITTLE = 64 * 1024;
  private static final String[] OPEN = {"audit.>", "full.>", "failing.>", "VirtualTopic.>", "ActiveMQ.Advisory.>"};
  private BrokerService broker;

  public static void main(String[] words) throws Exception {
    new ClassicBroker().serve(words);
  }

  @Override
  void start(String password) throws Exception {
    broker = new BrokerService();
    broker.setBrokerName("foreign");
    broker.setUseJmx(false);
    broker.setUseShutdownHook(false);
    broker.setAdvisorySupport(true);
    broker.setSchedulerSupport(false);
    KahaDBPersistenceAdapter store = new KahaDBPersistenceAdapter();
    store.setDirectory(folder.resolve("kahadb").toFile());
    broker.setPersistenceAdapter(store);
    broker.setDataDirectoryFile(folder.resolve("data").toFile());
    broker.getSystemUsage().getMemoryUsage().setLimit(64L << 20);
    broker.getSystemUsage().getStoreUsage().setLimit(1L << 30);
    broker.getSystemUsage().getTempUsage().setLimit(256L << 20);
    broker.setDestinationPolicy(policies());
    broker.setPlugins(new BrokerPlugin[] {authentication(password), authorization()});
    broker.setSslContext(tls());
    broker.addConnector("tcp://127.0.0.1:" + ports.get("tcp"));
    broker.addConnector("ssl://127.0.0.1:" + ports.get("ssl"));
    broker.addConnector("amqp://127.0.0.1:" + ports.get("amqp") + "?transport.transformer=jms");
    broker.addConnector("amqp+ssl://127.0.0.1:" + ports.get("amqps") + "?transport.transformer=jms");
    broker.start(true);
    broker.waitUntilStarted();
  }

  @Override
  void stop() throws Exception {
    broker.stop();
    broker.waitUntilStopped();
  }

  @Override
  ConnectionFactory clients(int ahead) {
    String url = "failover:(tcp://127.0.0.1:" + ports.get("tcp") + ")?maxReconnectDelay=200";
    ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory(url);
    ActiveMQPrefetchPolicy prefetch = new ActiveMQPrefetchPolicy();
    prefetch.setAll(ahead);
    factory.setPrefetchPolicy(prefetch);
    return factory;
  }

  private static PolicyMap policies() {
    PolicyEntry full = new PolicyEntry();
    full.setTopic("full.>");
    full.setProducerFlowControl(true);
    full.setMemoryLimit(LITTLE);
    full.setPendingSubscriberPolicy(new VMPendingSubscriberMessageStoragePolicy());
    PolicyEntry failing = new PolicyEntry();
    failing.setTopic("failing.>");
    failing.setProducerFlowControl(true);
    failing.setMemoryLimit(LITTLE);
    failing.setSendFailIfNoSpace(true);
    failing.setPendingSubscriberPolicy(new VMPendingSubscriberMessageStoragePolicy());
    PolicyMap map = new PolicyMap();
    map.setPolicyEntries(List.of(full, failing));
    return map;
  }

  private static BrokerPlugin authentication(String password) {
    return new SimpleAuthenticationPlugin(List.of(
      new AuthenticationUser("gateway", password, "gateways"),
      new AuthenticationUser(CLIENT, CLIENT_PASSWORD, "readers")));
  }

  private static BrokerPlugin authorization() throws Exception {
    List<DestinationMapEntry> entries = new ArrayList<>();
    // entries add up, so that one for all topics would allow the forbidden ones
    for (String names : OPEN) entries.add(entry(names, true, "gateways,readers"));
    entries.add(entry(">", true, "readers"));
    entries.add(entry(">", false, "gateways,readers"));
    return new AuthorizationPlugin(new DefaultAuthorizationMap(entries));
  }

  private static AuthorizationEntry entry(String names, boolean isTopic, String groups) throws Exception {
    AuthorizationEntry entry = new AuthorizationEntry();
    if (isTopic) entry.setTopic(names);
    else entry.setQueue(names);
    entry.setRead(groups);
    entry.setWrite(groups);
    entry.setAdmin(groups);
    return entry;
  }

  private SslContext tls() throws Exception {
    KeyStore store = KeyStore.getInstance(keystore.toFile(), STORE_PASSWORD);
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, STORE_PASSWORD);
    return new SslContext(keys.getKeyManagers(), null, null);
  }
}
