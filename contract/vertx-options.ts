import { z } from 'zod';
import { choice, flag, integer, readConfigured, wrongType } from './vocabulary/configured.ts';
import { noEffect, refused } from './vocabulary/field-notes.ts';
import { leaf } from './vocabulary/leaf.ts';

/** Options of OpenIG's server that nothing here corresponds to, and why. */
const moot: Readonly<Record<string, readonly string[]>> = {
  'frames of WebSockets are passed on as they are, and the client and the backend agree on their compression': [
    'webSocketAllowServerNoContext',
    'webSocketPreferredClientNoContext',
    'webSocketCompressionLevel',
  ],
  'a client that does not mask its frames breaks the protocol, and its WebSocket is closed': ['acceptUnmaskedFrames'],
  'answers are passed on in the encoding that the backend chose': [
    'compressionSupported',
    'compressionLevel',
    'compression',
    'decompressionSupported',
  ],
  'the engine sizes and tunes its own connections of HTTP/2': ['http2ConnectionWindowSize'],
  'the engine sizes and tunes its own connections': [
    'activityLogDataFormat',
    'decoderInitialBufferSize',
    'handle100ContinueAutomatically',
    'logActivity',
    'maxChunkSize',
    'maxFormAttributeSize',
    'maxFormBufferedBytes',
    'maxFormFields',
    'receiveBufferSize',
    'reuseAddress',
    'reusePort',
    'sendBufferSize',
    'soLinger',
    'strictThreadMode',
    'tcpCork',
    'tcpFastOpen',
    'tcpKeepAlive',
    'tcpNoDelay',
    'tcpQuickAck',
    'tcpUserTimeout',
    'trafficClass',
    'tracingPolicy',
    'usePooledBuffers',
  ],
  'slow clients are held to the rates that docs/limits.md lists': ['readIdleTimeout', 'writeIdleTimeout'],
  'the PROXY protocol is read from peers in --trusted-proxies, and only from them': [
    'proxyProtocolTimeout',
    'proxyProtocolTimeoutUnit',
    'useProxyProtocol',
  ],
};

/** Options that other settings decide on: what they ask for would be missed if they were ignored. */
const decidedElsewhere: Readonly<Record<string, readonly string[]>> = {
  'use port of the connector': ['port'],
  'use --host of gatewarden run': ['host'],
  'use tls of the connector': [
    'clientAuth',
    'clientAuthRequired',
    'crlPaths',
    'crlValues',
    'enabledCipherSuites',
    'enabledSecureTransportProtocols',
    'jdkSslEngineOptions',
    'keyCertOptions',
    'keyStoreOptions',
    'openSslEngineOptions',
    'pemKeyCertOptions',
    'pemTrustOptions',
    'pfxKeyCertOptions',
    'pfxTrustOptions',
    'sni',
    'ssl',
    'sslEngineOptions',
    'sslOptions',
    'trustOptions',
    'trustStoreOptions',
  ],
  'nothing shapes traffic in this version': ['trafficShapingOptions'],
};

/** Units of time as Java names them, in milliseconds. */
export const timeUnits = {
  NANOSECONDS: 1e-6,
  MICROSECONDS: 1e-3,
  MILLISECONDS: 1,
  SECONDS: 1000,
  MINUTES: 60_000,
  HOURS: 3_600_000,
  DAYS: 86_400_000,
} as const;

export type TimeUnit = keyof typeof timeUnits;

const timeUnit = () => choice(Object.keys(timeUnits) as TimeUnit[]);

/** Names in an array, or in one text with commas between them. */
function names(): z.ZodType<readonly string[], unknown> {
  const json = { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'string' }] };
  return leaf('array of configuration expression<string>, or one with commas', json, (value) =>
    readConfigured(value, (given) => {
      const list = typeof given === 'string' ? given.split(',') : given;
      if (!Array.isArray(list)) throw wrongType('an array of strings', given);
      return list
        .map((item: unknown) =>
          readConfigured(item, (name) => {
            if (typeof name !== 'string') throw wrongType('a string', name);
            return name.trim();
          }),
        )
        .filter((name) => name !== '');
    }),
  );
}

/** What clients may do with WebSockets, which ReverseProxyHandler and ClientHandler let through. */
const webSocketFields = {
  webSocketSubProtocols: names()
    .optional()
    .describe('Subprotocols of WebSockets that are passed on to backends; by default all.'),
  maxWebSocketFrameSize: integer({ min: 1 })
    .optional()
    .describe('Longest frame of a client, in bytes as it is sent; a WebSocket with a longer one is closed.'),
  maxWebSocketMessageSize: integer({ min: 1 })
    .optional()
    .describe('Longest message of a client, in bytes as it is sent; a WebSocket with a longer one is closed.'),
  webSocketClosingTimeout: integer({ min: 0, max: 86_400 })
    .optional()
    .describe('Seconds that one side of a WebSocket has to answer the Close frame of the other.'),
  perMessageWebSocketCompressionSupported: flag()
    .optional()
    .describe('Whether clients may agree on `permessage-deflate` with a backend; by default they may.'),
  perFrameWebSocketCompressionSupported: flag()
    .optional()
    .describe('Whether clients may agree on `deflate-frame` with a backend; by default they may.'),
};

/** How clients may speak HTTP/2. */
const http2Fields = {
  useAlpn: flag()
    .optional()
    .describe('Whether clients of a connector with `tls` may choose HTTP/2; by default they may.'),
  alpnVersions: z
    .array(choice(['HTTP_2', 'HTTP_1_1', 'HTTP_1_0']))
    .refine((versions) => versions.includes('HTTP_1_1'), { error: 'must have HTTP_1_1, which is always spoken' })
    .optional()
    .describe('What clients of a connector with `tls` may choose; without `HTTP_2` they speak HTTP/1.'),
  http2ClearTextEnabled: flag()
    .optional()
    .describe('Whether clients of a connector without `tls` may speak HTTP/2; by default they may.'),
  initialSettings: z
    .strictObject({
      maxConcurrentStreams: integer({ min: 1, max: 10_000 })
        .optional()
        .describe('Requests that one connection of HTTP/2 may have under way.'),
      maxHeaderListSize: integer({ min: 256, max: 983_040 })
        .optional()
        .describe('Most bytes of headers in one request of HTTP/2, and of header lines in one of HTTP/1.'),
      ...mootFields({
        'the engine sizes and tunes its own connections of HTTP/2': [
          'extraSettings',
          'headerTableSize',
          'initialWindowSize',
          'maxFrameSize',
        ],
        'nothing is pushed to clients': ['pushEnabled'],
      }),
    })
    .optional()
    .describe('What clients of HTTP/2 are told at first.'),
  http2RstFloodMaxRstFramePerWindow: integer({ min: 1, max: 1_000_000 })
    .optional()
    .describe('Requests that a client of HTTP/2 may take back in the time of http2RstFloodWindowDuration.'),
  http2RstFloodWindowDuration: integer({ min: 1, max: 2_147_483_647 })
    .default(30)
    .describe('Time in which requests that are taken back are counted.'),
  http2RstFloodWindowDurationTimeUnit: timeUnit()
    .default('SECONDS')
    .describe('What http2RstFloodWindowDuration counts.'),
};

/** `vertx` of a connector. */
export const vertxServerOptions = z.strictObject({
  acceptBacklog: integer({ min: -1, max: 65_535 })
    .optional()
    .describe('Most connections that wait to be accepted; -1 for as many as the engine takes by itself.'),
  idleTimeout: integer({ min: 0, max: 2_147_483_647 })
    .optional()
    .describe('Time a connection may wait for its next request; 0 for no limit.'),
  idleTimeoutUnit: timeUnit().default('SECONDS').describe('What idleTimeout counts.'),
  sslHandshakeTimeout: integer({ min: 1, max: 86_400_000 })
    .optional()
    .describe('Time for a TLS handshake, at least a tenth of a second.'),
  sslHandshakeTimeoutUnit: timeUnit().default('SECONDS').describe('What sslHandshakeTimeout counts.'),
  maxInitialLineLength: integer({ min: 64, max: 65_536 }).optional().describe('Longest request line, in bytes.'),
  maxTotalHeadersSize: integer({ min: 256, max: 983_040 })
    .optional()
    .describe('Most bytes of header lines in one request.'),
  maxHeaderSize: integer({ min: 256, max: 983_040 })
    .optional()
    .describe('Most bytes of header lines in one request, under its older name.'),
  ...http2Fields,
  ...webSocketFields,
  ...mootFields(moot),
  ...fieldsOf(decidedElsewhere, refused),
});

/** `vertx` at the top. */
export const vertxOptions = z.strictObject({
  metricsEnabled: noEffect(flag(), 'metrics are always published'),
  ...mootFields({
    'the number of threads is that of gatewayUnits': [
      'eventLoopPoolSize',
      'internalBlockingPoolSize',
      'workerPoolSize',
      'preferNativeTransport',
    ],
    'there are no worker threads to be watched': [
      'blockedThreadCheckInterval',
      'blockedThreadCheckIntervalUnit',
      'maxEventLoopExecuteTime',
      'maxEventLoopExecuteTimeUnit',
      'maxWorkerExecuteTime',
      'maxWorkerExecuteTimeUnit',
      'warningExceptionTime',
      'warningExceptionTimeUnit',
    ],
    'nothing is kept in files and names are resolved by the system': ['addressResolverOptions', 'fileSystemOptions'],
  }),
});

function mootFields(reasons: Readonly<Record<string, readonly string[]>>): Record<string, z.ZodOptional<z.ZodUnknown>> {
  return fieldsOf(reasons, (why) => noEffect(z.unknown(), why));
}

/** The fields of a list, each with what is made of its reason. */
function fieldsOf<F>(
  reasons: Readonly<Record<string, readonly string[]>>,
  field: (why: string) => F,
): Record<string, F> {
  const named = Object.entries(reasons).flatMap(([why, names]) => names.map((name) => [name, why] as const));
  return Object.fromEntries(named.map(([name, why]) => [name, field(why)]));
}
