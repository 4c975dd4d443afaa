import type { z } from 'zod';
import { choice, duration, flag, integer } from '../../contract/vocabulary/configured.ts';
import { noEffect } from '../../contract/vocabulary/field-notes.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import { httpVersionFields } from './http-version.ts';
import { proxyFields } from './proxy-fields.ts';
import { retryFields } from './retry-fields.ts';
import { timeout } from './timeout.ts';
import { tlsFields } from './tls-fields.ts';
import { vertxClientOptions } from './vertx-client-options.ts';
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
    .describe('Time without a byte after which a connection is given up; the answer is then 502. Zero for any time.'),
  waitQueueSize: integer({ min: 0, max: 1_000_000 })
    .optional()
    .describe('Most requests that wait for a connection, by default 10000; further ones are answered with 503.'),
  websocket: websocketFields.prefault({}).describe('Upgrades to WebSocket.'),

  forwardProxy: flag()
    .default(false)
    .describe(
      'Whether requests may go to the host that the client names. If false, a handler that no `baseURI` covers is an ' +
        'error: on the route, on an object or binding on the way, or by a filter that sets `request.uri`. For ' +
        'operators only.',
    ),
  ...httpVersionFields,
  numberOfWorkers: noEffect(
    integer({ min: 1 }),
    'event loops send requests, and `gatewayUnits` says how many',
  ).describe('Worker threads for outgoing requests.'),
  temporaryStorage: ref('temporaryStorage')
    .prefault('TemporaryStorage')
    .describe('Keeps bodies that have to be whole before they are passed on, or that may be sent again.'),
  asyncBehavior: choice(['streaming', 'non_streaming'])
    .optional()
    .describe(
      'Whether messages are passed on as they arrive or when they are whole; by default as `streamingEnabled` of ' +
        '`admin.json` says. What has to be whole is kept in the `temporaryStorage`, and longer than it or 2 GB is ' +
        'refused. `text/event-stream` needs `streaming`, and so do gRPC calls in which both sides go on sending; where ' +
        'events are rare, `soTimeout` has to be longer than the pause between them.',
    ),
  disableRetries: noEffect(
    flag(),
    'a request is sent once more only when a kept connection turns out to be closed and repeating it is safe',
  ).describe('Whether failed requests are never repeated.'),
  propagateDisconnection: flag()
    .default(true)
    .describe(
      'Whether a client that leaves ends its call to the backend; otherwise a request that was sent whole is answered ' +
        'for nobody, and the content of its answer has the time `soTimeout` to come.',
    ),

  vertx: vertxClientOptions
    .prefault({})
    .describe(
      'Options of the HTTP client of OpenIG that have no field of their own. Its other options are ' +
        'known too: the check says of each why it is refused or has no effect.',
    ),
  ...proxyFields,
  ...retryFields,
  ...tlsFields,
};

/** What the fields hold once they are read. */
export type SenderConfig = z.output<z.ZodObject<typeof senderFields>>;
