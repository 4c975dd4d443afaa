import { Backend } from '../engine/backend/backend.ts';
import type { Next } from '../engine/message/exchange.ts';
import { asksForWebSocket, DEFAULT_WEBSOCKETS, openWebSocket } from '../engine/websocket/open.ts';
import type { BackendServing } from './unit-messages.ts';
import type { UnitTraffic } from './unit-traffic.ts';

/** Sends every request to one backend. */
export function backendTraffic({ destination, basePath, connections }: BackendServing): UnitTraffic {
  const backend = new Backend({ destination, connections, responseTimeout: 60_000, upgrades: ['websocket'] });
  const handle: Next = (exchange) =>
    asksForWebSocket(exchange)
      ? openWebSocket(exchange, backend.handle, DEFAULT_WEBSOCKETS, () => {})
      : backend.handle(exchange);
  return {
    handle: basePath === '' ? handle : below(basePath, handle),
    problems: [],
    prepare: () => null,
    update: () => [],
    tls: () => null,
    listensAt() {},
    forbid() {},
    ended() {},
    refresh() {},
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
