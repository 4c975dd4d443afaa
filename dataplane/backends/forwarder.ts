import type { Exchange, Next } from '../engine/message/exchange.ts';
import { type Refusal, refusals } from '../engine/message/refusal.ts';
import { type Response, refusalResponse } from '../engine/message/response.ts';
import { asksForWebSocket, openWebSocket } from '../engine/websocket/open.ts';
import type { Parts } from '../heap/definition.ts';
import { backendSets, forEachEgress } from './backend-sets.ts';
import type { BackendWays } from './backend-ways.ts';
import { hasComeRound } from './gateway-loop.ts';
import type { SenderConfig } from './sender-fields.ts';
import { backendWebSockets } from './websocket-fields.ts';

/** Sends each request to the host and port of its URI, once. A failure to get an answer is answered, never thrown. */
export function forwarder(config: SenderConfig, parts: Parts, ways: BackendWays): Next {
  const { websocket } = config;
  const webSockets = backendWebSockets(websocket, config.soTimeout);
  const setFor = forEachEgress(parts.plane, backendSets(config, parts, ways, webSockets));

  return function forward(exchange) {
    const { uri } = exchange.request;
    const { host } = uri;
    const isSecure = uri.scheme === 'https' || uri.scheme === 'wss';
    if (!isSecure && uri.scheme !== 'http' && uri.scheme !== 'ws') return refused('backend-scheme', exchange);
    if (host === '') return refused('backend-unnamed', exchange);
    if (hasComeRound(exchange)) return refused('loop', exchange);
    // a tenant's route that no baseURI covers for this request would be a forward proxy
    if (exchange.egress !== null && !uri.isDirected) return refused('backend-egress', exchange);
    const upgrade = websocket.enabled && asksForWebSocket(exchange);
    const backends = setFor(exchange.egress);
    const unsecured = upgrade ? backends.upgrading : backends.plain;
    const secured = upgrade ? backends.secureUpgrading : backends.secure;
    const backend = (isSecure ? secured : unsecured).find(host, uri.port);
    if (backend === null) return refused('backend-limit', exchange);
    if (!upgrade) return backend.handle(exchange);
    return openWebSocket(exchange, backend.handle, webSockets, (reason) =>
      ways.failed('backend-websocket', uri.authority, reason),
    );
  };

  function refused(refusal: Refusal, exchange: Exchange): Response {
    const { scheme, authority } = exchange.request.uri;
    const { reason } = refusals[refusal];
    ways.failed(refusal, refusal === 'backend-scheme' ? scheme : authority, reason);
    return refusalResponse(refusal, reason);
  }
}
