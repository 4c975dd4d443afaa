import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { ClientTls } from '../../../dataplane/heap/objects/tls.ts';
import { clientTls } from '../../../dataplane/tls/client-credentials.ts';
import { tlsRules } from '../../../dataplane/tls/options/tls-rules.ts';
import type { CertificateAuthority } from '../identity/certificates.ts';
import { changingTrust } from '../identity/changing-tls-secrets.ts';

/** TLS options that trust one authority. */
export function clientTlsOf(authority: CertificateAuthority): ClientTls {
  return clientTls({
    keyManagers: [],
    trustManagers: [changingTrust({ certificates: [authority.certificate] }).manager],
    rules: tlsRules({}),
    alpn: false,
    checksNames: true,
    log: pino({ level: 'silent' }),
    onClose: onTestFinished,
  });
}
