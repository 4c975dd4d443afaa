import type { MayReach } from '../../contract/egress.ts';
import { gatewaysIn, restoreGateways } from '../engine/backend/forwarding.ts';
import type { Exchange, Next } from '../engine/message/exchange.ts';
import { type Refusal, refusals } from '../engine/message/refusal.ts';
import { type Response, refusalResponse } from '../engine/message/response.ts';
import { asksForWebSocket, openWebSocket } from '../engine/websocket/open.ts';
import type { Parts } from '../heap/definition.ts';
import { type BackendSet, backendSets } from './backend-sets.ts';
import type { BackendWays } from './backend-ways.ts';
import type { SenderConfig } from './sender-fields.ts';
import { backendWebSockets } from './websocket-fields.ts';

/** Gateways that a request may have come through; more are a circle. */
const MOST_GATEWAYS = 5;

/** Sends each request to the host and port of its URI, once. A failure to get an answer is answered, never thrown. */
export function forwarder(config: SenderConfig, parts: Parts, ways: BackendWays): Next {
  const { websocket } = config;
  const { mayReach, egress: ofTenant } = parts.plane;
  const webSockets = backendWebSockets(websocket, config.soTimeout);
  const setOf = backendSets(config, parts, ways, webSockets);
  const own = setOf(mayReach, ofTenant !== undefined);
  const others = new Map<MayReach, BackendSet>();

  return function forward(exchange) {
    const { request } = exchange;
    const { uri } = request;
    const { host } = uri;
    const isSecure = uri.scheme === 'https' || uri.scheme === 'wss';
    if (!isSecure && uri.scheme !== 'http' && uri.scheme !== 'ws') return refused('backend-scheme', exchange);
    if (host === '') return refused('backend-unnamed', exchange);
    if (exchange.gateways > 0) restoreGateways(request.headers, exchange.gateways);
    if (request.headers.has('via') && gatewaysIn(request.headers) >= MOST_GATEWAYS) {
      return refused('loop', exchange);
    }
    // a tenant's route that no baseURI covers for this request would be a forward proxy
    if (exchange.egress !== null && !uri.isDirected) return refused('backend-egress', exchange);
    const upgrade = websocket.enabled && asksForWebSocket(exchange);
    const backends = exchange.egress === null ? own : heldTo(exchange.egress);
    const unsecured = upgrade ? backends.upgrading : backends.plain;
    const secured = upgrade ? backends.secureUpgrading : backends.secure;
    const backend = (isSecure ? secured : unsecured).find(host, uri.port);
    if (backend === null) return refused('backend-limit', exchange);
    if (!upgrade) return backend.handle(exchange);
    return openWebSocket(exchange, backend.handle, webSockets, (reason) =>
      ways.failed('backend-websocket', uri.authority, reason),
    );
  };

  /** The backends for requests that may not go everywhere. */
  function heldTo(egress: MayReach): BackendSet {
    if (egress === mayReach) return own;
    const both: MayReach = (address, port) => mayReach(address, port) && egress(address, port);
    const known = others.get(egress) ?? setOf(both, true);
    others.set(egress, known);
    return known;
  }

  function refused(refusal: Refusal, exchange: Exchange): Response {
    const { scheme, authority } = exchange.request.uri;
    const { reason } = refusals[refusal];
    ways.failed(refusal, refusal === 'backend-scheme' ? scheme : authority, reason);
    return refusalResponse(refusal, reason);
  }
}
