import {
  type CertificateState,
  certificateState,
  expiringSince,
} from '../../../contract/resources/certificate-state.ts';
import type {
  CertificateFacts,
  CertificatesReason,
  ShownCertificate,
} from '../../compile/resources/certificates/certificate-facts.ts';
import { conditionText, faultPart } from '../../compile/resources/condition-text.ts';
import type { ConditionVerdict } from '../../compile/resources/resource-verdict.ts';

const OUTCOME = 'clients of hosts without a certificate get that of the connector';

/** The condition Certificates of a Route that names certificates. @param now milliseconds since 1970 */
export function certificatesCondition(
  { faults, shown }: CertificateFacts,
  now: number,
): ConditionVerdict<CertificatesReason> {
  const states = shown.map((one) => ({ one, state: certificateState(one, now) }));
  const troubled = (['Expired', 'NotYetValid', 'Expiring'] as const).flatMap((state) =>
    states.filter((each) => each.state === state),
  );
  const parts = [...faults.map(faultPart), ...troubled.map(({ one, state }) => stateText(one, state))];
  const [first] = [...faults.filter(({ reason }) => reason !== 'Pending'), ...faults];
  const isLacking = faults.some(({ reason }) => reason !== 'HostConflict');
  if (first !== undefined) {
    return { status: false, reason: first.reason, message: conditionText(parts, isLacking ? OUTCOME : null) };
  }
  const [worst] = troubled;
  if (worst !== undefined) return { status: false, reason: worst.state, message: conditionText(parts, null) };
  const ends = shown.map(({ notAfter }) => notAfter);
  const until = ends.length === 0 ? '' : `; valid until ${timeText(Math.min(...ends))}`;
  return { status: true, reason: 'Ready', message: `data planes show all certificates${until}` };
}

/** When the state of a certificate changes next; null when it never does. */
export function nextStateChange({ shown }: CertificateFacts, now: number): number | null {
  const times = shown.flatMap((one) => [one.notBefore, expiringSince(one), one.notAfter]).filter((time) => time > now);
  return times.length === 0 ? null : Math.min(...times);
}

function stateText({ secret, notBefore, notAfter }: ShownCertificate, state: CertificateState): string {
  const what = `the certificate of the Secret ${secret}`;
  if (state === 'NotYetValid') return `${what} is not valid before ${timeText(notBefore)}`;
  return `${what} ${state === 'Expired' ? 'expired' : 'expires'} at ${timeText(notAfter)} and was not renewed`;
}

function timeText(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
}
