import { X509Certificate } from 'node:crypto';
import type { PeerCertificate, TlsHandle } from './native-tls.ts';

/** Longer chains are nobody's. */
const MOST = 10;

/** The certificate at the other end, or null when it showed none. */
export function peerCertificate(handle: TlsHandle): X509Certificate | null {
  const raw = handle.getPeerCertificate(false)?.raw;
  return raw === undefined ? null : new X509Certificate(raw);
}

/** The chain at the other end, its own certificate first and without the authority at its root. */
export function peerCertificates(handle: TlsHandle): readonly X509Certificate[] {
  const chain: X509Certificate[] = [];
  let one: PeerCertificate | undefined = handle.getPeerCertificate(true);
  while (one?.raw !== undefined && chain.length < MOST) {
    const isRoot = one.issuerCertificate === one || one.issuerCertificate === undefined;
    const certificate = new X509Certificate(one.raw);
    if (chain.length === 0 || !certificate.checkIssued(certificate)) chain.push(certificate);
    if (isRoot) break;
    one = one.issuerCertificate;
  }
  return Object.freeze(chain);
}
