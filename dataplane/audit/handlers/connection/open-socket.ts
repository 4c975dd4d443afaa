import { lookup } from 'node:dns';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { MayReach } from '../../../../contract/egress.ts';
import { errorText } from '../../../../platform/error-text.ts';
import type { PortableTls } from '../../../heap/objects/tls.ts';
import { certifiedNames, isFor } from '../../../tls/host-name.ts';
import { portableContext } from '../../../tls/portable-tls.ts';
import { backendFault, certificateFault, nameFault } from '../../../tls/tls-faults.ts';

/** Where a sink connects to, and how. */
export interface SocketTarget {
  readonly host: string;
  readonly port: number;
  /** Null for a connection without TLS. */
  readonly tls: PortableTls | null;
  /** How long connecting may take, with TLS, in milliseconds. */
  readonly timeout: number;
  readonly mayReach: MayReach;
}

/**
 * Opens a connection, ready to be written to: with TLS, after the certificate has been verified. The egress rule is
 * applied to the very addresses that are connected to, so that a name cannot change its meaning in between.
 */
export function openSocket(target: SocketTarget): Promise<Socket> {
  const { host, port, tls, timeout } = target;
  const place = `${host}:${port}`;
  return new Promise((resolve, reject) => {
    if (isIP(host) !== 0 && !target.mayReach(host, port)) {
      reject(new Error(notAllowed(host, port)));
      return;
    }
    const options = { host, port, lookup: checkedLookup(target.mayReach, port) };
    const socket = tls === null ? connect(options) : secureSocket(tls, options);
    const timer = setTimeout(() => fail(new Error(`connecting to ${place} took longer than ${timeout} ms`)), timeout);

    function fail(error: Error): void {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    }

    function onError(error: Error): void {
      fail(new Error(`connecting to ${place} failed: ${reasonOf(error)}`, { cause: error }));
    }

    function onClose(): void {
      fail(new Error(`${place} closed the connection while it was being opened`));
    }

    socket.once('error', onError);
    socket.once('close', onClose);
    socket.once(tls === null ? 'connect' : 'secureConnect', () => {
      const fault = tls === null ? null : faultOf(socket as TLSSocket, tls, host);
      if (fault !== null) {
        fail(new Error(`${place}: ${fault}`));
        return;
      }
      clearTimeout(timer);
      socket.off('error', onError);
      socket.off('close', onClose);
      socket.on('error', () => {}); // 'close' follows; without a listener, a reset before its owner listens ends the thread
      resolve(socket);
    });
  });
}

/** Looks a name up and leaves out the addresses that the egress rule does not allow. */
export function checkedLookup(mayReach: MayReach, port: number): LookupFunction {
  return (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      if (error !== null) {
        done(error, '');
        return;
      }
      const allowed = found.filter(({ address }) => mayReach(address, port));
      const [first] = allowed;
      if (first === undefined) done(new Error(notAllowed(host, port)), '');
      else if (options.all === true) done(null, allowed);
      else done(null, first.address, first.family);
    });
  };
}

/** Returns an address of a host that the egress rule allows. */
export function checkedAddress(host: string, port: number, mayReach: MayReach): Promise<string> {
  return new Promise((resolve, reject) => {
    checkedLookup(mayReach, port)(host, { all: true }, (error, found) => {
      if (error === null && typeof found !== 'string') resolve(found[0]!.address);
      else reject(new Error(`looking up ${host} failed: ${errorText(error)}`));
    });
  });
}

function notAllowed(host: string, port: number): string {
  return `the address of ${host}:${port} is not allowed (egress rule)`;
}

function secureSocket(tls: PortableTls, options: { host: string; port: number; lookup: LookupFunction }): TLSSocket {
  return connectTls({
    ...options,
    secureContext: portableContext(tls),
    ...(isIP(options.host) === 0 ? { servername: options.host.replace(/\.$/, '') } : {}),
    rejectUnauthorized: false, // faultOf judges it
    checkServerIdentity: () => undefined,
  });
}

/** Returns what is wrong with the certificate of the other end, or null. */
function faultOf(socket: TLSSocket, { trustsAll, checksNames }: PortableTls, host: string): string | null {
  const shown = socket.getPeerX509Certificate() ?? null;
  const { authorizationError } = socket as { readonly authorizationError: unknown };
  if (!socket.authorized && !trustsAll) return certificateFault(String(authorizationError), shown);
  if (!checksNames) return null;
  if (shown === null) return 'the server sent no certificate';
  const names = certifiedNames(shown);
  return isFor(names, host) ? null : nameFault(host, names);
}

function reasonOf(error: Error): string {
  if ('reason' in error) return backendFault(error);
  if (error instanceof AggregateError && error.errors.length > 0) return errorText(error.errors[0]);
  return errorText(error);
}
