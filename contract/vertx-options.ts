import { z } from 'zod';
import { flag, integer } from './vocabulary/configured.ts';
import { noEffect } from './vocabulary/field-notes.ts';

/** Options of the reference product's server that nothing here corresponds to, and why. */
const moot: Readonly<Record<string, readonly string[]>> = {
  'data of an upgraded connection is passed on as it comes': [
    'maxWebSocketFrameSize',
    'maxWebSocketMessageSize',
    'webSocketAllowServerNoContext',
    'webSocketPreferredClientNoContext',
    'webSocketClosingTimeout',
    'webSocketCompressionLevel',
    'perFrameWebSocketCompressionSupported',
    'perMessageWebSocketCompressionSupported',
    'acceptUnmaskedFrames',
  ],
  'every sub-protocol that the backend accepts is passed on': ['webSocketSubProtocols'],
  'answers are passed on in the encoding that the backend chose': [
    'compressionSupported',
    'compressionLevel',
    'compression',
    'decompressionSupported',
  ],
  'clients are served by HTTP/1.1': [
    'alpnVersions',
    'useAlpn',
    'http2ClearTextEnabled',
    'http2ConnectionWindowSize',
    'initialSettings',
  ],
  'the engine sizes and tunes its own connections': [
    'acceptBacklog',
    'decoderInitialBufferSize',
    'handle100ContinueAutomatically',
    'logActivity',
    'maxChunkSize',
    'maxFormAttributeSize',
    'receiveBufferSize',
    'reuseAddress',
    'reusePort',
    'sendBufferSize',
    'soLinger',
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
  'the limits of the engine hold, which docs/limits.md lists': [
    'idleTimeout',
    'idleTimeoutUnit',
    'readIdleTimeout',
    'writeIdleTimeout',
  ],
};

/** `vertx` of a connector. */
export const vertxServerOptions = z.strictObject({
  ...mootFields(moot),
  maxInitialLineLength: integer({ min: 64, max: 65_536 }).optional().describe('Longest request line, in bytes.'),
  maxTotalHeadersSize: integer({ min: 256, max: 983_040 })
    .optional()
    .describe('Most bytes of header lines in one request.'),
  maxHeaderSize: integer({ min: 256, max: 983_040 })
    .optional()
    .describe('Most bytes of header lines in one request, under its older name.'),
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
  const fields = Object.entries(reasons).flatMap(([why, names]) => names.map((name) => [name, why] as const));
  return Object.fromEntries(fields.map(([name, why]) => [name, noEffect(z.unknown(), why)]));
}
