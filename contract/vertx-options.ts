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
    .describe('WebSocket subprotocols that are offered to backends; by default all.'),
  maxWebSocketFrameSize: integer({ min: 1 })
    .optional()
    .describe(
      'Maximum size of a WebSocket frame of a client, in bytes on the wire; a larger frame closes the WebSocket.',
    ),
  maxWebSocketMessageSize: integer({ min: 1 })
    .optional()
    .describe(
      'Maximum size of a WebSocket message of a client, in bytes on the wire; a larger message closes the ' +
        'WebSocket.',
    ),
  webSocketClosingTimeout: integer({ min: 0, max: 86_400 })
    .optional()
    .describe('Timeout, in seconds, for the answer to a Close frame of a WebSocket.'),
  perMessageWebSocketCompressionSupported: flag()
    .optional()
    .describe('Whether clients may negotiate `permessage-deflate` with a backend; by default they may.'),
  perFrameWebSocketCompressionSupported: flag()
    .optional()
    .describe('Whether clients may negotiate `deflate-frame` with a backend; by default they may.'),
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
    .describe('Protocols that clients of a connector with `tls` may choose; without `HTTP_2` they speak HTTP/1.'),
  http2ClearTextEnabled: flag()
    .optional()
    .describe('Whether clients of a connector without `tls` may speak HTTP/2; by default they may.'),
  initialSettings: z
    .strictObject({
      maxConcurrentStreams: integer({ min: 1, max: 10_000 })
        .optional()
        .describe('Maximum number of concurrent requests on one HTTP/2 connection.'),
      maxHeaderListSize: integer({ min: 256, max: 983_040 })
        .optional()
        .describe('Maximum size of the headers of a request, in bytes, for HTTP/2 and HTTP/1.'),
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
    .describe('Initial settings that HTTP/2 clients get.'),
  http2RstFloodMaxRstFramePerWindow: integer({ min: 1, max: 1_000_000 })
    .optional()
    .describe('Maximum number of requests that an HTTP/2 client may cancel within http2RstFloodWindowDuration.'),
  http2RstFloodWindowDuration: integer({ min: 1, max: 2_147_483_647 })
    .default(30)
    .describe('Time window in which cancelled requests are counted.'),
  http2RstFloodWindowDurationTimeUnit: timeUnit().default('SECONDS').describe('Unit of http2RstFloodWindowDuration.'),
};

/** `vertx` of a connector. */
export const vertxServerOptions = z.strictObject({
  acceptBacklog: integer({ min: -1, max: 65_535 })
    .optional()
    .describe('Maximum number of connections that wait to be accepted (listen backlog); -1 for the default.'),
  idleTimeout: integer({ min: 0, max: 2_147_483_647 })
    .optional()
    .describe('Idle timeout between two requests of a connection; 0 for no limit.'),
  idleTimeoutUnit: timeUnit().default('SECONDS').describe('Unit of idleTimeout.'),
  sslHandshakeTimeout: integer({ min: 1, max: 86_400_000 })
    .optional()
    .describe('Timeout of a TLS handshake, at least a tenth of a second.'),
  sslHandshakeTimeoutUnit: timeUnit().default('SECONDS').describe('Unit of sslHandshakeTimeout.'),
  maxInitialLineLength: integer({ min: 64, max: 65_536 })
    .optional()
    .describe('Maximum length of the request line, in bytes.'),
  maxTotalHeadersSize: integer({ min: 256, max: 983_040 })
    .optional()
    .describe('Maximum size of the header lines of a request, in bytes.'),
  maxHeaderSize: integer({ min: 256, max: 983_040 }).optional().describe('Former name of maxTotalHeadersSize.'),
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
