import type { Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import type { Connect, ConnectResult } from '../engine/wire/connect.ts';
import { SocketWire } from '../engine/wire/socket-wire.ts';
import type { Wire, WireOwner } from '../engine/wire/wire.ts';
import type { ClientCredentials } from '../heap/objects/tls.ts';
import { agreedProtocol } from './options/alpn.ts';
import { type SecureBackend, unready } from './secure-backend.ts';
import { alertOf, backendFault } from './tls-faults.ts';
import { UnreadyOwner } from './unready-owner.ts';

const CLOSED = 'the connection was closed during the handshake';

/** Implements `tlsConnect` with public calls only. Nothing may be sent before `done` gets a protocol. */
export function publicTlsConnect(
  backend: SecureBackend,
  under: Connect,
  to: Parameters<Connect>[0],
  owner: WireOwner,
  done: (result: ConnectResult) => void,
): Wire {
  let isOver = false;
  let isRight = false;
  const finish = (result: ConnectResult): void => {
    if (isOver) return;
    isOver = true;
    if (typeof result !== 'string') wire.destroy();
    done(result);
  };
  const refuse = (reason: string): void => finish({ refusal: 'backend-tls', reason });
  const unreadyOwner = new UnreadyOwner(() => refuse(CLOSED));
  const wire = under(to, unreadyOwner, (result) => {
    if (typeof result === 'string') void secure();
    else finish(result);
  });
  return wire;

  async function secure(): Promise<void> {
    let credentials: ClientCredentials;
    try {
      credentials = await backend.tls.credentials();
    } catch (error) {
      refuse(unready(error));
      return;
    }
    if (isOver) return;
    if (!(wire instanceof SocketWire)) throw new Error('there is no TLS on such a connection');
    wire.replace((socket) => secured(socket, credentials));
  }

  function secured(socket: Socket, credentials: ClientCredentials): Socket {
    const { alpn, servername } = backend;
    const session = backend.sessionWith(credentials);
    const secure = connect({
      socket,
      secureContext: credentials.context,
      rejectUnauthorized: false, // it is judged below
      ...(alpn === null ? {} : { ALPNProtocols: [...alpn] }),
      ...(servername === null ? {} : { servername }),
      ...(session === null ? {} : { session }),
      checkServerIdentity: () => undefined,
    });
    secure.once('error', (error: Error & { readonly syscall?: string; readonly reason?: string }) => {
      if (isRight) wire.alert = alertOf(error);
      else refuse(error.reason === undefined ? CLOSED : backendFault(error));
    });
    secure.once('secureConnect', () => judge(secure, credentials));
    secure.on('session', (bytes) => {
      if (isRight) backend.keep(credentials, bytes); // the names of who resumes it are not looked at again
    });
    return secure;
  }

  function judge(secure: TLSSocket, credentials: ClientCredentials): void {
    const { authorizationError } = secure as { readonly authorizationError: unknown };
    const fault = backend.faultOf(
      {
        isResumed: secure.isSessionReused(),
        error: secure.authorized ? null : String(authorizationError),
        certificate: () => secure.getPeerX509Certificate() ?? null,
      },
      credentials,
    );
    if (fault !== null) {
      refuse(fault);
      return;
    }
    if (isOver) return;
    isRight = true;
    wire.owner = owner;
    finish(agreedProtocol(secure.alpnProtocol));
  }
}
