/** State of a certificate at a time. */
export type CertificateState = 'Ready' | 'Expiring' | 'Expired' | 'NotYetValid';

/** The time that a certificate is for, in milliseconds since 1970. */
export interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

const DAY = 24 * 60 * 60 * 1000;
/** Certificates are renewed when a third of their time is left: with a tenth, or a week, renewal has failed. */
const LAST_PART = 0.1;
const LAST_TIME = 7 * DAY;

/** @param now milliseconds since 1970 */
export function certificateState(validity: Validity, now: number): CertificateState {
  if (now >= validity.notAfter) return 'Expired';
  if (now < validity.notBefore) return 'NotYetValid';
  return now >= expiringSince(validity) ? 'Expiring' : 'Ready';
}

export function expiringSince({ notBefore, notAfter }: Validity): number {
  return notAfter - Math.min(LAST_TIME, LAST_PART * (notAfter - notBefore));
}
