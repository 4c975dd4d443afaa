import type { KeyObject, X509Certificate } from 'node:crypto';

/**
 * The certificates of a private key in the order that TLS wants: its own, then each followed by its issuer, then those
 * that are no part of this line. @throws when there are some, and none of them is that of the key.
 */
export function certificateChain(key: KeyObject, certificates: readonly X509Certificate[]): readonly X509Certificate[] {
  if (certificates.length === 0) return [];
  const own = certificates.find((certificate) => certificate.checkPrivateKey(key));
  if (own === undefined) throw new Error('none of its certificates belongs to its private key');
  const chain = [own];
  let others = certificates.filter((certificate) => certificate !== own);
  for (let last: X509Certificate | undefined = own; last !== undefined; ) {
    const issuer: X509Certificate | undefined = issuerOf(last, others);
    if (issuer !== undefined) {
      chain.push(issuer);
      others = others.filter((certificate) => certificate !== issuer);
    }
    last = issuer;
  }
  return [...chain, ...others];
}

function issuerOf(certificate: X509Certificate, candidates: readonly X509Certificate[]): X509Certificate | undefined {
  return candidates.find((candidate) => certificate.checkIssued(candidate));
}
