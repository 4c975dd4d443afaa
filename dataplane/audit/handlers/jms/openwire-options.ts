import type { AddressDraft, ConnectionDraft } from './broker-settings.ts';
import {
  ciphersOf,
  flagOf,
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
const OWN_WIRE = 'the gateway negotiates the wire format itself';
const OWN_BACK_OFF = 'the gateway connects again with its own back-off, without end, while events wait in their queue';
const OWN_SOCKET = 'sockets of the gateway do not have it';
const JAVA = 'it is about Java';
const CONFIRMED = 'the handler always waits until the broker has confirmed a batch';
const FIXED_LIST = 'the gateway connects only to the brokers that the URL lists';
const SERVER = 'it is about the broker';
const KEYSTORES: OptionRule<never> = { refused: "use 'tls' of the handler with a ClientTlsOptions" };

const connectTimeout = timeOption<AddressDraft>((draft, value) => {
  if (value > 0) draft.connectTimeout = value;
});
const verifyHostName = {
  ...flagOption<AddressDraft>((draft, value) => {
    draft.checksNames = value;
  }),
  insecure: 'anyone with a certificate of a trusted CA can impersonate the broker',
};
const enabledProtocols = textOption<AddressDraft>((draft, value) => {
  draft.versions = versionsOf(value);
});
const enabledCipherSuites = textOption<AddressDraft>((draft, value) => {
  draft.ciphers = ciphersOf(value);
});
const keepAlive = flagOption<AddressDraft>((draft, value) => {
  draft.keepAlive = value;
});
const noDelay = flagOption<AddressDraft>((draft, value) => {
  draft.noDelay = value;
});
const initialDelay = timeOption<AddressDraft>((draft, value) => {
  draft.initialDelay = value;
});

const address: [string, OptionRule<AddressDraft>][] = [
  ['connectionTimeout', connectTimeout],
  ['keepAlive', keepAlive],
  ['tcpNoDelay', noDelay],
  ['verifyHostName', verifyHostName],
  [
    'useInactivityMonitor',
    flagOption((draft, value) => {
      if (!value) draft.inactivity = 0;
    }),
  ],
  ['socket.verifyHostName', verifyHostName],
  ['socket.enabledProtocols', enabledProtocols],
  ['socket.enabledCipherSuites', enabledCipherSuites],
  ['socket.keepAlive', keepAlive],
  ['socket.tcpNoDelay', noDelay],
  [
    'wireFormat.maxInactivityDuration',
    timeOption((draft, value) => {
      draft.inactivity = value;
    }),
  ],
  ['wireFormat.maxInactivityDurationInitalDelay', initialDelay],
  [
    'wireFormat.maxFrameSize',
    textOption((draft, value) => {
      draft.maxFrame = numberOf(value);
    }),
  ],
  ...without<AddressDraft>(
    OWN_WIRE,
    `wireFormat wireFormat.stackTraceEnabled wireFormat.tcpNoDelayEnabled wireFormat.cacheEnabled
     wireFormat.cacheSize wireFormat.tightEncodingEnabled wireFormat.sizePrefixDisabled wireFormat.version
     wireFormat.maxFrameSizeEnabled wireFormat.host wireFormat.providerName wireFormat.providerVersion
     wireFormat.platformDetails wireFormat.includePlatformDetails minmumWireFormatVersion`,
  ),
  ...without<AddressDraft>(
    OWN_SOCKET,
    `soTimeout soWriteTimeout soLinger ioBufferSize socketBufferSize typeOfService diffServ useLocalHost closeAsync
     socket.soLinger socket.soTimeout socket.receiveBufferSize socket.sendBufferSize socket.trafficClass
     socket.reuseAddress socket.oOBInline socket.enableSessionCreation socket.useClientMode connectAttemptTimeout
     keepAliveResponseRequired readCheckTime writeCheckTime initialDelayTime ignoreAllWireFormatInfo
     ignoreRemoteWireFormat useKeepAlive`,
  ),
  ...without<AddressDraft>(JAVA, 'trace logWriterName dynamicManagement startLogging jmxPort daemon stackSize'),
  ...without<AddressDraft>(SERVER, 'socket.needClientAuth socket.wantClientAuth'),
];

const connection: [string, OptionRule<ConnectionDraft>][] = [
  [
    'jms.userName',
    textOption((draft, value) => {
      draft.userName = value;
    }),
  ],
  [
    'jms.password',
    {
      apply: (draft, value) => {
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
    'jms.connectResponseTimeout',
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
    CONSUMERS,
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
    JAVA,
    `jms.clientIDPrefix jms.connectionIDPrefix jms.maxThreadPoolSize jms.nestedMapAndListEnabled
     jms.objectMessageSerializationDefered jms.rmIdFromConnectionId jms.statsEnabled jms.trustAllPackages
     jms.trustedPackages jms.useDedicatedTaskRunner jms.blobTransferPolicy.defaultUploadUrl
     jms.blobTransferPolicy.uploadUrl jms.blobTransferPolicy.bufferSize`,
  ),
];

const list: [string, OptionRule<ConnectionDraft>][] = [
  [
    'randomize',
    flagOption((draft, value) => {
      draft.randomize = value;
    }),
  ],
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
    OWN_BACK_OFF,
    `initialReconnectDelay reconnectDelay maxReconnectDelay useExponentialBackOff reconnectDelayExponent
     maxReconnectAttempts startupMaxReconnectAttempts timeout warnAfterReconnectAttempts`,
  ),
  ...without<ConnectionDraft>(
    'no second connection is held: the next broker of the list is connected to when one fails',
    'backup backupPoolSize',
  ),
  ...without<ConnectionDraft>('events that are not confirmed wait in their queue', 'trackMessages maxCacheSize'),
  ...without<ConnectionDraft>(
    FIXED_LIST,
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
    ['verifyHost', verifyHostName],
    ['enabledProtocols', enabledProtocols],
    ['enabledCipherSuites', enabledCipherSuites],
    ['connectTimeoutMillis', connectTimeout],
    ...[
      'keyStorePath',
      'keyStorePassword',
      'keyStoreType',
      'trustStorePath',
      'trustStorePassword',
      'trustStoreType',
    ].map((name): [string, OptionRule<AddressDraft>] => [name, KEYSTORES]),
    ...without<AddressDraft>(
      OWN_SOCKET,
      `tcpSendBufferSize tcpReceiveBufferSize batchDelay useNio nioRemotingThreads remotingThreads directDeliver
     localAddress localPort httpEnabled useServlet sniHost`,
    ),
  ]),
  connection: new Map<string, OptionRule<ConnectionDraft>>([
    ...connection,
    [
      'user',
      textOption((draft, value) => {
        draft.userName = value;
      }),
    ],
    [
      'password',
      {
        apply: (draft, value): void => {
          draft.password = value;
        },
        insecure: "the password is in clear text: use 'passwordSecretId'",
      },
    ],
    [
      'clientID',
      textOption((draft, value) => {
        draft.clientId = value;
      }),
    ],
    ...without<ConnectionDraft>(
      OWN_BACK_OFF,
      `ha reconnectAttempts initialConnectAttempts retryInterval retryIntervalMultiplier maxRetryInterval
     failoverAttempts failoverOnInitialConnection useTopologyForLoadBalancing loadBalancingPolicyClassName
     connectionLoadBalancingPolicyClassName`,
    ),
    ...without<ConnectionDraft>(CONFIRMED, 'blockOnDurableSend blockOnNonDurableSend producerWindowSize'),
    ...without<ConnectionDraft>(
      CONSUMERS,
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
