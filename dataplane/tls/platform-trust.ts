import { getCACertificates } from 'node:tls';

let known: readonly string[] | null = null;

/** The authorities that the runtime knows and those that the machine has, in PEM; looked up once. */
export function platformAuthorities(): readonly string[] {
  if (known === null) {
    const all = [...getCACertificates('default'), ...getCACertificates('system')];
    known = [...new Map(all.map((pem) => [pem.replaceAll(/\s/g, ''), pem])).values()];
  }
  return known;
}
