import type { X509Certificate } from 'node:crypto';

/** The subject of a certificate as one line, the most specific part first: `CN=orders,O=Example,C=CH` (RFC 2253). */
export function subjectName({ subject }: X509Certificate): string {
  // Node.js gives one line for each part, in the order of the certificate, and escapes what would end a line
  return (subject ?? '').split('\n').reverse().join(',');
}
