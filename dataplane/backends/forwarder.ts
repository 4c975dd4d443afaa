import type { Parts } from '../heap/definition.ts';
import { Destinations, type DestinationsOptions } from '../http/destinations.ts';
import type { Exchange, Next } from '../http/exchange.ts';
import { DEFAULT_FORWARDING } from '../http/forwarding.ts';
import type { Headers } from '../http/headers.ts';
import type { Refusal } from '../http/refusal.ts';
import { mapResponse } from '../http/reply.ts';
import { type Response, refusalResponse } from '../http/response.ts';
import type { SenderConfig } from './sender-fields.ts';
import { milliseconds } from './timeout.ts';

/** Gateways that a request may have come through; more are a circle. */
const MOST_GATEWAYS = 5;

/** Sends each request to the host and port of its URI, once. A failure to get an answer is answered, never thrown. */
export function forwarder(config: SenderConfig, parts: Parts): Next {
  const { websocket } = config;
  const warn = warnings(parts);
  const options: DestinationsOptions = {
    connections: config.connections,
    waiting: config.waitQueueSize,
    waitTimeout: milliseconds(config.connectionTimeout),
    connectTimeout: milliseconds(config.connectionTimeout),
    responseTimeout: milliseconds(config.soTimeout),
    timeToLive: milliseconds(config.connectionTimeToLive),
    reuse: !config.disableReuseConnection,
    connect: parts.plane.connect,
    mayReach(address, port, host) {
      if (parts.plane.mayReach(address, port)) return true;
      warn('backend-egress', `${host}:${port}`);
      return false;
    },
  };
  const plain = new Destinations(options);
  parts.onClose(() => plain.close());
  const silence = milliseconds(websocket.soTimeout ?? config.soTimeout);
  const upgrading = new Destinations({
    ...options,
    connectTimeout: milliseconds(websocket.connectionTimeout ?? config.connectionTimeout),
    responseTimeout: silence,
    upgrades: ['websocket'],
  });
  parts.onClose(() => upgrading.close());
  const closeWhenSilent = (response: Response): Response => limitSilence(response, silence);

  return function forward(exchange) {
    const { request } = exchange;
    const { uri } = request;
    const { host } = uri;
    if (uri.scheme !== 'http') return refused('backend-scheme', exchange);
    if (host === '') return refused('backend-unnamed', exchange);
    if (request.headers.has('via') && circles(request.headers)) return refused('loop', exchange);
    const upgrade = websocket.enabled && request.upgrade !== null;
    const backend = (upgrade ? upgrading : plain).find(host, uri.port);
    if (backend === null) return refused('backend-limit', exchange);
    return upgrade ? mapResponse(backend.handle(exchange), exchange, closeWhenSilent) : backend.handle(exchange);
  };

  function refused(refusal: Refusal, exchange: Exchange): Response {
    const { scheme, authority } = exchange.request.uri;
    warn(refusal, refusal === 'backend-scheme' ? scheme : authority);
    return refusalResponse(refusal);
  }
}

/** What an operator should do about requests that cannot be sent on. */
const ADVICE: Partial<Record<Refusal, string>> = {
  'backend-scheme': 'only http:// backends can be reached in this version',
  'backend-unnamed': 'requests without a Host header need a baseURI',
  'backend-egress': 'the request would come back to this gateway: give the route a baseURI',
  'backend-limit': 'there are too many backends at a time: give the route a baseURI',
  loop: 'requests go round in a circle: check the baseURI of the route',
};

/** Writes each kind of refusal to the log when it happens first; clients could make it happen at will. */
function warnings({ log }: Parts): (refusal: Refusal, backend: string) => void {
  const said = new Set<Refusal>();
  return (refusal, backend) => {
    if (said.has(refusal)) return;
    said.add(refusal);
    log.warn({ refusal, backend }, ADVICE[refusal] ?? 'a request cannot be sent on');
  };
}

/** Every gateway adds its name to Via, so a request that comes round again has it many times. */
function circles(headers: Headers): boolean {
  const name = ` ${DEFAULT_FORWARDING.via}`;
  const gateways = (headers.get('via') ?? '').split(',').filter((hop) => hop.trimEnd().endsWith(name));
  return gateways.length >= MOST_GATEWAYS;
}

/** Ends the tunnel that the client is about to join when nothing passes for this long; 0 for as the listener says. */
function limitSilence(response: Response, silence: number): Response {
  const peer = response.upgraded;
  if (peer === null || silence === 0) return response;
  response.upgraded = {
    join: (client, early, ended, limit, over) =>
      peer.join(client, early, ended, limit === 0 ? silence : Math.min(limit, silence), over),
    abandon: () => peer.abandon(),
  };
  return response;
}
