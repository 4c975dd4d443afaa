import type { Parts } from '../heap/definition.ts';
import type { ClientTls } from '../heap/tls.ts';
import type { Connect, Protocol } from '../http/connect.ts';
import { Destinations, type DestinationsOptions } from '../http/destinations.ts';
import type { Exchange, Next } from '../http/exchange.ts';
import { gatewaysIn } from '../http/forwarding.ts';
import { type Refusal, refusals } from '../http/refusal.ts';
import { type Response, refusalResponse } from '../http/response.ts';
import { tlsConnect } from '../tls/tls-connect.ts';
import { asksForWebSocket, openWebSocket } from '../websocket/open.ts';
import { handlerTls, webSocketTls } from './backend-tls.ts';
import type { BackendWays } from './backend-ways.ts';
import { offeredProtocols, withoutTls, withTls } from './http-version.ts';
import type { SenderConfig } from './sender-fields.ts';
import { milliseconds } from './timeout.ts';
import { backendOptionsOf } from './vertx-client-options.ts';
import { backendWebSockets } from './websocket-fields.ts';

/** Gateways that a request may have come through; more are a circle. */
const MOST_GATEWAYS = 5;

/** Sends each request to the host and port of its URI, once. A failure to get an answer is answered, never thrown. */
export function forwarder(config: SenderConfig, parts: Parts, ways: BackendWays): Next {
  const { websocket } = config;
  const options: DestinationsOptions = {
    connections: config.connections,
    waitTimeout: milliseconds(config.connectionTimeout),
    connectTimeout: milliseconds(config.connectionTimeout),
    responseTimeout: milliseconds(config.soTimeout),
    timeToLive: milliseconds(config.connectionTimeToLive),
    connect: parts.plane.connect,
    mayReach: (address, port) => parts.plane.mayReach(address, port),
    finishes: !config.propagateDisconnection,
    ...backendOptionsOf(config.vertx),
    ...(config.disableReuseConnection && { reuse: false }),
    ...(config.waitQueueSize !== undefined && { waiting: config.waitQueueSize }),
  };
  const plain = new Destinations({ ...options, ...withoutTls(config, parts.plane.connect), each: ways.plain });
  parts.onClose(() => plain.close());
  const tls = handlerTls(config, parts);
  const secure = new Destinations({
    ...options,
    ...withTls(config, tls),
    each: securely(tls, offeredProtocols(config, tls)),
  });
  parts.onClose(() => secure.close());
  const webSockets = backendWebSockets(websocket, config.soTimeout);
  const upgradingOptions: DestinationsOptions = {
    ...options,
    connectTimeout: milliseconds(websocket.connectionTimeout ?? config.connectionTimeout),
    responseTimeout: webSockets.silence,
    upgrades: ['websocket'],
    ...backendOptionsOf(websocket.vertx),
    http2: 'never',
  };
  const upgrading = new Destinations({
    ...upgradingOptions,
    each: (host, port) => ways.straight('http', host, port),
  });
  parts.onClose(() => upgrading.close());
  const upgradingTls = webSocketTls(config, parts, tls);
  const secureUpgrading = new Destinations({
    ...upgradingOptions,
    ...withTls(config, upgradingTls),
    http2: 'never',
    each: securely(upgradingTls, ['http/1.1']),
  });
  parts.onClose(() => secureUpgrading.close());

  return function forward(exchange) {
    const { request } = exchange;
    const { uri } = request;
    const { host } = uri;
    const isSecure = uri.scheme === 'https' || uri.scheme === 'wss';
    if (!isSecure && uri.scheme !== 'http' && uri.scheme !== 'ws') return refused('backend-scheme', exchange);
    if (host === '') return refused('backend-unnamed', exchange);
    if (request.headers.has('via') && gatewaysIn(request.headers) >= MOST_GATEWAYS) {
      return refused('loop', exchange);
    }
    const upgrade = websocket.enabled && asksForWebSocket(exchange);
    const unsecured = upgrade ? upgrading : plain;
    const secured = upgrade ? secureUpgrading : secure;
    const backend = (isSecure ? secured : unsecured).find(host, uri.port);
    if (backend === null) return refused('backend-limit', exchange);
    if (!upgrade) return backend.handle(exchange);
    return openWebSocket(exchange, backend.handle, webSockets, (reason) =>
      ways.failed('backend-websocket', uri.authority, reason),
    );
  };

  /** How each backend is spoken to over TLS, in a tunnel where a proxy leads to it. */
  function securely(options: ClientTls, protocols: readonly Protocol[]): NonNullable<DestinationsOptions['each']> {
    const by = (host: string, offered: readonly Protocol[]) => (under: Connect) =>
      tlsConnect(options, host, offered, under);
    return (host, port) => {
      const http1 = protocols.includes('h2') ? by(host, ['http/1.1']) : null;
      return ways.straight('https', host, port, by(host, protocols), http1);
    };
  }

  function refused(refusal: Refusal, exchange: Exchange): Response {
    const { scheme, authority } = exchange.request.uri;
    const { reason } = refusals[refusal];
    ways.failed(refusal, refusal === 'backend-scheme' ? scheme : authority, reason);
    return refusalResponse(refusal, reason);
  }
}
