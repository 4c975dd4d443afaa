import { addressRule, connectionRule, KEYSTORES, REASON } from './broker-options.ts';
import type { AddressDraft, ConnectionDraft } from './broker-settings.ts';
import { flagOf, flagOption, type OptionRule, textOption, timeOption, type UrlOptions, without } from './url-option.ts';

const OWN_WIRE = 'the gateway negotiates the wire format itself';
const CONFIRMED = 'the handler always waits until the broker has confirmed a batch';
const SERVER = 'it is about the broker';

const initialDelay = timeOption<AddressDraft>((draft, value) => {
  draft.initialDelay = value;
});

const address: [string, OptionRule<AddressDraft>][] = [
  ['connectionTimeout', addressRule.connectTimeout],
  ['keepAlive', addressRule.keepAlive],
  ['tcpNoDelay', addressRule.noDelay],
  ['verifyHostName', addressRule.verifiedName],
  [
    'useInactivityMonitor',
    flagOption((draft, value) => {
      if (!value) draft.inactivity = 0;
    }),
  ],
  ['socket.verifyHostName', addressRule.verifiedName],
  ['socket.enabledProtocols', addressRule.protocols],
  ['socket.enabledCipherSuites', addressRule.cipherSuites],
  ['socket.keepAlive', addressRule.keepAlive],
  ['socket.tcpNoDelay', addressRule.noDelay],
  ['wireFormat.maxInactivityDuration', addressRule.inactivity],
  ['wireFormat.maxInactivityDurationInitalDelay', initialDelay],
  ['wireFormat.maxFrameSize', addressRule.maxFrame],
  ...without<AddressDraft>(
    OWN_WIRE,
    `wireFormat wireFormat.stackTraceEnabled wireFormat.tcpNoDelayEnabled wireFormat.cacheEnabled
     wireFormat.cacheSize wireFormat.tightEncodingEnabled wireFormat.sizePrefixDisabled wireFormat.version
     wireFormat.maxFrameSizeEnabled wireFormat.host wireFormat.providerName wireFormat.providerVersion
     wireFormat.platformDetails wireFormat.includePlatformDetails minmumWireFormatVersion`,
  ),
  ...without<AddressDraft>(
    REASON.ownSocket,
    `soTimeout soWriteTimeout soLinger ioBufferSize socketBufferSize typeOfService diffServ useLocalHost closeAsync
     socket.soLinger socket.soTimeout socket.receiveBufferSize socket.sendBufferSize socket.trafficClass
     socket.reuseAddress socket.oOBInline socket.enableSessionCreation socket.useClientMode connectAttemptTimeout
     keepAliveResponseRequired readCheckTime writeCheckTime initialDelayTime ignoreAllWireFormatInfo
     ignoreRemoteWireFormat useKeepAlive`,
  ),
  ...without<AddressDraft>(REASON.java, 'trace logWriterName dynamicManagement startLogging jmxPort daemon stackSize'),
  ...without<AddressDraft>(SERVER, 'socket.needClientAuth socket.wantClientAuth'),
];

const connection: [string, OptionRule<ConnectionDraft>][] = [
  ['jms.userName', connectionRule.userName],
  ['jms.password', connectionRule.password],
  ['jms.clientID', connectionRule.clientId],
  ['jms.connectResponseTimeout', connectionRule.openTimeout],
  ['jms.sendTimeout', connectionRule.sendTimeout],
  ['jms.closeTimeout', connectionRule.closeTimeout],
  [
    'jms.useCompression',
    flagOption((draft, value) => {
      draft.isCompressed = value;
    }),
  ],
  [
    'jms.disableTimeStampsByDefault',
    flagOption((draft, value) => {
      draft.hasTimestamps = !value;
    }),
  ],
  [
    'jms.alwaysSyncSend',
    flagOption((draft, value) => {
      draft.confirmsEach = value;
    }),
  ],
  ...without<ConnectionDraft>(CONFIRMED, 'jms.useAsyncSend jms.producerWindowSize jms.copyMessageOnSend'),
  ...without<ConnectionDraft>(
    REASON.consumers,
    `jms.alwaysSessionAsync jms.auditDepth jms.auditMaximumProducerNumber jms.checkForDuplicates
     jms.consumerExpiryCheckEnabled jms.consumerFailoverRedeliveryWaitPeriod jms.dispatchAsync
     jms.exclusiveConsumer jms.messagePrioritySupported jms.nonBlockingRedelivery jms.optimizeAcknowledge
     jms.optimizeAcknowledgeTimeOut jms.optimizedAckScheduledAckInterval jms.optimizedMessageDispatch
     jms.sendAcksAsync jms.transactedIndividualAck jms.useRetroactiveConsumer
     jms.warnAboutUnstartedConnectionTimeout jms.watchTopicAdvisories jms.prefetchPolicy.all
     jms.prefetchPolicy.queuePrefetch jms.prefetchPolicy.queueBrowserPrefetch jms.prefetchPolicy.topicPrefetch
     jms.prefetchPolicy.durableTopicPrefetch jms.prefetchPolicy.optimizeDurableTopicPrefetch
     jms.prefetchPolicy.maximumPendingMessageLimit jms.redeliveryPolicy.maximumRedeliveries
     jms.redeliveryPolicy.initialRedeliveryDelay jms.redeliveryPolicy.redeliveryDelay
     jms.redeliveryPolicy.useExponentialBackOff jms.redeliveryPolicy.backOffMultiplier
     jms.redeliveryPolicy.maximumRedeliveryDelay jms.redeliveryPolicy.useCollisionAvoidance
     jms.redeliveryPolicy.collisionAvoidancePercent jms.redeliveryPolicy.preDispatchCheck`,
  ),
  ...without<ConnectionDraft>(
    REASON.java,
    `jms.clientIDPrefix jms.connectionIDPrefix jms.maxThreadPoolSize jms.nestedMapAndListEnabled
     jms.objectMessageSerializationDefered jms.rmIdFromConnectionId jms.statsEnabled jms.trustAllPackages
     jms.trustedPackages jms.useDedicatedTaskRunner jms.blobTransferPolicy.defaultUploadUrl
     jms.blobTransferPolicy.uploadUrl jms.blobTransferPolicy.bufferSize`,
  ),
];

const list: [string, OptionRule<ConnectionDraft>][] = [
  ['randomize', connectionRule.randomize],
  [
    'priorityBackup',
    flagOption((draft, value) => {
      draft.prefersFirst = value;
    }),
  ],
  [
    'priorityURIs',
    textOption((draft, value) => {
      draft.preferred = value.split(',').map((one) => one.trim());
    }),
  ],
  ...without<ConnectionDraft>(
    REASON.ownBackOff,
    `initialReconnectDelay reconnectDelay maxReconnectDelay useExponentialBackOff reconnectDelayExponent
     maxReconnectAttempts startupMaxReconnectAttempts timeout warnAfterReconnectAttempts`,
  ),
  ...without<ConnectionDraft>(
    'no second connection is held: the next broker of the list is connected to when one fails',
    'backup backupPoolSize',
  ),
  ...without<ConnectionDraft>('events that are not confirmed wait in their queue', 'trackMessages maxCacheSize'),
  ...without<ConnectionDraft>(
    REASON.fixedList,
    'updateURIsSupported updateURIsURL rebalanceUpdateURIs reconnectSupported trackTransactionProducers',
  ),
];

/** Options of URLs of ActiveMQ. */
export const activemqOptions: UrlOptions = {
  address: new Map(address),
  connection: new Map(connection),
  list: new Map(list),
  nested: 'nested.',
};

/** Options of URLs of Artemis' own client: the broker also understands OpenWire, which the gateway speaks. */
export const artemisOptions: UrlOptions = {
  address: new Map<string, OptionRule<AddressDraft>>([
    ...address,
    [
      'sslEnabled',
      {
        apply: (draft, value): void => {
          draft.isSecure = flagOf(value);
        },
      },
    ],
    ['verifyHost', addressRule.verifiedName],
    ['enabledProtocols', addressRule.protocols],
    ['enabledCipherSuites', addressRule.cipherSuites],
    ['connectTimeoutMillis', addressRule.connectTimeout],
    ...[
      'keyStorePath',
      'keyStorePassword',
      'keyStoreType',
      'trustStorePath',
      'trustStorePassword',
      'trustStoreType',
    ].map((name): [string, OptionRule<AddressDraft>] => [name, KEYSTORES]),
    ...without<AddressDraft>(
      REASON.ownSocket,
      `tcpSendBufferSize tcpReceiveBufferSize batchDelay useNio nioRemotingThreads remotingThreads directDeliver
     localAddress localPort httpEnabled useServlet sniHost`,
    ),
  ]),
  connection: new Map<string, OptionRule<ConnectionDraft>>([
    ...connection,
    ['user', connectionRule.userName],
    ['password', connectionRule.password],
    ['clientID', connectionRule.clientId],
    ...without<ConnectionDraft>(
      REASON.ownBackOff,
      `ha reconnectAttempts initialConnectAttempts retryInterval retryIntervalMultiplier maxRetryInterval
     failoverAttempts failoverOnInitialConnection useTopologyForLoadBalancing loadBalancingPolicyClassName
     connectionLoadBalancingPolicyClassName`,
    ),
    ...without<ConnectionDraft>(CONFIRMED, 'blockOnDurableSend blockOnNonDurableSend producerWindowSize'),
    ...without<ConnectionDraft>(
      REASON.consumers,
      'blockOnAcknowledge consumerWindowSize consumerMaxRate autoGroup preAcknowledge dupsOKBatchSize',
    ),
    ...without<ConnectionDraft>(
      'it is about the protocol of Artemis, and the gateway speaks OpenWire',
      `type callTimeout callFailoverTimeout connectionTtl connectionTTL clientFailureCheckPeriod
     confirmationWindowSize minLargeMessageSize compressLargeMessages compressLargeMessage cacheLargeMessagesClient
     useGlobalPools protocolManagerFactoryStr cacheDestinations enable1xPrefixes producerMaxRate
     transactionBatchSize groupID scheduledThreadPoolMaxSize threadPoolMaxSize initialMessagePacketSize
     enableSharedClientID`,
    ),
  ]),
  list: new Map(list),
  nested: 'nested.',
};
