import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../contract/document/json-value.ts';
import type { Path } from '../../../../../contract/problem.ts';
import { handlerProblems } from '../../../../support/audit/built-sink.ts';
import { type JmsWish, jmsConfigFor } from '../../../../support/brokers/jms-config.ts';

const URL_PATH = '/jndi/contextProperties/java.naming.provider.url';

const pathText = (path: Path): string => `/${path.join('/')}`;

function judged(config: JsonObject): { errors: string[]; warnings: string[] } {
  const { problems, remarks } = handlerProblems('JmsAuditEventHandler', config);
  const lines = (severity: string): string[] =>
    problems.filter((one) => one.severity === severity).map(({ path, message }) => `${pathText(path)} ${message}`);
  const said = remarks.map(({ at, message }) => `${pathText(at)} ${message}`);
  return { errors: lines('error'), warnings: [...lines('warning'), ...said] };
}

const judgedUrl = (url: string, more: JsonObject = {}, wish: JmsWish = {}): ReturnType<typeof judged> =>
  judged(jmsConfigFor(url, more, wish));

describe('the URL of a JMS handler', () => {
  it.each([
    'tcp://127.0.0.1:61616',
    'nio://localhost:61616?connectionTimeout=100&keepAlive=true&tcpNoDelay=false&useInactivityMonitor=false',
    'ssl://broker.test:61617?socket.verifyHostName=true&socket.enabledProtocols=TLSv1.2,TLSv1.3',
    'nio+ssl://[fd00::1]:61617?socket.enabledCipherSuites=TLS_AES_128_GCM_SHA256',
    'failover:(ssl://a.test:1,ssl://b.test:2)?randomize=false&nested.wireFormat.maxInactivityDuration=5000',
    'failover://(ssl://a.test:1,ssl://b.test:2)?priorityBackup=true&priorityURIs=ssl://b.test:2',
    'failover:ssl://a.test:1,ssl://b.test:2',
    'tcp://localhost:1?jms.sendTimeout=1&jms.closeTimeout=1&jms.connectResponseTimeout=1&jms.clientID=x',
    'tcp://localhost:1?wireFormat.maxInactivityDurationInitalDelay=1&wireFormat.maxFrameSize=1000000',
    'amqps://broker.test?amqp.idleTimeout=1000&amqp.vhost=x&amqp.saslMechanisms=PLAIN,ANONYMOUS&transport.verifyHost=true',
    'failover:(amqps://a.test,amqps://b.test:1)?failover.randomize=true&failover.nested.amqp.maxFrameSize=1000',
  ])('is accepted without a warning: %s', (url) => {
    expect(judgedUrl(url)).toEqual({ errors: [], warnings: [] });
  });

  it.each([
    ['tcp://localhost:1?soTimeout=1', "the option 'soTimeout' has no effect: sockets of the gateway do not have it"],
    [
      'tcp://localhost:1?jms.useAsyncSend=true',
      "the option 'jms.useAsyncSend' has no effect: the handler always waits",
    ],
    ['tcp://localhost:1?jms.prefetchPolicy.all=1', "'jms.prefetchPolicy.all' has no effect: it is about consumers"],
    [
      'failover:(tcp://localhost:1)?maxReconnectDelay=1',
      "'maxReconnectDelay' has no effect: the gateway connects again",
    ],
    ['failover:(tcp://localhost:1)?backup=true', "'backup' has no effect: no second connection is held"],
    ['failover:(tcp://localhost:1)?updateURIsURL=x', "'updateURIsURL' has no effect: the gateway connects only to"],
    ['tcp://localhost:1?jms.password=x', "'jms.password' is not secure: the password is in clear text"],
    ['ssl://h.test:1?socket.verifyHostName=false', "'socket.verifyHostName' is not secure: anyone"],
    ['amqps://h.test?transport.trustAll=true', "'transport.trustAll' is not secure: anyone can impersonate"],
    ['tcp://broker.test:61616', 'events for broker.test:61616 and the password travel unencrypted'],
    ['amqp://broker.test', "travel unencrypted: use 'amqps://'"],
  ])('is accepted with a warning: %s', (url, warning) => {
    const { errors, warnings } = judgedUrl(url);
    expect(errors).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining(warning)]);
    expect(warnings[0]).toContain(URL_PATH);
  });

  it.each([
    ['nonsense', "must be a URL such as 'tcp://broker.example.com:61616'"],
    ['http://localhost:1', "has the scheme 'http'; supported are tcp, nio, ssl, nio+ssl, amqp, amqps and failover"],
    ['fanout:(tcp://localhost:1)', "the scheme 'fanout' is not supported: list the brokers with 'failover:(…)'"],
    ['vm://localhost', "the scheme 'vm' is not supported"],
    ['tcp://localhost', "has no port for 'localhost', such as 61616"],
    ['tcp://localhost:0', 'has the port 0, which is not between 1 and 65535'],
    ['tcp://ada:secret@localhost:1', 'must be a URL'],
    ['tcp://localhost:1?nosuch=secret', "has an unknown option 'nosuch' here"],
    ['tcp://localhost:1?randomize=true', "has an unknown option 'randomize' here"],
    ['tcp://localhost:1?keepAlive=yes', "the option 'keepAlive' must be true or false"],
    ['tcp://localhost:1?connectionTimeout=-1', "the option 'connectionTimeout' must be a whole number"],
    ['tcp://localhost:1?jms.userName=%zz', "has an option with a '%' that is not followed by two hexadecimal digits"],
    ['ssl://localhost:1?socket.enabledProtocols=SSLv3', "'socket.enabledProtocols' must list TLSv1.2 or TLSv1.3"],
    ['ssl://localhost:1?socket.enabledCipherSuites=X', "'socket.enabledCipherSuites' must list cipher suites"],
    ['failover:(tcp://localhost:1', "the list of brokers has no ')'"],
    ['failover:(tcp://localhost:1)randomize', "only '?' with options may follow the list of brokers"],
    ['failover:(tcp://localhost:1,)', 'the list of brokers has an empty address'],
    ['failover:(amqp://localhost:1,tcp://localhost:1)', "has the scheme 'tcp': Qpid JMS needs amqp or amqps"],
    ['amqps://h.test?amqp.saslMechanisms=EXTERNAL', 'must list PLAIN or ANONYMOUS: the gateway has no other mechanism'],
    ['amqps://h.test?amqp.saslMechanisms=SCRAM-SHA-256,EXTERNAL', 'must list PLAIN or ANONYMOUS'],
    ['amqps://h.test?amqp.saslMechanisms=PLAIN', 'must list ANONYMOUS, unless there are a user name and a password'],
    [
      'amqps://h.test?amqp.saslMechanisms=EXTERNAL,ANONYMOUS&jms.username=ada&jms.password=secret',
      'must list PLAIN, because there are a user name and a password',
    ],
    ['amqps://h.test?transport.keyStoreLocation=x', "cannot be given: use 'tls' of the handler"],
  ])('is refused: %s', (url, error) => {
    const { errors } = judgedUrl(url);
    expect(errors).toEqual([expect.stringContaining(error)]);
    expect(errors[0]).toContain(URL_PATH);
    expect(errors[0]).not.toContain('secret');
  });
});

describe('the configuration of a JMS handler', () => {
  const URL = 'ssl://broker.test:61617';

  it.each<[string, JsonObject, JmsWish, string]>([
    ['no delivery mode', { deliveryMode: undefined as never }, {}, '/deliveryMode is required'],
    [
      'a lower-case mode',
      { deliveryMode: 'persistent' },
      {},
      '/deliveryMode must be one of PERSISTENT, NON_PERSISTENT',
    ],
    ['a session mode of Java', { sessionMode: 'AUTO_ACKNOWLEDGE' }, {}, '/sessionMode must be one of AUTO, CLIENT'],
    ['no topic name', {}, { jndi: { topicName: undefined as never } }, '/jndi/topicName is required'],
    [
      'both names',
      {},
      { jndi: { jmsTopicName: 'audit' } },
      "/jndi/jmsTopicName and 'topicName' must not both be given",
    ],
    ['a queue', {}, { properties: { 'queue.q': 'q' }, jndi: { topicName: 'q' } }, "/jndi/topicName 'q' is a queue"],
    ['a queue among topics', {}, { properties: { 'topic.audit': 'a,queue://b' } }, 'must name topics'],
    ['a dynamic queue', {}, { jndi: { topicName: 'dynamicQueues/q' } }, "'dynamicQueues/q' is a queue"],
    ['an unknown topic', {}, { jndi: { topicName: 'x' } }, "there is no topic 'x': declare 'topic.x'"],
    [
      'an unknown factory',
      {},
      { jndi: { connectionFactoryName: 'x' } },
      "there is no connection factory 'x'; there are",
    ],
    [
      'an unknown context',
      {},
      { properties: { 'java.naming.factory.initial': 'x' } },
      "'x' is not supported; supported",
    ],
    ['a trust store', {}, { properties: { trustStore: 'x' } }, "/trustStore cannot be given here: use 'tls'"],
    ['two user names', { username: 'a', usernameSecretId: 'b' }, {}, "/usernameSecretId and 'username' must not both"],
    ['no provider', { passwordSecretId: 'b' }, {}, '/secretsProvider is required with a secret id'],
    [
      'no batches',
      { batch: { batchEnabled: true, maxBatchedEvents: 0 } },
      {},
      '/batch/maxBatchedEvents must be at least 1',
    ],
  ])('is refused with %s', (_, more, wish, error) => {
    expect(judgedUrl(URL, more, wish).errors).toContainEqual(expect.stringContaining(error));
  });

  it.each<[string, JsonObject, JmsWish, string]>([
    ['a password', {}, { properties: { password: 'x' } }, "/password is in clear text: use 'passwordSecretId'"],
    ['an unknown property', {}, { properties: { x: 5 } }, '/x has no effect: the handler does not know this property'],
    ['a principal', {}, { properties: { 'java.naming.security.principal': 'x' } }, "brokers read 'userName'"],
    ['options of a topic', {}, { properties: { 'topic.audit': 'a?consumer.prefetchSize=1' } }, 'about consumers'],
    ['capacity', { batch: { capacity: 5 } }, {}, "/batch/capacity has no effect: use 'maxEvents' of 'queue'"],
    ['batches that are off', { batch: { maxBatchedEvents: 5 } }, {}, "has no effect without 'batchEnabled'"],
    ['a provider alone', { secretsProvider: 'S' }, {}, '/secretsProvider has no effect without a secret id'],
  ])('is accepted with a warning for %s', (_, more, wish, warning) => {
    const { errors, warnings } = judgedUrl(URL, more, wish);
    expect([errors, warnings]).toEqual([[], [expect.stringContaining(warning)]]);
  });

  it('takes the URL of a factory that Artemis or Qpid declare', () => {
    const artemis = 'org.apache.activemq.artemis.jndi.ActiveMQInitialContextFactory';
    const url = '(tcp://a.test:61616,tcp://b.test:61616)?sslEnabled=true&reconnectAttempts=-1';
    const properties = { 'java.naming.factory.initial': artemis, 'connectionFactory.mine': url };
    const jndi = { connectionFactoryName: 'mine' };
    expect(judgedUrl(URL, {}, { properties, jndi }).errors).toEqual([
      "/jndi/contextProperties/connectionFactory.mine has an unknown option 'sslEnabled' here",
    ]);
    const each = 'tcp://a.test:61616?sslEnabled=true&reconnectAttempts=-1';
    const { errors, warnings } = judgedUrl(
      URL,
      {},
      { properties: { ...properties, 'connectionFactory.mine': each }, jndi },
    );
    expect([errors, warnings]).toEqual([[], [expect.stringContaining("'reconnectAttempts' has no effect")]]);
  });
});

describe('configurations that were tried with the Java handler', () => {
  interface Row {
    readonly id: string;
    readonly case: string;
    readonly eventHandlers: readonly { readonly class?: string; readonly config?: JsonObject }[];
    readonly handlerRefused?: readonly string[];
    readonly logged?: string;
    readonly messages: readonly unknown[];
  }
  const rows = readFileSync(new URL('../../../../vectors/jms-handler.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line.replaceAll(':PORT', ':61616')) as Row);

  /** Rows that the audit service decides and not the handler: they are valid here. */
  const OF_THE_SERVICE = new Set([
    'audit-007', // events without a transaction id, unknown topics
    'audit-009', // a schema without properties
    'audit-011', // a topic that it does not handle
    'audit-012', // no topics
    'audit-013', // disabled
    'audit-014', // two handlers of one name
    'audit-049', // no class
    'audit-050', // a class of another package, which is known here
  ]);
  /** Rows in which Java accepts what can never send anything: refused here, with the reason. */
  const REFUSED_HERE = new Map([['audit-040', 'topics']]);

  it.each(rows.map((row) => [`${row.id} ${row.case}`, row] as const))('%s', (_, row) => {
    const sound = row.eventHandlers.map(
      ({ config }) => judged({ name: undefined as never, topics: undefined as never, ...config }).errors.length === 0,
    );
    const isSoundInJava = row.messages.length > 0 || (row.handlerRefused === undefined && row.logged === undefined);
    const expected = OF_THE_SERVICE.has(row.id) || (isSoundInJava && !REFUSED_HERE.has(row.id));
    expect(sound.every(Boolean)).toBe(expected);
  });

  it('are all of them', () => {
    expect(rows).toHaveLength(53);
  });
});
