import type { AddressDraft, ConnectionDraft } from './broker-settings.ts';
import {
  ciphersOf,
  flagOption,
  numberOf,
  type OptionRule,
  textOption,
  timeOption,
  type UrlOptions,
  versionsOf,
  without,
} from './url-option.ts';

const CONSUMERS = 'it is about consumers, and the handler only sends';
const OWN_BACK_OFF = 'the gateway connects again with its own back-off, without end, while events wait in their queue';
const OWN_SOCKET = 'sockets of the gateway do not have it';
const JAVA = 'it is about Java';
const CONFIRMED = 'the handler always waits until the broker has settled a batch';
const KEYSTORES: OptionRule<never> = { refused: "use 'tls' of the handler with a ClientTlsOptions" };

const STORES = `keyStoreLocation keyStorePassword trustStoreLocation trustStorePassword storeType keyStoreType
  trustStoreType keyAlias`;

const address: [string, OptionRule<AddressDraft>][] = [
  [
    'transport.connectTimeout',
    timeOption((draft, value) => {
      if (value > 0) draft.connectTimeout = value;
    }),
  ],
  [
    'transport.verifyHost',
    {
      ...flagOption<AddressDraft>((draft, value) => {
        draft.checksNames = value;
      }),
      insecure: 'anyone with a certificate of a trusted CA can impersonate the broker',
    },
  ],
  [
    'transport.trustAll',
    {
      ...flagOption<AddressDraft>((draft, value) => {
        draft.trustsAll = value;
      }),
      insecure: 'anyone can impersonate the broker',
    },
  ],
  [
    'transport.enabledProtocols',
    textOption((draft, value) => {
      draft.versions = versionsOf(value);
    }),
  ],
  [
    'transport.enabledCipherSuites',
    textOption((draft, value) => {
      draft.ciphers = ciphersOf(value);
    }),
  ],
  [
    'transport.tcpKeepAlive',
    flagOption((draft, value) => {
      draft.keepAlive = value;
    }),
  ],
  [
    'transport.tcpNoDelay',
    flagOption((draft, value) => {
      draft.noDelay = value;
    }),
  ],
  [
    'amqp.idleTimeout',
    timeOption((draft, value) => {
      draft.inactivity = value;
    }),
  ],
  [
    'amqp.vhost',
    textOption((draft, value) => {
      draft.virtualHost = value;
    }),
  ],
  [
    'amqp.saslMechanisms',
    textOption((draft, value) => {
      draft.mechanisms = value.split(',').map((name) => name.trim().toUpperCase());
    }),
  ],
  [
    'amqp.maxFrameSize',
    textOption((draft, value) => {
      draft.maxFrame = numberOf(value);
    }),
  ],
  ...STORES.split(/\s+/).map((name): [string, OptionRule<AddressDraft>] => [`transport.${name}`, KEYSTORES]),
  ...without<AddressDraft>(
    OWN_SOCKET,
    `transport.sendBufferSize transport.receiveBufferSize transport.soTimeout transport.soLinger
     transport.localAddress transport.localPort transport.trafficClass transport.defaultSslPort
     transport.defaultTcpPort transport.sharedEventLoopThreads`,
  ),
  ...without<AddressDraft>(
    JAVA,
    `transport.useEpoll transport.useKQueue transport.useOpenSSL transport.traceBytes transport.contextProtocol
     transport.disabledProtocols transport.disabledCipherSuites amqp.traceFrames amqp.traceBytes
     amqp.traceFramesPayloadLimit`,
  ),
  ...without<AddressDraft>(
    'the gateway always negotiates SASL and follows no redirects',
    `amqp.saslLayer amqp.allowNonSecureRedirects amqp.channelMax amqp.drainTimeout amqp.anonymousFallbackCacheSize
     amqp.anonymousFallbackCacheTimeout amqp.maxWriteBytesBeforeFlush amqp.sessionOutgoingWindow`,
  ),
];

const connection: [string, OptionRule<ConnectionDraft>][] = [
  [
    'jms.username',
    textOption((draft, value) => {
      draft.userName = value;
    }),
  ],
  [
    'jms.password',
    {
      apply: (draft, value): void => {
        draft.password = value;
      },
      insecure: "the password is in clear text: use 'passwordSecretId'",
    },
  ],
  [
    'jms.clientID',
    textOption((draft, value) => {
      draft.clientId = value;
    }),
  ],
  [
    'jms.connectTimeout',
    timeOption((draft, value) => {
      if (value > 0) draft.openTimeout = value;
    }),
  ],
  [
    'jms.sendTimeout',
    timeOption((draft, value) => {
      draft.sendTimeout = value;
    }),
  ],
  [
    'jms.closeTimeout',
    timeOption((draft, value) => {
      draft.closeTimeout = value;
    }),
  ],
  [
    'jms.topicPrefix',
    textOption((draft, value) => {
      draft.topicPrefix = value;
    }),
  ],
  ...without<ConnectionDraft>(
    CONFIRMED,
    `jms.forceAsyncSend jms.forceSyncSend jms.requestTimeout jms.presettlePolicy.presettleAll
     jms.presettlePolicy.presettleProducers jms.presettlePolicy.presettleTopicProducers
     jms.presettlePolicy.presettleQueueProducers jms.presettlePolicy.presettleTransactedProducers`,
  ),
  ...without<ConnectionDraft>(
    CONSUMERS,
    `jms.forceAsyncAcks jms.localMessageExpiry jms.localMessagePriority jms.receiveLocalOnly
     jms.receiveNoWaitLocalOnly jms.prefetchPolicy.all jms.prefetchPolicy.maxPrefetchSize
     jms.prefetchPolicy.queuePrefetch jms.prefetchPolicy.topicPrefetch jms.prefetchPolicy.queueBrowserPrefetch
     jms.prefetchPolicy.durableTopicPrefetch jms.redeliveryPolicy.maxRedeliveries jms.redeliveryPolicy.outcome
     jms.presettlePolicy.presettleConsumers jms.presettlePolicy.presettleTopicConsumers
     jms.presettlePolicy.presettleQueueConsumers jms.queuePrefix jms.tracing`,
  ),
  ...without<ConnectionDraft>(
    JAVA,
    `jms.validateSelector jms.validatePropertyNames jms.clientIDPrefix jms.connectionIDPrefix
     jms.populateJMSXUserID jms.awaitClientID jms.useDaemonThread jms.closeLinksThatFailOnReconnect
     jms.messageIDPolicy.messageIDType jms.deserializationPolicy.allowList jms.deserializationPolicy.denyList
     jms.deserializationPolicy.whiteList jms.deserializationPolicy.blackList`,
  ),
];

const list: [string, OptionRule<ConnectionDraft>][] = [
  [
    'failover.randomize',
    flagOption((draft, value) => {
      draft.randomize = value;
    }),
  ],
  ...without<ConnectionDraft>(
    OWN_BACK_OFF,
    `failover.initialReconnectDelay failover.reconnectDelay failover.maxReconnectDelay failover.useReconnectBackOff
     failover.reconnectBackOffMultiplier failover.maxReconnectAttempts failover.startupMaxReconnectAttempts
     failover.warnAfterReconnectAttempts`,
  ),
  ...without<ConnectionDraft>(
    'the gateway connects only to the brokers that the URL lists',
    'failover.amqpOpenServerListAction',
  ),
];

/** Options of URLs of Qpid JMS. */
export const amqpOptions: UrlOptions = {
  address: new Map(address),
  connection: new Map(connection),
  list: new Map(list),
  nested: 'failover.nested.',
};
