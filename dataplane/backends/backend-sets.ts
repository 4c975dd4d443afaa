import { isIP } from 'node:net';
import type { MayReach } from '../../contract/egress.ts';
import { Destinations, type DestinationsOptions } from '../engine/backend/destinations.ts';
import { Resolver } from '../engine/backend/resolver.ts';
import type { BackendWebSockets } from '../engine/websocket/open.ts';
import type { Connect, Protocol } from '../engine/wire/connect.ts';
import type { Parts } from '../heap/definition.ts';
import type { ClientTls } from '../heap/objects/tls.ts';
import { tlsConnect } from '../tls/tls-connect.ts';
import { handlerTls, webSocketTls } from './backend-tls.ts';
import type { BackendWays } from './backend-ways.ts';
import { offeredProtocols, withoutTls, withTls } from './http-version.ts';
import type { SenderConfig } from './sender-fields.ts';
import { milliseconds } from './timeout.ts';
import { backendOptionsOf } from './vertx-client-options.ts';

/** The backends of one handler, by how they are spoken to. */
export interface BackendSet {
  readonly plain: Destinations;
  readonly secure: Destinations;
  readonly upgrading: Destinations;
  readonly secureUpgrading: Destinations;
}

/** Makes something for each egress check that the requests of a handler are held to, when the first of them comes. */
export function forEachEgress<T>(
  { mayReach, egress: ofTenant }: Parts['plane'],
  make: (mayReach: MayReach, isTenant: boolean) => T,
): (egress: MayReach | null) => T {
  const own = make(mayReach, ofTenant !== undefined);
  const others = new Map<MayReach, T>();
  return (egress) => {
    if (egress === null || egress === mayReach) return own;
    const known = others.get(egress);
    if (known !== undefined) return known;
    const made = make((address, port) => mayReach(address, port) && egress(address, port), true);
    others.set(egress, made);
    return made;
  };
}

/** Creates sets of backends for a handler. Connections opened under one egress check never serve another. */
export function backendSets(
  config: SenderConfig,
  parts: Parts,
  ways: BackendWays,
  webSockets: BackendWebSockets,
): (mayReach: MayReach, isTenant: boolean) => BackendSet {
  const { websocket } = config;
  const tls = handlerTls(config, parts);
  const upgradingTls = webSocketTls(config, parts, tls);

  return function backendSet(mayReach, isTenant) {
    const options: DestinationsOptions = {
      connections: config.connections,
      waitTimeout: milliseconds(config.connectionTimeout),
      connectTimeout: milliseconds(config.connectionTimeout),
      responseTimeout: milliseconds(config.soTimeout),
      timeToLive: milliseconds(config.connectionTimeToLive),
      connect: parts.plane.connect,
      mayReach,
      finishes: !config.propagateDisconnection,
      ...backendOptionsOf(config.vertx),
      ...(config.disableReuseConnection && { reuse: false }),
      ...(config.waitQueueSize !== undefined && { waiting: config.waitQueueSize }),
    };
    const upgradingOptions: DestinationsOptions = {
      ...options,
      connectTimeout: milliseconds(websocket.connectionTimeout ?? config.connectionTimeout),
      responseTimeout: webSockets.silence,
      upgrades: ['websocket'],
      ...backendOptionsOf(websocket.vertx),
      http2: 'never',
    };
    return {
      plain: opened({ ...options, ...withoutTls(config, parts.plane.connect), each: ways.plain }),
      secure: opened({ ...options, ...withTls(config, tls), each: securely(tls, offeredProtocols(config, tls)) }),
      upgrading: opened({ ...upgradingOptions, each: (host, port) => ways.straight('http', host, port) }),
      secureUpgrading: opened({
        ...upgradingOptions,
        ...withTls(config, upgradingTls),
        http2: 'never',
        each: securely(upgradingTls, ['http/1.1']),
      }),
    };

    function opened(all: DestinationsOptions & Required<Pick<DestinationsOptions, 'each'>>): Destinations {
      const destinations = new Destinations({ ...all, each: judged(all.each, mayReach, isTenant) });
      parts.onClose(() => destinations.close());
      return destinations;
    }
  };

  /** How each backend is spoken to over TLS, in a tunnel where a proxy leads to it. */
  function securely(options: ClientTls, protocols: readonly Protocol[]): NonNullable<DestinationsOptions['each']> {
    const by = (name: string, offered: readonly Protocol[]) => (under: Connect) =>
      tlsConnect(options, name, offered, under);
    return (host, port, serverName = host) => {
      const http1 = protocols.includes('h2') ? by(serverName, ['http/1.1']) : null;
      return ways.straight('https', host, port, by(serverName, protocols), http1);
    };
  }
}

/**
 * A proxy resolves names by itself. An address is judged all the same, and of tenants every address that the name has
 * here: a proxy of the cluster resolves names as we do. A name that has none here is left to the proxy.
 */
function judged(
  each: NonNullable<DestinationsOptions['each']>,
  mayReach: MayReach,
  isTenant: boolean,
): NonNullable<DestinationsOptions['each']> {
  return (host, port, serverName) => {
    const made = each(host, port, serverName);
    const isProxied = made.via !== undefined && made.via !== null;
    if (!isProxied) return made;
    if (isIP(host) !== 0) return { ...made, mayReach: (proxy, at) => mayReach(proxy, at) && mayReach(host, port) };
    if (!isTenant) return made;
    const names = new Resolver(host);
    const mayAsk = async (): Promise<boolean> =>
      (await names.resolve().catch(() => [])).every((address) => mayReach(address, port));
    return { ...made, mayAsk };
  };
}
