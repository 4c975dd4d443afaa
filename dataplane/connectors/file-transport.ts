import { createSecureContext } from 'node:tls';
import type { ServerTls } from '../heap/objects/tls.ts';
import type { PlaneServices } from '../heap/plane-services.ts';
import { NOBODY, withContextOptions } from '../tls/context-options.ts';
import { tlsRules } from '../tls/options/tls-rules.ts';
import { RenewalFigures } from '../tls/renewal-figures.ts';
import { ServerTransport } from '../tls/server-transport.ts';
import { type CertificateFiles, certificateFileKeys, readCertificateFiles } from './certificate-files.ts';

/** What metrics call TLS whose certificate is in files of the command line. */
const NAME = '--tls-port';

/** TLS as a connector of `admin.json` speaks it that says nothing but its certificate, which is in files. */
export function fileTransport(
  files: CertificateFiles,
  services: Pick<PlaneServices, 'log' | 'count' | 'gauge' | 'hostCertificates'>,
  onClose: (release: () => void) => void,
): ServerTls {
  const log = services.log.child({ certificate: files.certificate });
  return new ServerTransport({
    keys: [certificateFileKeys(files, log)],
    trustManagers: [],
    clientAuth: 'NONE',
    rules: tlsRules({}),
    alpn: true,
    log,
    onClose,
    figures: new RenewalFigures(NAME, services, onClose),
    hosts: services.hostCertificates,
  });
}

/** Tries what a connector would do with these files. @throws what is wrong with them */
export async function proveCertificateFiles(files: CertificateFiles): Promise<void> {
  const key = await readCertificateFiles(files);
  try {
    withContextOptions({ rules: tlsRules({}), keys: [key], trust: NOBODY }, createSecureContext);
  } catch (error) {
    const { reason } = error as { readonly reason?: unknown };
    const why = typeof reason === 'string' ? reason : 'OpenSSL refuses it';
    throw new Error(`${files.certificate} with ${files.key} cannot be used: ${why}`);
  }
}
