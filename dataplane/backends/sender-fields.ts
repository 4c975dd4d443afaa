import type { z } from 'zod';
import { choice, duration, flag, integer } from '../../contract/vocabulary/configured.ts';
import { noEffect, unavailable } from '../../contract/vocabulary/field-notes.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import { proxyFields } from './proxy-fields.ts';
import { retryFields } from './retry-fields.ts';
import { timeout } from './timeout.ts';
import { tlsFields } from './tls-fields.ts';
import { websocketFields } from './websocket-fields.ts';

/** The fields of the handlers that send requests on. */
export const senderFields = {
  connections: integer({ min: 1, max: 1_000_000 })
    .default(64)
    .describe('Most connections at a time, of each gateway unit to each backend.'),
  connectionTimeout: timeout
    .prefault('10 seconds')
    .describe('Time to establish a connection, or to wait until one of the pool is free; zero for any time.'),
  connectionTimeToLive: duration({ unlimited: true })
    .prefault('unlimited')
    .describe('Age at which a connection is not used again.'),
  disableReuseConnection: flag().default(false).describe('Whether every request gets a connection of its own.'),
  soTimeout: timeout
    .prefault('10 seconds')
    .describe('Time without a byte after which a connection is given up; the answer is then 504. Zero for any time.'),
  waitQueueSize: integer({ min: 0, max: 1_000_000 })
    .default(10_000)
    .describe('Most requests that wait for a connection; further ones are answered with 503.'),
  websocket: websocketFields.prefault({}).describe('Upgrades to WebSocket.'),

  stateTrackingEnabled: noEffect(flag(), 'no client certificates are used').describe(
    'Whether connections with a client certificate are kept apart.',
  ),
  numberOfWorkers: noEffect(
    integer({ min: 1 }),
    'event loops send requests, and `gatewayUnits` says how many',
  ).describe('Worker threads for outgoing requests.'),
  protocolVersion: noEffect(
    choice(['HTTP/2', 'HTTP/1.1']),
    'backends without TLS are spoken to in HTTP/1.1 whatever it says',
  ).describe('HTTP version of outgoing requests.'),
  temporaryStorage: noEffect(ref('temporaryStorage'), 'bodies are passed on as they arrive').describe(
    'Where bodies are buffered.',
  ),
  asyncBehavior: noEffect(choice(['streaming', 'non_streaming']), 'bodies are passed on as they arrive').describe(
    'Whether an answer is processed before its body is complete.',
  ),
  disableRetries: noEffect(
    flag(),
    'a request is sent once more only when a kept connection turns out to be closed and repeating it is safe',
  ).describe('Whether failed requests are never repeated.'),
  propagateDisconnection: noEffect(flag(), 'a client that leaves always ends its call to the backend').describe(
    'Whether a client that leaves ends its call to the backend.',
  ),

  http2PriorKnowledge: unavailable('configuration expression<boolean>').describe('HTTP/2 without an upgrade.'),
  vertx: unavailable('object').describe('Options of the HTTP client of the reference product.'),
  ...proxyFields,
  ...retryFields,
  ...tlsFields,
};

/** What the fields hold once they are read. */
export type SenderConfig = z.output<z.ZodObject<typeof senderFields>>;
