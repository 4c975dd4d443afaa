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
    .describe('Whether `permessage-deflate` is offered to the backend where the client offers it.'),
  tryUsePerFrameWebSocketCompression: flag()
    .default(true)
    .describe('Whether `deflate-frame` is offered to the backend where the client offers it.'),
  maxWebSocketFrameSize: integer({ min: 1 })
    .optional()
    .describe('Longest frame of a backend, in bytes as it is sent; a WebSocket with a longer one is closed.'),
  maxWebSocketMessageSize: integer({ min: 1 })
    .optional()
    .describe('Longest message of a backend, in bytes as it is sent; a WebSocket with a longer one is closed.'),
  webSocketClosingTimeout: integer({ min: 0, max: 86_400 })
    .optional()
    .describe('Seconds that one side has to answer the Close frame of the other; by default as the connector says.'),
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
    .describe('Whether a client may upgrade its connection to a WebSocket; otherwise it gets the answer without.'),
  connectionTimeout: timeout
    .optional()
    .describe("Time to establish a WebSocket connection; by default the handler's `connectionTimeout`."),
  soTimeout: timeout
    .optional()
    .describe(
      "A WebSocket that is silent for this time is closed; by default the handler's `soTimeout`, which is short for one.",
    ),
  numberOfSelectors: noEffect(integer({ min: 1 }), 'event loops carry WebSockets as they carry requests').describe(
    'Most worker threads.',
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
