import { z } from 'zod';
import { flag, integer } from '../../contract/vocabulary/configured.ts';
import { noEffect, unavailable } from '../../contract/vocabulary/field-notes.ts';
import { timeout } from './timeout.ts';
import { deprecatedTlsFields } from './tls-fields.ts';

/** Fields of `websocket`. */
export const websocketFields = z.strictObject({
  enabled: flag().default(false).describe('Whether a client may upgrade its connection to a WebSocket.'),
  connectionTimeout: timeout
    .optional()
    .describe("Time to establish a WebSocket connection; by default the handler's `connectionTimeout`."),
  soTimeout: timeout
    .optional()
    .describe("A WebSocket that is silent for this time is closed; by default the handler's `soTimeout`."),
  numberOfSelectors: noEffect(integer({ min: 1 }), 'event loops carry WebSockets as they carry requests').describe(
    'Most worker threads.',
  ),
  tls: unavailable('ClientTlsOptions reference').describe('Options for TLS connections.'),
  vertx: unavailable('object').describe('Options of the HTTP client of the reference product.'),
  ...deprecatedTlsFields,
});
