import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { Protocol } from '../engine/wire/connect.ts';
import type { HandshakeFault, HandshakeOwner } from '../engine/wire/secure-transport.ts';
import { SocketWire } from '../engine/wire/socket-wire.ts';
import { agreedProtocol } from './options/alpn.ts';
import { type ClientAuth, clientRefusal } from './options/client-authentication.ts';
import type { ServerContexts } from './server-contexts.ts';
import { clientFault } from './tls-faults.ts';
import { verifiedChain } from './verified-chain.ts';

/** A handshake with one client by public calls alone. @returns what ends it at once. */
export function beginPublicHandshake(
  socket: Socket,
  early: Buffer | null,
  contexts: ServerContexts,
  auth: ClientAuth,
  alpn: readonly Protocol[] | null,
  owner: HandshakeOwner,
): () => void {
  let isOver = false;
  const server = serverOf(contexts, auth, alpn);
  const stop = (): void => {
    if (isOver) return;
    isOver = true;
    socket.destroy();
  };
  const fail = (fault: HandshakeFault, detail: string): void => {
    if (isOver) return;
    stop();
    owner.unsecured(fault, detail);
  };
  server.once('tlsClientError', (error) => {
    if ((error as { readonly code?: unknown }).code === 'ECONNRESET')
      fail('closed', 'the client closed the connection');
    else {
      const { fault, detail } = clientFault(error);
      fail(fault, detail);
    }
  });
  server.once('secureConnection', (secure) => {
    if (isOver) return;
    const { trust } = contexts;
    const shown = auth === 'NONE' ? [] : chainOf(secure);
    const refusal = clientRefusal(auth, trust?.everything ?? false, {
      certificates: shown,
      error: secure.authorized ? null : String(secure.authorizationError),
      isResumed: secure.isSessionReused(),
    });
    if (refusal !== null) {
      fail(refusal.fault, refusal.detail);
      return;
    }
    isOver = true;
    socket.allowHalfOpen = secure.allowHalfOpen = true;
    const protocol = agreedProtocol(secure.alpnProtocol);
    const certificates = verifiedChain(shown, trust);
    const serverName = secure.servername || null;
    owner.secured({ wire: new SocketWire(secure, owner), protocol, certificates, serverName, choice: contexts });
  });
  if (early !== null && early.length > 0) socket.unshift(early);
  socket.allowHalfOpen = false; // who leaves before the handshake is over is gone
  server.emit('connection', socket);
  return stop;
}

/** A server that listens nowhere: it shakes hands with one client. */
function serverOf(contexts: ServerContexts, auth: ClientAuth, alpn: readonly Protocol[] | null): Server {
  return contexts.withStandardOptions((options) =>
    createServer({
      ...options,
      requestCert: auth !== 'NONE',
      rejectUnauthorized: false, // it is judged by us
      // a context that takes the place of the first one shows only one of its keys
      SNICallback: (name, done) => done(null, contexts.isStandard(name) ? undefined : contexts.named(name)),
      ...(alpn === null ? {} : { ALPNProtocols: [...alpn] }),
    }),
  );
}

function chainOf(secure: TLSSocket): readonly X509Certificate[] {
  const chain: X509Certificate[] = [];
  let one = secure.getPeerX509Certificate();
  while (one !== undefined && chain.length < 10) {
    if (chain.length === 0 || !one.checkIssued(one)) chain.push(one);
    one = one.issuerCertificate;
  }
  return Object.freeze(chain);
}
