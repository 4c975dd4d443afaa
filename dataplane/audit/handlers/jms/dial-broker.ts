import type { Socket } from 'node:net';
import type { MayReach } from '../../../../contract/egress.ts';
import { errorText } from '../../../../platform/error-text.ts';
import type { PortableTls } from '../../../heap/objects/tls.ts';
import { platformTls } from '../../../tls/portable-tls.ts';
import { openSocket } from '../connection/open-socket.ts';
import type { BrokerConnection } from './broker-connection.ts';
import type { BrokerAddress, BrokerSettings } from './broker-settings.ts';

export interface DialOptions {
  readonly settings: BrokerSettings;
  /** Null for the CA certificates of the platform. */
  readonly tls: PortableTls | null;
  readonly mayReach: MayReach;
  /** Registers as a producer over an open socket. */
  register(socket: Socket, address: BrokerAddress): Promise<BrokerConnection>;
}

/** An open connection and the broker that it leads to. */
export interface Dialled {
  readonly connection: BrokerConnection;
  readonly address: BrokerAddress;
}

/** Connects to the first broker of the list that accepts. @throws Error with the reason of each */
export async function dialBroker(options: DialOptions): Promise<Dialled> {
  const { settings, tls, mayReach, register } = options;
  const reasons: string[] = [];
  for (const address of tryOrder(settings)) {
    const { host, port, isSecure, connectTimeout } = address;
    let socket: Socket | null = null;
    try {
      const socketTls = isSecure ? tlsFor(address, tls ?? platformTls()) : null;
      socket = await openSocket({ host, port, tls: socketTls, timeout: connectTimeout, mayReach });
      socket.setNoDelay(address.noDelay);
      socket.setKeepAlive(address.keepAlive);
      return { connection: await register(socket, address), address };
    } catch (error) {
      socket?.destroy();
      const reason = errorText(error);
      reasons.push(reason.includes(`${host}:${port}`) ? reason : `${host}:${port}: ${reason}`);
    }
  }
  throw new Error(reasons.join('; '));
}

/** Preferred brokers first, each group in random order where the URL allows that. */
function tryOrder({ addresses, randomize }: BrokerSettings): readonly BrokerAddress[] {
  const preferred = addresses.filter(({ isPreferred }) => isPreferred);
  const others = addresses.filter(({ isPreferred }) => !isPreferred);
  return randomize ? [...shuffled(preferred), ...shuffled(others)] : [...preferred, ...others];
}

function shuffled<T>(list: readonly T[]): T[] {
  const result = [...list];
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1));
    [result[last], result[other]] = [result[other]!, result[last]!];
  }
  return result;
}

/** TLS options of the handler with those of the URL, which count for this address. */
function tlsFor({ versions, ciphers, checksNames, trustsAll }: BrokerAddress, tls: PortableTls): PortableTls {
  return {
    ...tls,
    ...(versions === null ? {} : { minVersion: versions[0]!, maxVersion: versions.at(-1)! }),
    ...(ciphers === null ? {} : { ciphers: ciphers.join(':') }),
    checksNames: checksNames ?? tls.checksNames,
    trustsAll: trustsAll || tls.trustsAll,
  };
}
