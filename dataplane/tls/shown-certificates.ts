import type { TlsKey } from '../heap/objects/secrets.ts';

/** Certificates may name hundreds of hosts; a log line need not. */
const MOST_NAMES = 5;

/** A certificate in a log line. */
export interface ShownCertificate {
  readonly subject: string;
  /** The hosts that it is for, or the first of them. */
  readonly names: readonly string[];
  readonly expires: string;
}

/** The certificates that belong to keys, each once, for a log; nothing of the keys themselves. */
export function shownCertificates(keys: Iterable<TlsKey>): ShownCertificate[] {
  const shown = new Map<string, ShownCertificate>();
  for (const { certificates } of keys) {
    const [own] = certificates;
    if (own === undefined) continue;
    const names = (own.subjectAltName ?? '').split(', ').filter((name) => name !== '');
    shown.set(own.fingerprint256, {
      subject: (own.subject ?? '').replaceAll('\n', ', '),
      names: names.slice(0, MOST_NAMES),
      expires: own.validToDate.toISOString(),
    });
  }
  return [...shown.values()];
}
