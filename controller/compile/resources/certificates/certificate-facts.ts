import type { Path } from '../../../../contract/problem.ts';
import type { CertificateState, Validity } from '../../../../contract/resources/certificate-state.ts';

/** Reasons of the condition Certificates. docs/operating.md explains each. */
export type CertificatesReason =
  | 'Ready'
  | 'SecretNotFound'
  | 'SecretNotAllowed'
  | 'CertificateInvalid'
  | 'HostNotGranted'
  | 'HostNotCovered'
  | 'HostConflict'
  | 'Expired'
  | 'NotYetValid'
  | 'Expiring'
  | 'Pending';

/** Why a certificate of a Route is not shown for a host. */
export interface CertificateFault {
  readonly reason: Exclude<CertificatesReason, CertificateState>;
  /** Where the spec names it. */
  readonly path: Path;
  readonly message: string;
}

/** A certificate of a Route that data planes show. */
export interface ShownCertificate extends Validity {
  /** Its Secret, as `namespace/name`. */
  readonly secret: string;
}

/** What is known of the certificates that a Route names. */
export interface CertificateFacts {
  readonly faults: readonly CertificateFault[];
  readonly shown: readonly ShownCertificate[];
}
