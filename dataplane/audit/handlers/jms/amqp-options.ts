import { ValueProblem } from '../../../../contract/problem.ts';
import { addressRule, connectionRule, KEYSTORES, REASON } from './broker-options.ts';
import type { AddressDraft, ConnectionDraft } from './broker-settings.ts';
import { flagOption, type OptionRule, textOption, type UrlOptions, without } from './url-option.ts';

const CONFIRMED = 'the handler always waits until the broker has settled a batch';

const STORES = `keyStoreLocation keyStorePassword trustStoreLocation trustStorePassword storeType keyStoreType
  trustStoreType keyAlias`;

/** SASL mechanisms of a list, of which the gateway must be able to use one. */
function mechanismsOf(value: string): readonly string[] {
  const names = value.split(',').map((name) => name.trim().toUpperCase());
  if (names.some((name) => name === 'PLAIN' || name === 'ANONYMOUS')) return names;
  throw new ValueProblem('value', 'must list PLAIN or ANONYMOUS: the gateway has no other mechanism');
}

const address: [string, OptionRule<AddressDraft>][] = [
  ['transport.connectTimeout', addressRule.connectTimeout],
  ['transport.verifyHost', addressRule.verifiedName],
  [
    'transport.trustAll',
    {
      ...flagOption<AddressDraft>((draft, value) => {
        draft.trustsAll = value;
      }),
      insecure: 'anyone can impersonate the broker',
    },
  ],
  ['transport.enabledProtocols', addressRule.protocols],
  ['transport.enabledCipherSuites', addressRule.cipherSuites],
  ['transport.tcpKeepAlive', addressRule.keepAlive],
  ['transport.tcpNoDelay', addressRule.noDelay],
  ['amqp.idleTimeout', addressRule.inactivity],
  [
    'amqp.vhost',
    textOption((draft, value) => {
      draft.virtualHost = value;
    }),
  ],
  [
    'amqp.saslMechanisms',
    textOption((draft, value) => {
      draft.mechanisms = mechanismsOf(value);
    }),
  ],
  ['amqp.maxFrameSize', addressRule.maxFrame],
  ...STORES.split(/\s+/).map((name): [string, OptionRule<AddressDraft>] => [`transport.${name}`, KEYSTORES]),
  ...without<AddressDraft>(
    REASON.ownSocket,
    `transport.sendBufferSize transport.receiveBufferSize transport.soTimeout transport.soLinger
     transport.localAddress transport.localPort transport.trafficClass transport.defaultSslPort
     transport.defaultTcpPort transport.sharedEventLoopThreads`,
  ),
  ...without<AddressDraft>(
    REASON.java,
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
  ['jms.username', connectionRule.userName],
  ['jms.password', connectionRule.password],
  ['jms.clientID', connectionRule.clientId],
  ['jms.connectTimeout', connectionRule.openTimeout],
  ['jms.sendTimeout', connectionRule.sendTimeout],
  ['jms.closeTimeout', connectionRule.closeTimeout],
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
    REASON.consumers,
    `jms.forceAsyncAcks jms.localMessageExpiry jms.localMessagePriority jms.receiveLocalOnly
     jms.receiveNoWaitLocalOnly jms.prefetchPolicy.all jms.prefetchPolicy.maxPrefetchSize
     jms.prefetchPolicy.queuePrefetch jms.prefetchPolicy.topicPrefetch jms.prefetchPolicy.queueBrowserPrefetch
     jms.prefetchPolicy.durableTopicPrefetch jms.redeliveryPolicy.maxRedeliveries jms.redeliveryPolicy.outcome
     jms.presettlePolicy.presettleConsumers jms.presettlePolicy.presettleTopicConsumers
     jms.presettlePolicy.presettleQueueConsumers jms.queuePrefix jms.tracing`,
  ),
  ...without<ConnectionDraft>(
    REASON.java,
    `jms.validateSelector jms.validatePropertyNames jms.clientIDPrefix jms.connectionIDPrefix
     jms.populateJMSXUserID jms.awaitClientID jms.useDaemonThread jms.closeLinksThatFailOnReconnect
     jms.messageIDPolicy.messageIDType jms.deserializationPolicy.allowList jms.deserializationPolicy.denyList
     jms.deserializationPolicy.whiteList jms.deserializationPolicy.blackList`,
  ),
];

const list: [string, OptionRule<ConnectionDraft>][] = [
  ['failover.randomize', connectionRule.randomize],
  ...without<ConnectionDraft>(
    REASON.ownBackOff,
    `failover.initialReconnectDelay failover.reconnectDelay failover.maxReconnectDelay failover.useReconnectBackOff
     failover.reconnectBackOffMultiplier failover.maxReconnectAttempts failover.startupMaxReconnectAttempts
     failover.warnAfterReconnectAttempts`,
  ),
  ...without<ConnectionDraft>(REASON.fixedList, 'failover.amqpOpenServerListAction'),
];

/** Options of URLs of Qpid JMS. */
export const amqpOptions: UrlOptions = {
  address: new Map(address),
  connection: new Map(connection),
  list: new Map(list),
  nested: 'failover.nested.',
};
