import { z } from 'zod';
import { duration, flag, integer, text } from '../../../contract/vocabulary/configured.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import { timeout } from '../../backends/timeout.ts';
import { tlsReference } from '../../backends/tls-fields.ts';
import { websocketFields } from '../../backends/websocket-fields.ts';

const LARGEST_MESSAGE = 16 << 20;

const tokenFields = z.strictObject({
  grantId: z
    .array(text())
    .default(['grantId', 'authGrantId'])
    .describe('Fields of an event with the id of the grant. The first one that an event has counts.'),
  tokenId: z
    .array(text())
    .default(['tokenId', 'accessToken', 'access_token', 'jti'])
    .describe('Fields of an event with the access token or its `jti`. The first one that an event has counts.'),
});

/** Fields of `notifications` of an AmService. */
export const notificationFields = z
  .strictObject({
    enabled: flag().default(true).describe('Whether the gateway subscribes to notifications.'),
    initialConnectionAttempts: integer({ min: -1, max: 1_000_000 })
      .default(5)
      .describe(
        'Number of connection attempts before the first connection; -1 for no limit. Afterwards the gateway logs an ' +
          'error and retries less often. Routes are deployed in any case.',
      ),
    reconnectDelay: duration()
      .prefault('5 seconds')
      .describe(
        'Delay between connection attempts. After failures it doubles up to 12 times this value, with a random part. ' +
          'The first attempt after a loss comes at once.',
      ),
    renewalDelay: duration({ unlimited: true })
      .prefault('1 day')
      .describe('Age at which a connection is replaced. The new one is subscribed before the old one is closed.'),
    heartbeatInterval: duration({ unlimited: true })
      .prefault('1 minute')
      .describe(
        'Time without any data after which a connection is considered lost. A PING is sent after half of it, so that ' +
          'a working connection always has data.',
      ),
    connectionTimeout: timeout
      .prefault('60 seconds')
      .describe('Time to establish a connection, and to confirm its subscriptions; zero for 60 seconds.'),
    idleTimeout: timeout
      .prefault('60 seconds')
      .describe('Time without any data after which a connection is closed; zero for no limit.'),
    tls: tlsReference.describe('TLS options of the connection; those of `amHandler` are not used.'),
    proxyOptions: ref('proxyOptions').prefault('ProxyOptions').describe('Proxy for the connection.'),
    vertx: websocketFields.shape.vertx
      .refine(({ maxWebSocketMessageSize: most = 0 }) => most <= LARGEST_MESSAGE, {
        path: ['maxWebSocketMessageSize'],
        error: `must be at most ${LARGEST_MESSAGE}: messages are kept in memory`,
      })
      .describe(
        'Options that have no field of their own. A message longer than `maxWebSocketMessageSize` (1 MiB by default, at ' +
          'most 16 MiB) is not read, and caches are cleared as it may be a revocation.',
      ),
    tokenTopic: text()
      .default('/oauth2/grant')
      .describe(
        'Topic of events about revoked OAuth 2.0 tokens, which differs between versions of the access manager.',
      ),
    tokenFields: tokenFields.prefault({}).describe('Names of the fields of events about revoked OAuth 2.0 tokens.'),
  })
  .prefault({})
  .describe(
    'WebSocket for events about ended sessions, revoked tokens and changed policies. One connection serves all units ' +
      'and all equal services of a tenant. It is opened when a cache needs it. An event that cannot be understood ' +
      'clears the caches, because it may be a revocation.',
  );

export type NotificationConfig = z.output<typeof notificationFields>;
