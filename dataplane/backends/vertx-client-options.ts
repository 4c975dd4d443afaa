import { z } from 'zod';
import { flag, integer } from '../../contract/vocabulary/configured.ts';
import { noEffect, refused } from '../../contract/vocabulary/field-notes.ts';
import { type BackendOptions, DEFAULT_BACKEND } from '../engine/backend/backend-options.ts';

type Named = Readonly<Record<string, readonly string[]>>;

/** Names that OpenIG does not allow, and what is used instead. */
const disallowed: Named = {
  'the URI of a request, which a baseURI sets, says where it goes': ['port'],
  "use 'connectionTimeout'": ['connectTimeout'],
  "use 'soTimeout'": ['idleTimeout', 'idleTimeoutUnit'],
  "use 'protocolVersion'": ['protocolVersion'],
  "use 'protocolVersion' and 'http2PriorKnowledge'": ['http2ClearTextUpgrade'],
  "use 'hostnameVerifier' of the 'tls' options": ['verifyHost'],
  'the scheme of the URI says whether TLS is used': ['ssl'],
  "use 'sslEnabledProtocols' of the 'tls' options": ['enabledSecureTransportProtocols'],
  "use 'sslCipherSuites' of the 'tls' options": ['enabledCipherSuites'],
  "use 'keyManager' of the 'tls' options": [
    'keyStoreOptions',
    'keyCertOptions',
    'pemKeyCertOptions',
    'pfxKeyCertOptions',
  ],
  "use 'trustManager' of the 'tls' options": [
    'trustOptions',
    'trustStoreOptions',
    'pemTrustOptions',
    'pfxTrustOptions',
  ],
  "use 'alpn' of the 'tls' options": ['useAlpn', 'alpnVersions'],
};

/** Further names for which there is something else, and which would be missed if they were ignored. */
const decidedElsewhere: Named = {
  'the URI of a request, which a baseURI sets, says where it goes': ['defaultHost', 'defaultPort'],
  "use 'soTimeout'": ['readIdleTimeout', 'writeIdleTimeout'],
  "use 'connectionTimeToLive'": ['maxLifetime', 'maxLifetimeUnit'],
  "use 'proxyOptions' of the handler": ['proxyOptions', 'nonProxyHosts'],
  "use 'trustManager' of the 'tls' options": ['trustAll', 'crlPaths', 'crlValues'],
  'the system chooses the address that connections come from': ['localAddress'],
};

/** Names that nothing here corresponds to, and why. */
const moot: Named = {
  'the field `connections` says how many there are': ['maxPoolSize', 'http2MaxPoolSize'],
  'connections are closed when their time comes': ['poolCleanerPeriod'],
  '`keepAliveTimeout` holds for both versions of HTTP': ['http2KeepAliveTimeout'],
  'every unit has connections of its own': ['poolEventLoopSize', 'shared', 'name'],
  'requests are not sent before the answer to the one before them': ['pipelining', 'pipeliningLimit'],
  'messages are passed on in the encoding that they have': ['decompressionSupported', 'tryUseCompression'],
  'redirects are answers, and clients follow them': ['maxRedirects'],
  'the name of the host is always sent in the handshake': ['forceSni'],
  '`connectionTimeout` is for the handshake too': ['sslHandshakeTimeout', 'sslHandshakeTimeoutUnit'],
  'there is one implementation of TLS': ['sslEngineOptions', 'jdkSslEngineOptions', 'openSslEngineOptions'],
  'what is small is sent at once': ['tcpNoDelay', 'tcpCork', 'tcpQuickAck'],
  'requests that ask for HTTP/2 have no content': [
    'http2UpgradeMaxContentLength',
    'http2ClearTextUpgradeWithPreflightRequest',
  ],
  'the engine sizes and tunes its own connections': [
    'activityLogDataFormat',
    'decoderInitialBufferSize',
    'http2ConnectionWindowSize',
    'http2MultiplexingLimit',
    'initialSettings',
    'logActivity',
    'maxChunkSize',
    'metricsName',
    'receiveBufferSize',
    'reuseAddress',
    'reusePort',
    'sendBufferSize',
    'soLinger',
    'tcpFastOpen',
    'tcpKeepAlive',
    'tcpUserTimeout',
    'tracingPolicy',
    'trafficClass',
    'usePooledBuffers',
  ],
};

/** What a status line of a backend may take when only the header lines are limited. */
const USUAL_LINE = 4096;

/** Options of OpenIG's HTTP client; those about WebSockets are not among them. */
export const clientOptions = {
  keepAlive: flag().optional().describe('False opens a new connection for every request.'),
  keepAliveTimeout: integer({ min: 0, max: 86_400 })
    .optional()
    .describe('Seconds that an idle connection is kept, 60 by default; 0 for no limit.'),
  maxWaitQueueSize: integer({ min: -1, max: 1_000_000 })
    .optional()
    .describe('Maximum number of requests that wait for a connection, if `waitQueueSize` is not set; -1 for no limit.'),
  maxHeaderSize: integer({ min: 256, max: 983_040 })
    .optional()
    .describe('Maximum size of the header lines of a response, in bytes.'),
  maxInitialLineLength: integer({ min: 64, max: 65_536 })
    .optional()
    .describe('Maximum size of the status line of a response, in bytes, in addition to `maxHeaderSize`.'),
  ...fieldsOf(disallowed, refused),
  ...fieldsOf(decidedElsewhere, refused),
  ...fieldsOf(moot, (why) => noEffect(z.unknown(), why)),
};

const ABOUT_WEB_SOCKETS = 'options about WebSockets are given in `vertx` of `websocket`';

/** `vertx` of a handler. */
export const vertxClientOptions = z.strictObject({
  ...clientOptions,
  ...fieldsOf(
    {
      [ABOUT_WEB_SOCKETS]: [
        'maxWebSockets',
        'maxWebSocketFrameSize',
        'maxWebSocketMessageSize',
        'sendUnmaskedFrames',
        'tryUsePerFrameWebSocketCompression',
        'tryUsePerMessageWebSocketCompression',
        'webSocketAllowClientNoContext',
        'webSocketClosingTimeout',
        'webSocketCompressionLevel',
        'webSocketRequestServerNoContext',
      ],
    },
    (why) => noEffect(z.unknown(), why),
  ),
});

type Given = { [Name in EffectName]?: z.output<(typeof clientOptions)[Name]> };
type EffectName = 'keepAlive' | 'keepAliveTimeout' | 'maxWaitQueueSize' | 'maxHeaderSize' | 'maxInitialLineLength';

type Tuned = Pick<BackendOptions, 'reuse' | 'idleTimeout' | 'waiting' | 'headBytes'>;

/** The options as the engine has them: what was not given is not in it. */
export function backendOptionsOf(given: Given): Partial<Tuned> {
  const { keepAlive, keepAliveTimeout, maxWaitQueueSize, maxHeaderSize, maxInitialLineLength } = given;
  const limitsHead = maxHeaderSize !== undefined || maxInitialLineLength !== undefined;
  const line = maxInitialLineLength ?? USUAL_LINE;
  return {
    ...(keepAlive === false && { reuse: false }),
    ...(keepAliveTimeout !== undefined && { idleTimeout: keepAliveTimeout * 1000 }),
    ...(maxWaitQueueSize !== undefined && {
      waiting: maxWaitQueueSize < 0 ? Number.POSITIVE_INFINITY : maxWaitQueueSize,
    }),
    ...(limitsHead && { headBytes: (maxHeaderSize ?? DEFAULT_BACKEND.headBytes - USUAL_LINE) + line }),
  };
}

function fieldsOf<S extends z.ZodType>(names: Named, field: (why: string) => S): Record<string, S> {
  const entries = Object.entries(names).flatMap(([why, fields]) =>
    fields.map((name) => [name, field(why).meta({ aside: true })] as const),
  );
  return Object.fromEntries(entries);
}
