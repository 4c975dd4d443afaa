import type { MessagePort } from 'node:worker_threads';
import type { ForbiddenPlace } from '../../contract/egress.ts';
import { Backend } from '../engine/backend/backend.ts';
import type { Next } from '../engine/message/exchange.ts';
import { asksForWebSocket, DEFAULT_WEBSOCKETS, openWebSocket } from '../engine/websocket/open.ts';
import type { Endpoint } from '../engine/wire/wire.ts';
import type { ServerTls } from '../heap/objects/tls.ts';
import type { BuildProblem } from '../routes/configuration.ts';
import type { BackendServing, UnitOptions, UnitOrder } from './unit-messages.ts';

/** What a unit does with the requests it reads. */
export interface UnitTraffic {
  readonly handle: Next;
  /** What could not be built at the start. */
  readonly problems: readonly BuildProblem[];
  update(order: Extract<UnitOrder, { kind: 'update' }>): readonly BuildProblem[];
  /** What the connector at this place says to clients before they speak; null for one that is plain. */
  tls(connector: number): ServerTls | null;
  /** The plane accepts requests there: no backend may be at this place. */
  listensAt(endpoint: Endpoint): void;
  /** Tenants' routes may not connect there either. */
  forbid(places: readonly ForbiddenPlace[]): void;
  close(): void;
}

/** @throws Error that says what of `admin.json` cannot be built. */
export async function unitTraffic(
  options: Pick<UnitOptions, 'serving' | 'connectors' | 'slots' | 'logLevel' | 'memory' | 'unit'>,
  port: MessagePort,
): Promise<UnitTraffic> {
  const { serving, connectors, slots, logLevel, memory, unit } = options;
  if (serving.kind === 'backend') return backendTraffic(serving);
  // Loaded here and not at the top, so that a unit with one backend need not wait for all types of objects.
  const { configuredTraffic } = await import('./configured-traffic.ts');
  return configuredTraffic(serving, connectors, slots, logLevel, port, memory, unit);
}

function backendTraffic({ destination, basePath, connections }: BackendServing): UnitTraffic {
  const backend = new Backend({ destination, connections, responseTimeout: 60_000, upgrades: ['websocket'] });
  const handle: Next = (exchange) =>
    asksForWebSocket(exchange)
      ? openWebSocket(exchange, backend.handle, DEFAULT_WEBSOCKETS, () => {})
      : backend.handle(exchange);
  return {
    handle: basePath === '' ? handle : below(basePath, handle),
    problems: [],
    update: () => [],
    tls: () => null,
    listensAt() {},
    forbid() {},
    close: () => backend.close(),
  };
}

/** Puts a base path before the path of every request. */
function below(basePath: string, next: Next): Next {
  return (exchange) => {
    const { uri } = exchange.request;
    if (uri.rawPath !== '*') uri.rawPath = basePath + uri.rawPath;
    return next(exchange);
  };
}
