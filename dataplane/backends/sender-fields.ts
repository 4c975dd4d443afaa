import { z } from 'zod';
import { choice, duration, flag, integer } from '../../contract/vocabulary/configured.ts';
import { noEffect } from '../../contract/vocabulary/field-notes.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import { rulesAbout } from '../../contract/vocabulary/rules-about.ts';
import { httpVersionFields } from './http-version.ts';
import { proxyFields } from './proxy-fields.ts';
import { retryFields } from './retry-fields.ts';
import { timeout } from './timeout.ts';
import { tlsFields } from './tls-fields.ts';
import { vertxClientOptions } from './vertx-client-options.ts';
import { websocketFields } from './websocket-fields.ts';

/** The fields of the handlers that send requests on. */
export const senderFields = {
  backends: ref('backends')
    .optional()
    .describe(
      'Endpoints that requests are spread over, instead of a `baseURI`. The `Host` header is passed on as received. A ' +
        'request that gets no connection to one endpoint goes to another one; `retries` choose another one too.',
    ),
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
    .describe('Maximum number of requests that wait for a connection, 10000 by default; further requests get 503.'),
  websocket: websocketFields.prefault({}).describe('Upgrades to WebSocket.'),

  forwardProxy: flag()
    .default(false)
    .describe(
      'Whether requests may go to the host that the client names. If false, a handler needs a `baseURI` (on the ' +
        'route, or on an object or binding before it) or a filter that sets `request.uri`; otherwise the ' +
        'configuration is an error. For operators only.',
    ),
  ...httpVersionFields,
  numberOfWorkers: noEffect(
    integer({ min: 1 }),
    'event loops send requests, and `gatewayUnits` says how many',
  ).describe('Worker threads for outgoing requests.'),
  temporaryStorage: ref('temporaryStorage')
    .prefault('TemporaryStorage')
    .describe('Storage for buffered bodies and for bodies that may be sent again.'),
  asyncBehavior: choice(['streaming', 'non_streaming'])
    .optional()
    .describe(
      'Whether messages are streamed or buffered completely before they are passed on; the default is ' +
        '`streamingEnabled` of `admin.json`. Buffered messages are kept in the `temporaryStorage`; a message larger ' +
        'than its limit or 2 GB is rejected. `text/event-stream` and bidirectional gRPC calls need `streaming`. For ' +
        'rare events, `soTimeout` must be longer than the pause between them.',
    ),
  disableRetries: noEffect(
    flag(),
    'a request is sent once more only when a kept connection turns out to be closed and repeating it is safe',
  ).describe('Whether automatic retries are switched off.'),
  propagateDisconnection: flag()
    .default(true)
    .describe(
      'Whether a disconnecting client cancels its call to the backend. Otherwise a completely sent request ' +
        'continues, and its response may take up to `soTimeout` to arrive.',
    ),

  vertx: vertxClientOptions
    .prefault({})
    .describe(
      'Options of the HTTP client of OpenIG that have no field of their own. Other options of that client are ' +
        'recognized: `gatewarden check` says why each is rejected or has no effect.',
    ),
  ...proxyFields,
  ...retryFields,
  ...tlsFields,
};

/** Values of the fields after parsing. */
export type SenderConfig = z.output<z.ZodObject<typeof senderFields>>;

/** Configuration of a handler that sends requests on. */
export const senderConfig = z.strictObject(senderFields).check(
  rulesAbout<SenderConfig>(['backends', 'forwardProxy'], ({ backends, forwardProxy }, add) => {
    if (backends === undefined || !forwardProxy) return;
    add(['forwardProxy'], "cannot be true: 'backends' says where requests go", 'exclusive');
  }),
);

/** Origin of the destination of requests: the client, an object before the handler, or its own `backends`. */
export function sendsOn({ backends, forwardProxy }: SenderConfig): 'anywhere' | 'where-told' | 'to-backends' {
  if (backends !== undefined) return 'to-backends';
  return forwardProxy ? 'anywhere' : 'where-told';
}
