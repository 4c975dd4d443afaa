import java.util.*;
import javax.jms.ConnectionFactory;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.config.impl.SecurityConfiguration;
import org.apache.activemq.artemis.core.security.Role;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.server.JournalType;
import org.apache.activemq.artemis.core.settings.impl.AddressFullMessagePolicy;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.apache.activemq.artemis.spi.core.security.ActiveMQJAASSecurityManager;
import org.apache.activemq.artemis.spi.core.security.jaas.InVMLoginModule;

/** ActiveMQ Artemis. */
class ArtemisBroker extends JmsBroker {
  /** Room for messages of an address that is soon full, in bytes. */
  private static final long LITTLE = 64 * 1024;
  private EmbeddedActiveMQ broker;

  public static void main(String[] words) throws Exception {
    new ArtemisBroker().serve(words);
  }

  @Override
  void start(String password) throws Exception {
    ConfigurationImpl settings = new ConfigurationImpl();
    settings.setName("foreign");
    settings.setPersistenceEnabled(true);
    settings.setJournalType(JournalType.NIO);
    settings.setJournalFileSize(1 << 20);
    settings.setJournalMinFiles(2);
    settings.setBrokerInstance(folder.toFile());
    settings.setJournalDirectory(folder.resolve("journal").toString());
    settings.setBindingsDirectory(folder.resolve("bindings").toString());
    settings.setLargeMessagesDirectory(folder.resolve("large").toString());
    settings.setPagingDirectory(folder.resolve("paging").toString());
    settings.setSecurityEnabled(true);
    settings.setJMXManagementEnabled(false);
    settings.setMaxDiskUsage(-1);
    settings.addAcceptorConfiguration("all", "tcp://127.0.0.1:" + ports.get("tcp") + "?protocols=CORE,OPENWIRE,AMQP");
    // with the default of 1,000, a producer fills the broker far beyond its limit before it has to wait
    String credits = "&amqpCredits=20&amqpLowCredits=5";
    settings.addAcceptorConfiguration("amqp", "tcp://127.0.0.1:" + ports.get("amqp") + "?protocols=AMQP" + credits);
    String tls = "&sslEnabled=true&keyStorePath=" + keystore + "&keyStorePassword=" + new String(STORE_PASSWORD) + "&keyStoreType=PKCS12";
    settings.addAcceptorConfiguration("ssl", "tcp://127.0.0.1:" + ports.get("ssl") + "?protocols=OPENWIRE" + tls);
    settings.addAcceptorConfiguration("amqps", "tcp://127.0.0.1:" + ports.get("amqps") + "?protocols=AMQP" + tls);
    settings.addAddressSetting("#", new AddressSettings().setAutoCreateAddresses(true).setAutoCreateQueues(true));
    settings.addAddressSetting("full.#", limited(AddressFullMessagePolicy.BLOCK));
    settings.addAddressSetting("failing.#", limited(AddressFullMessagePolicy.FAIL));
    settings.putSecurityRoles("#", Set.of(role("gateways"), role("readers")));
    settings.putSecurityRoles("forbidden.#", Set.of(role("readers")));
    SecurityConfiguration users = new SecurityConfiguration();
    users.addUser("gateway", password);
    users.addRole("gateway", "gateways");
    users.addUser(CLIENT, CLIENT_PASSWORD);
    users.addRole(CLIENT, "readers");
    broker = new EmbeddedActiveMQ();
    broker.setConfiguration(settings);
    broker.setSecurityManager(new ActiveMQJAASSecurityManager(InVMLoginModule.class.getName(), users));
    broker.start();
  }

  @Override
  void stop() throws Exception {
    broker.stop();
  }

  @Override
  ConnectionFactory clients(int ahead) throws Exception {
    int window = ahead == 1 ? 0 : 1 << 20;
    return new ActiveMQConnectionFactory("tcp://127.0.0.1:" + ports.get("tcp") + "?reconnectAttempts=-1&retryInterval=200&consumerWindowSize=" + window);
  }

  private static AddressSettings limited(AddressFullMessagePolicy policy) {
    return new AddressSettings().setAutoCreateAddresses(true).setAutoCreateQueues(true).setMaxSizeBytes(LITTLE).setAddressFullMessagePolicy(policy);
  }

  private static Role role(String name) {
    return new Role(name, true, true, true, true, true, true, false, true, true, true, false, false);
  }
}
