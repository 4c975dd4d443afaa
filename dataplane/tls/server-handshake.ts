import type { X509Certificate } from 'node:crypto';
import type { NativeHandle } from '../engine/wire/native-handle.ts';
import type { HandshakeFault, HandshakeOwner } from '../engine/wire/secure-transport.ts';
import { chooseContext, type TlsHandle, wrapInTls } from './native-tls.ts';
import { agreedProtocol } from './options/alpn.ts';
import { type ClientAuth, clientRefusal } from './options/client-authentication.ts';
import { peerCertificates } from './peer-certificates.ts';
import type { ServerContexts } from './server-contexts.ts';
import { clientFault } from './tls-faults.ts';
import { type HandshakeParty, TlsWire } from './tls-wire.ts';
import { verifiedChain } from './verified-chain.ts';

const NOBODY: readonly X509Certificate[] = Object.freeze([]);

/** A handshake with one client. */
export class ServerHandshake implements HandshakeParty {
  private readonly wire: TlsWire;
  private readonly handle: TlsHandle;
  private readonly contexts: ServerContexts;
  private readonly auth: ClientAuth;
  private readonly owner: HandshakeOwner;
  private isOver = false;

  constructor(
    under: NativeHandle,
    contexts: ServerContexts,
    auth: ClientAuth,
    alpn: Buffer | null,
    owner: HandshakeOwner,
  ) {
    this.contexts = contexts;
    this.auth = auth;
    this.owner = owner;
    this.wire = new TlsWire(owner, this, false);
    this.handle = wrapInTls()!(under, contexts.standard, true);
    if (auth !== 'NONE') this.handle.setVerifyMode(true, auth === 'REQUIRED');
    if (contexts.hasNames) chooseContext(this.handle, (server) => contexts.named(server));
    if (alpn !== null) this.handle.setALPNProtocols(alpn);
  }

  begin(under: NativeHandle, early: Buffer | null): void {
    this.wire.begin(this.handle, under, early);
  }

  agreed(): void {
    if (this.isOver) return;
    const { handle, wire, auth } = this;
    const { contexts } = this;
    const { trust } = contexts;
    let certificates = NOBODY;
    if (auth !== 'NONE') {
      certificates = peerCertificates(handle);
      const error = certificates.length === 0 ? null : handle.verifyError();
      const refusal = clientRefusal(auth, trust?.everything ?? false, {
        certificates,
        error: error === null ? null : (error.code ?? error.message),
        isResumed: handle.isSessionReused(),
      });
      if (refusal !== null) {
        this.fail(refusal.fault, refusal.detail);
        return;
      }
      certificates = verifiedChain(certificates, trust);
    }
    this.isOver = true;
    wire.opened();
    const protocol = agreedProtocol(handle.getALPNNegotiatedProtocol());
    const serverName = handle.getServername() || null;
    this.owner.secured({ wire, protocol, certificates, serverName, choice: contexts });
  }

  disagreed(error: Error): void {
    const { fault, detail } = clientFault(error);
    this.fail(fault, detail);
  }

  left(): void {
    this.fail('closed', 'the client closed the connection');
  }

  resumable(): void {
    // clients keep their sessions
  }

  private fail(fault: HandshakeFault, detail: string): void {
    if (this.isOver) return;
    this.stop();
    this.owner.unsecured(fault, detail);
  }

  /** Ends it at once; the owner hears nothing. */
  readonly stop = (): void => {
    if (this.isOver) return;
    this.isOver = true;
    this.wire.destroy();
  };
}
