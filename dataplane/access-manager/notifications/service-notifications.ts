import { milliseconds } from '../../backends/timeout.ts';
import { DialFailure, type DialWebSocket, webSocketDial } from '../../backends/websocket-dial.ts';
import type { Tunnel } from '../../engine/backend/tunnel.ts';
import type { Parts } from '../../heap/definition.ts';
import type { Notifications } from '../../heap/objects/am-service.ts';
import { objectLabels } from '../../heap/objects/object-labels.ts';
import type { TakeMemory } from '../../heap/shared-memory.ts';
import type { AgentCalls } from '../service/agent-calls.ts';
import type { AmEndpoints } from '../service/am-endpoints.ts';
import { LONGEST_MESSAGE } from './notification-connection.ts';
import type { NotificationConfig } from './notification-fields.ts';
import { type HubMember, NotificationHub } from './notification-hub.ts';
import type { LinkTerms } from './notification-link.ts';

const SUBPROTOCOL = 'v1.notifications.forgerock.org';
const CONFIRMATION = 60_000;

/** Hubs of this unit by identity, for each plane that a unit is part of. */
const hubs = new WeakMap<TakeMemory, Map<string, NotificationHub>>();

interface Service {
  readonly endpoints: AmEndpoints;
  readonly calls: AgentCalls;
  readonly identity: string;
}

/** The notifications of a service, which equal services of a unit share; null where they are disabled. */
export function serviceNotifications(
  config: NotificationConfig,
  { endpoints, calls, identity }: Service,
  parts: Parts,
): Notifications | null {
  if (!config.enabled) return null;
  const { plane, onClose } = parts;
  const open = webSocketDial(config, parts);
  const known = hubs.get(plane.sharedMemory) ?? new Map<string, NotificationHub>();
  hubs.set(plane.sharedMemory, known);
  const log = plane.log.child({ url: `${endpoints.url}/notifications` });
  const hub =
    known.get(identity) ??
    new NotificationHub({ identity, sharedMemory: plane.sharedMemory, unit: plane.unit ?? 0, log });
  known.set(identity, hub);
  const dial = (): Promise<Tunnel> => dialAsAgent(open, `${endpoints.url}/notifications`, calls);
  const labels = objectLabels(parts);
  const member: HubMember = {
    terms: linkTerms(config),
    dial,
    show(journal) {
      const ends = [
        plane.gauge('gw_am_notifications_connected', labels, () => (journal.isHeard ? 1 : 0)),
        plane.gauge('gw_am_notifications_connected_since_seconds', labels, () => journal.connectedAt / 1000),
      ];
      return () => {
        for (const end of ends) end();
      };
    },
    confirmed: (seconds) => plane.observe('gw_am_notifications_applied_seconds', labels, seconds),
  };
  hub.join(member);
  onClose(() => {
    if (hub.leave(member)) known.delete(identity);
  });
  return hub;
}

async function dialAsAgent(open: DialWebSocket, url: string, calls: AgentCalls): Promise<Tunnel> {
  const result = await calls.asAgent(
    (header) => open(url, SUBPROTOCOL, header).catch(dialFailure),
    (tried) => tried instanceof DialFailure && tried.status === 401,
    null,
  );
  if (!(result instanceof DialFailure)) return result;
  if (result.status !== 403) throw result;
  throw new Error('the access manager accepts no notifications for this agent: use a profile of a web or Java agent');
}

function dialFailure(error: unknown): DialFailure {
  if (error instanceof DialFailure) return error;
  throw error;
}

function linkTerms(config: NotificationConfig): LinkTerms {
  const { tokenTopic, tokenFields, vertx } = config;
  const times = [milliseconds(config.heartbeatInterval), milliseconds(config.idleTimeout)].filter((time) => time > 0);
  return {
    tokens: { topic: tokenTopic, ...tokenFields },
    longestMessage: vertx.maxWebSocketMessageSize ?? LONGEST_MESSAGE,
    confirmationTimeout: milliseconds(config.connectionTimeout) || CONFIRMATION,
    silence: times.length === 0 ? 0 : Math.min(...times),
    reconnectDelay: milliseconds(config.reconnectDelay),
    renewalDelay: milliseconds(config.renewalDelay),
    initialAttempts: config.initialConnectionAttempts,
  };
}
