import { hash, type X509Certificate } from 'node:crypto';
import type { Exchange } from '../../engine/message/exchange.ts';

/** The context in which a filter says which certificate a client has shown to whoever ended TLS. */
const CONTEXT = 'certificateThumbprint';

interface ThumbprintContext {
  /** The SHA-256 of the certificate in base64url. */
  readonly value: string;
}

/** Certificates last as long as their connections, and are asked for with every request. */
const known = new WeakMap<X509Certificate, string>();

/** Thumbprint that tokens are bound to (`x5t#S256`): the SHA-256 of a certificate in DER, in base64url. */
export function thumbprintOfCertificate(certificate: X509Certificate): string {
  let thumbprint = known.get(certificate);
  if (thumbprint === undefined) {
    thumbprint = hash('sha256', certificate.raw, 'base64url');
    known.set(certificate, thumbprint);
  }
  return thumbprint;
}

/** Sets the certificate of the client for later objects; it overrides that of the connection. */
export function setShownThumbprint(exchange: Exchange, certificate: X509Certificate): void {
  const context: ThumbprintContext = Object.freeze({ value: thumbprintOfCertificate(certificate) });
  exchange.setContext(CONTEXT, context);
}

/** The thumbprint that a filter told of, or else of what the client proved at the TLS handshake; null without either. */
export function shownThumbprint(exchange: Exchange): string | null {
  const told = exchange.context(CONTEXT) as ThumbprintContext | null;
  if (told !== null) return told.value;
  const [own] = exchange.client.certificates;
  return own === undefined ? null : thumbprintOfCertificate(own);
}
