import { Buffer } from 'node:buffer';
import { CONSENT, CONSENT_LABEL, type SecretContent } from '../../../../contract/resources/resource.ts';
import type { Checker, JudgedCertificate } from '../../checker.ts';
import type { CertificateFault } from './certificate-facts.ts';

/** The certificate of a Secret that can be shown. */
export interface UsableCertificate {
  readonly fault: null;
  readonly judged: JudgedCertificate;
  readonly chain: string;
  /** It is secret: never logged, never shown. */
  readonly privateKey: string;
}

/** The certificate of a Secret, or why there is none. */
export type SecretCertificate =
  | UsableCertificate
  | { readonly fault: Omit<CertificateFault, 'path'>; readonly judged: null };

const TYPE = 'kubernetes.io/tls';

/** Reads the certificates of Secrets, each version of a Secret once. */
export class SecretCertificates {
  private readonly checker: Pick<Checker, 'certificate'>;
  private readonly read = new WeakMap<SecretContent, SecretCertificate>();

  constructor(checker: Pick<Checker, 'certificate'>) {
    this.checker = checker;
  }

  /** @param secret null for one that is not there, undefined before it was read */
  of(secret: SecretContent | null | undefined, key: string): SecretCertificate {
    if (secret === undefined) return failed('Pending', `the Secret ${key} has not been read yet`);
    if (secret === null) return failed('SecretNotFound', `there is no Secret ${key}`);
    const known = this.read.get(secret);
    if (known !== undefined) return known;
    const made = this.judged(secret, key);
    this.read.set(secret, made);
    return made;
  }

  private judged({ type, data }: SecretContent, key: string): SecretCertificate {
    if (data === null) {
      return failed('SecretNotAllowed', `the Secret ${key} does not have the label ${CONSENT_LABEL}: ${CONSENT}`);
    }
    if (type !== TYPE) return failed('CertificateInvalid', `the Secret ${key} has the type ${type}, not ${TYPE}`);
    const [chain, privateKey] = [textOf(data, 'tls.crt'), textOf(data, 'tls.key')];
    if (chain === null || privateKey === null) {
      const name = chain === null ? 'tls.crt' : 'tls.key';
      return failed('CertificateInvalid', `there is no key '${name}' in the Secret ${key}`);
    }
    const judged = this.checker.certificate(chain, privateKey);
    if (judged.problem !== null) return failed('CertificateInvalid', `the Secret ${key}: ${judged.problem}`);
    return { fault: null, judged, chain, privateKey };
  }
}

function failed(reason: CertificateFault['reason'], message: string): SecretCertificate {
  return { fault: { reason, message }, judged: null };
}

function textOf(data: ReadonlyMap<string, Uint8Array>, key: string): string | null {
  const bytes = data.get(key);
  return bytes === undefined || bytes.length === 0 ? null : Buffer.from(bytes).toString('latin1');
}
