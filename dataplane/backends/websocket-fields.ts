import { z } from 'zod';
import type { Duration } from '../../contract/duration.ts';
import { flag, integer } from '../../contract/vocabulary/configured.ts';
import { noEffect } from '../../contract/vocabulary/field-notes.ts';
import type { BackendWebSockets } from '../engine/websocket/open.ts';
import { milliseconds, timeout } from './timeout.ts';
import { deprecatedTlsFields, tlsReference } from './tls-fields.ts';
import { clientOptions } from './vertx-client-options.ts';

const AS_THEY_ARE = 'frames are passed on as they are, and the client and the backend agree on their compression';

/** Options of OpenIG's HTTP client that are about WebSockets. */
const webSocketOptions = {
  tryUsePerMessageWebSocketCompression: flag()
    .default(true)
    .describe('Whether `permessage-deflate` is offered to the backend if the client offers it.'),
  tryUsePerFrameWebSocketCompression: flag()
    .default(true)
    .describe('Whether `deflate-frame` is offered to the backend if the client offers it.'),
  maxWebSocketFrameSize: integer({ min: 1 })
    .optional()
    .describe(
      'Maximum size of a WebSocket frame of a backend, in bytes on the wire; a larger frame closes the WebSocket.',
    ),
  maxWebSocketMessageSize: integer({ min: 1 })
    .optional()
    .describe(
      'Maximum size of a WebSocket message of a backend, in bytes on the wire; a larger message closes the ' +
        'WebSocket.',
    ),
  webSocketClosingTimeout: integer({ min: 0, max: 86_400 })
    .optional()
    .describe('Timeout, in seconds, for the answer to a Close frame; by default that of the connector.'),
  webSocketCompressionLevel: noEffect(integer({ min: 0, max: 9 }), AS_THEY_ARE),
  webSocketAllowClientNoContext: noEffect(flag(), AS_THEY_ARE),
  webSocketRequestServerNoContext: noEffect(flag(), AS_THEY_ARE),
  sendUnmaskedFrames: noEffect(flag(), 'frames of clients are masked, and so they stay'),
  maxWebSockets: noEffect(integer(), 'clients open WebSockets, and the connections of clients are limited'),
};

/** Fields of `websocket`. */
export const websocketFields = z.strictObject({
  enabled: flag()
    .default(false)
    .describe('Whether clients may upgrade to WebSocket; otherwise the request is sent without the upgrade.'),
  connectionTimeout: timeout
    .optional()
    .describe("Time to establish a WebSocket connection; by default the handler's `connectionTimeout`."),
  soTimeout: timeout
    .optional()
    .describe(
      "Idle timeout of a WebSocket; by default the handler's `soTimeout`, which is usually too short for " +
        'WebSockets.',
    ),
  numberOfSelectors: noEffect(integer({ min: 1 }), 'event loops carry WebSockets as they carry requests').describe(
    'Maximum number of worker threads.',
  ),
  tls: tlsReference.describe("Options for `wss` and `https` backends; by default the handler's."),
  vertx: z
    .strictObject({ ...clientOptions, ...webSocketOptions })
    .prefault({})
    .describe('Options that have no field of their own.'),
  ...deprecatedTlsFields,
});

/** The fields as the relay of frames has them. `soTimeout` is that of the handler. */
export function backendWebSockets(config: z.output<typeof websocketFields>, soTimeout: Duration): BackendWebSockets {
  const { vertx } = config;
  const seconds = vertx.webSocketClosingTimeout;
  return {
    perMessageCompression: vertx.tryUsePerMessageWebSocketCompression,
    perFrameCompression: vertx.tryUsePerFrameWebSocketCompression,
    frameBytes: vertx.maxWebSocketFrameSize ?? 0,
    messageBytes: vertx.maxWebSocketMessageSize ?? 0,
    closingTimeout: seconds === undefined ? null : seconds * 1000,
    silence: milliseconds(config.soTimeout ?? soTimeout),
  };
}
