import type { Backend } from '../../engine/backend/backend.ts';
import type { Exchange, Next } from '../../engine/message/exchange.ts';
import { type Refusal, refusals } from '../../engine/message/refusal.ts';
import { mapResponse } from '../../engine/message/reply.ts';
import { type Response, refusalResponse } from '../../engine/message/response.ts';
import { asksForWebSocket, openWebSocket } from '../../engine/websocket/open.ts';
import type { Parts } from '../../heap/definition.ts';
import type { BackendEndpoint, Backends } from '../../heap/objects/backends.ts';
import { backendSets, forEachEgress } from '../backend-sets.ts';
import type { BackendWays } from '../backend-ways.ts';
import { hasComeRound } from '../gateway-loop.ts';
import type { SenderConfig } from '../sender-fields.ts';
import { backendWebSockets } from '../websocket-fields.ts';
import { countedTunnel } from './counted-tunnel.ts';
import { EndpointPools } from './endpoint-pools.ts';

/** Ways of a request to the endpoints. */
export interface EndpointForwarder {
  readonly forward: Next;
  /** For a request whose last attempt failed: another endpoint may answer it. */
  readonly forwardAgain: Next;
}

/** Sends each request to one of the endpoints. A failure to get an answer is answered, never thrown. */
export function endpointForwarder(
  config: SenderConfig,
  backends: Backends,
  parts: Parts,
  ways: BackendWays,
): EndpointForwarder {
  const { websocket } = config;
  const { affinity } = backends;
  const webSockets = backendWebSockets(websocket, config.soTimeout);
  const setOf = backendSets(config, parts, ways, webSockets);
  // a tenant chooses timeouts and trust of its handler: they must not eject endpoints that others use
  const judges = parts.plane.egress === undefined || backends.isOfTenant;
  const poolsFor = forEachEgress(parts.plane, (mayReach, isTenant) => {
    const pools = new EndpointPools(backends, setOf(mayReach, isTenant), ways.moved, judges);
    parts.onClose(() => pools.close());
    return pools;
  });

  return {
    forward: (exchange) => forward(exchange, false),
    forwardAgain: (exchange) => forward(exchange, true),
  };

  function forward(exchange: Exchange, isRetry: boolean): ReturnType<Next> {
    if (hasComeRound(exchange)) return refused('loop', exchange, refusals.loop.reason);
    const endpoint = backends.choose(exchange, isRetry);
    return endpoint === null ? forwardLater(exchange, isRetry) : send(exchange, endpoint);
  }

  async function forwardLater(exchange: Exchange, isRetry: boolean): Promise<Response> {
    const reason = await backends.known();
    const endpoint = backends.choose(exchange, isRetry);
    return endpoint === null
      ? refused('backend-address', exchange, reason ?? refusals['backend-address'].reason)
      : send(exchange, endpoint);
  }

  function send(exchange: Exchange, endpoint: BackendEndpoint): ReturnType<Next> {
    const { request } = exchange;
    request.uri.rebase(endpoint.base);
    const upgrades = websocket.enabled && asksForWebSocket(exchange);
    const backend = poolsFor(exchange.egress).at(endpoint, upgrades);
    const answer = upgrades ? open(exchange, backend) : backend.handle(exchange);
    return affinity === null ? answer : mapResponse(answer, exchange, affinity);
  }

  function open(exchange: Exchange, backend: Backend): ReturnType<Next> {
    const answer = openWebSocket(exchange, backend.handle, webSockets, (reason) =>
      ways.failed('backend-websocket', exchange.request.uri.authority, reason),
    );
    return mapResponse(answer, exchange, (response) => {
      const { upgraded } = response;
      const owner = upgraded === null ? undefined : poolsFor(exchange.egress).ownerOf(exchange.backend);
      if (upgraded !== null && owner !== undefined) response.upgraded = countedTunnel(upgraded, owner.tunnelled());
      return response;
    });
  }

  function refused(refusal: Refusal, { request }: Exchange, reason: string): Response {
    ways.failed(refusal, request.uri.authority, reason);
    return refusalResponse(refusal, reason);
  }
}
