import type { X509Certificate } from 'node:crypto';
import type { HandshakeFault } from '../../engine/wire/secure-transport.ts';
import { certificateFault } from '../tls-faults.ts';

/** Whether clients show a certificate: nobody is asked, who has one shows it, nobody comes in without. */
export type ClientAuth = 'NONE' | 'REQUEST' | 'REQUIRED';

/** Certificates of a client, and their verification result. */
export interface ShownCertificates {
  /** Its chain, its own first; empty when it showed none. */
  readonly certificates: readonly X509Certificate[];
  /** What OpenSSL holds against it, or null. */
  readonly error: string | null;
  readonly isResumed: boolean;
}

/** Returns the reason to reject a client, or null. A certificate that is not trusted is worse than none. */
export function clientRefusal(
  auth: ClientAuth,
  trustsAll: boolean,
  { certificates, error, isResumed }: ShownCertificates,
): { readonly fault: HandshakeFault; readonly detail: string } | null {
  const [own] = certificates;
  if (own === undefined) {
    return auth === 'REQUIRED' ? { fault: 'certificate-missing', detail: 'the client sent no certificate' } : null;
  }
  if (error !== null && !trustsAll) return { fault: 'certificate', detail: certificateFault(error, own) };
  // what was found when the session began says nothing about today
  const hasExpired = isResumed && !trustsAll && own.validToDate < new Date();
  return hasExpired ? { fault: 'certificate', detail: certificateFault('CERT_HAS_EXPIRED', own) } : null;
}
