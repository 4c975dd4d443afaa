import { type Connect, type ConnectResult, connectWire, type Protocol } from '../engine/wire/connect.ts';
import { RawWire } from '../engine/wire/raw-wire.ts';
import type { Wire, WireOwner } from '../engine/wire/wire.ts';
import type { ClientCredentials, ClientTls } from '../heap/objects/tls.ts';
import { type TlsHandle, wrapInTls } from './native-tls.ts';
import { agreedProtocol, alpnList } from './options/alpn.ts';
import { peerCertificate } from './peer-certificates.ts';
import { publicTlsConnect } from './public-tls-connect.ts';
import { type Peer, SecureBackend, unready } from './secure-backend.ts';
import { backendFault } from './tls-faults.ts';
import { type HandshakeParty, TlsWire } from './tls-wire.ts';
import { UnreadyOwner } from './unready-owner.ts';

/**
 * Connects over TLS to backends of this host, on connections that `under` makes. `protocols` are offered by ALPN, the
 * preferred one first; none are offered where the options say so. Later connections resume the session of earlier ones.
 */
export function tlsConnect(
  tls: ClientTls,
  host: string,
  protocols: readonly Protocol[],
  under: Connect = connectWire,
): Connect {
  const backend = new SecureBackend(tls, host, protocols);
  return (to, owner, done) => {
    if (wrapInTls() === null) return publicTlsConnect(backend, under, to, owner, done);
    const handshake = new ClientHandshake(backend, owner, done);
    const inner = under(to, new UnreadyOwner(() => handshake.left()), (result) => {
      if (typeof result === 'string') void handshake.secure(inner);
      else handshake.fail(result);
    });
    handshake.wire.startsOn(inner);
    return handshake.wire;
  };
}

/** One connection to a backend, until it is known to be the right one. */
class ClientHandshake implements HandshakeParty {
  readonly wire: TlsWire;
  private readonly backend: SecureBackend;
  private readonly done: (result: ConnectResult) => void;
  private handle: TlsHandle | null = null;
  private credentials: ClientCredentials | null = null;
  private isOver = false;
  /** The backend was judged, and is the right one. */
  private isRight = false;
  /** A session that came before the backend was known to be the right one. */
  private early: Buffer | null = null;

  constructor(backend: SecureBackend, owner: WireOwner, done: (result: ConnectResult) => void) {
    this.backend = backend;
    this.done = done;
    this.wire = new TlsWire(owner, this, true);
  }

  /** The connection is there: shakes hands as soon as there are credentials. */
  async secure(inner: Wire): Promise<void> {
    try {
      const credentials = this.backend.tls.credentials();
      this.credentials = credentials instanceof Promise ? await credentials : credentials;
    } catch (error) {
      this.refuse(unready(error));
      return;
    }
    if (this.isOver || this.wire.isGone) return;
    if (!(inner instanceof RawWire)) throw new Error('there is no TLS on such a connection');
    const under = inner.detach();
    const handle = wrapInTls()!(under, this.credentials.context, false);
    const { alpn, servername } = this.backend;
    const session = this.backend.sessionWith(this.credentials);
    this.handle = handle;
    handle.setVerifyMode(true, true);
    if (alpn !== null) handle.setALPNProtocols(alpnList(alpn));
    if (servername !== null) handle.setServername(servername);
    if (session !== null) handle.setSession(session);
    handle.enableSessionCallbacks();
    this.wire.begin(handle, under, null);
    handle.start();
  }

  agreed(): void {
    const handle = this.handle!;
    const fault = this.isOver ? null : this.backend.faultOf(peerOf(handle), this.credentials!);
    if (this.isOver) return;
    if (fault !== null) {
      this.refuse(fault);
      return;
    }
    this.isOver = this.isRight = true;
    if (this.early !== null) this.resumable(this.early);
    this.wire.opened();
    this.done(agreedProtocol(handle.getALPNNegotiatedProtocol()));
  }

  disagreed(error: Error): void {
    this.refuse(backendFault(error));
  }

  left(): void {
    this.refuse('the connection was closed during the handshake');
  }

  resumable(session: Buffer): void {
    if (!this.isOver) this.early = session;
    else if (this.isRight) this.backend.keep(this.credentials!, session); // the names of who resumes it are not looked at again
  }

  private refuse(reason: string): void {
    this.fail({ refusal: 'backend-tls', reason });
  }

  fail(result: ConnectResult): void {
    if (this.isOver) return;
    this.isOver = true;
    this.wire.destroy();
    this.done(result);
  }
}

function peerOf(handle: TlsHandle): Peer {
  const error = handle.verifyError();
  return {
    isResumed: handle.isSessionReused(),
    error: error === null ? null : (error.code ?? error.message),
    certificate: () => peerCertificate(handle),
  };
}
