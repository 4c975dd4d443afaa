import type { SecureContext } from 'node:tls';
import {
  type NativeHandle,
  nativeBindings,
  type ShutdownRequest,
  type WriteRequest,
} from '../engine/wire/native-handle.ts';

/**
 * Node's TLS handle without the stream machinery around it: with it a request costs twice as much. This is not a public
 * interface, so it lives in this file alone, is probed before use, and where it is missing or has changed
 * `public-tls.ts` does the same with public calls.
 */
export interface TlsHandle {
  onread: (this: TlsHandle) => Uint8Array | undefined;
  onhandshakestart: (this: TlsHandle) => void;
  onhandshakedone: (this: TlsHandle) => void;
  onerror: (this: TlsHandle, error: Error) => void;
  /** For clients: what a later connection can resume. */
  onnewsession: (this: TlsHandle, id: Buffer, session: Buffer) => void;
  /** Bytes that are encrypted and not sent yet. */
  readonly writeQueueSize: number;
  start(): void;
  readStart(): number;
  readStop(): number;
  useUserBuffer(buffer: Uint8Array): void;
  writeBuffer(request: WriteRequest, bytes: Uint8Array): number;
  shutdown(request: ShutdownRequest): number;
  /** Takes bytes as if the connection had sent them. */
  receive(bytes: Uint8Array): void;
  destroySSL(): void;
  enableSessionCallbacks(): void;
  setALPNProtocols(list: Uint8Array): void;
  getALPNNegotiatedProtocol(): string | false | null;
  setServername(name: string): void;
  getServername(): string | false;
  setSession(session: Uint8Array): void;
  isSessionReused(): boolean;
  setVerifyMode(request: boolean, reject: boolean): void;
  verifyError(): (Error & { readonly code?: string }) | null;
  getPeerCertificate(withIssuers: boolean): PeerCertificate | undefined;
  /** The wire that owns this handle; set by us. */
  wire: unknown;
}

/** A certificate as the binding shows it; the last one of a chain is its own issuer. */
export interface PeerCertificate {
  readonly raw?: Buffer;
  readonly issuerCertificate?: PeerCertificate;
}

/** Puts TLS on a connected handle. */
export type WrapInTls = (under: NativeHandle, context: SecureContext, isServer: boolean) => TlsHandle;

const METHODS = [
  ...['start', 'readStart', 'readStop', 'useUserBuffer', 'writeBuffer', 'shutdown', 'receive', 'destroySSL'],
  ...['enableSessionCallbacks', 'setALPNProtocols', 'getALPNNegotiatedProtocol', 'getServername'],
  ...['setServername', 'setSession', 'isSessionReused', 'setVerifyMode', 'verifyError', 'getPeerCertificate'],
];

interface Binding {
  [name: string]: unknown;
}

/** @returns how to put TLS on a handle, or null where this Node does not have it as we know it. */
export function probeNativeTls(): WrapInTls | null {
  const binding = (process as unknown as { binding?: (name: string) => Binding }).binding;
  if (typeof binding !== 'function') return null;
  try {
    const { wrap, TLSWrap } = binding('tls_wrap');
    if (typeof wrap !== 'function' || typeof TLSWrap !== 'function') return null;
    for (const method of METHODS) if (typeof Reflect.get(TLSWrap.prototype, method) !== 'function') return null;
    const native = wrap as (under: NativeHandle, context: unknown, isServer: boolean, busy: boolean) => TlsHandle;
    return (under, context, isServer) => native(under, context.context, isServer, false);
  } catch {
    return null;
  }
}

/**
 * For servers: `choose` gets the name that a client asks for and gives the context that takes the place of the first
 * one, or null. The runtime reads this property while it reads the client's first message, and then the whole context
 * is another; its own way, a callback, would change only one of the keys.
 */
export function chooseContext(handle: TlsHandle, choose: (server: string) => SecureContext | null): void {
  Object.defineProperty(handle, 'sni_context', {
    configurable: true,
    get: () => {
      const server = handle.getServername();
      return typeof server === 'string' ? choose(server)?.context : undefined;
    },
  });
}

/**
 * Lets a context agree on protocols, which `chooseContext` needs of those that take the place of the first: the runtime
 * tells it only the context that a handle begins with. Which protocols they are, each handle knows for itself.
 */
export function enableAlpn(context: SecureContext, wrap: WrapInTls): void {
  const under = nativeBindings()!.newTcp();
  const handle = wrap(under, context, true);
  handle.setALPNProtocols(new Uint8Array());
  handle.destroySSL();
  under.close();
}

let known: WrapInTls | null | undefined;

/** How this thread puts TLS on handles; `GATEWARDEN_WIRES=public` turns it off. */
export function wrapInTls(): WrapInTls | null {
  if (known === undefined) known = process.env['GATEWARDEN_WIRES'] === 'public' ? null : probeNativeTls();
  return known;
}
