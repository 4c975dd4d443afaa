import type { X509Certificate } from 'node:crypto';
import type { Trust } from '../heap/objects/secrets.ts';

/**
 * Of what a client showed, its own certificate and those that lead from there to one that is trusted. OpenSSL has
 * judged the first and looks for the way by itself: what else was shown may be anything with a fitting name in it.
 */
export function verifiedChain(shown: readonly X509Certificate[], trust: Trust | null): readonly X509Certificate[] {
  const [own, ...others] = shown;
  if (own === undefined || others.length === 0 || trust?.everything === true) return shown;
  const anchors = trust?.certificates ?? [];
  const chain = [own];
  let last = own;
  for (const next of [...others, null]) {
    if (anchors.some((trusted) => trusted.raw.equals(last.raw))) return Object.freeze(chain);
    const issuer = anchors.find((trusted) => isIssuedBy(last, trusted));
    if (issuer !== undefined) return Object.freeze(issuer.checkIssued(issuer) ? chain : [...chain, issuer]);
    if (next === null || !isIssuedBy(last, next)) break;
    chain.push(next);
    last = next;
  }
  return Object.freeze([own]);
}

/** Whether the names and the signature say so. */
function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    return false; // a key of an algorithm that nobody knows
  }
}
