import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { outFolder } from './paths.ts';

/** Key and certificate, in files; both in one as HAProxy wants them. */
export type CertificateFiles = { folder: string; key: string; certificate: string; both: string };

/** A P-256 key and a certificate for localhost that it signed itself, the same for all proxies of a run. */
export function certificateFiles(): CertificateFiles {
  const folder = outFolder('certificate');
  const files = {
    folder,
    key: join(folder, 'key.pem'),
    certificate: join(folder, 'cert.pem'),
    both: join(folder, 'server'),
  };
  if (existsSync(files.both)) return files;
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-days', '365'];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', files.key];
  execFileSync('openssl', ['req', '-x509', ...key, '-out', files.certificate, ...subject], { stdio: 'ignore' });
  execFileSync('sh', ['-c', 'cat "$1" "$2" > "$3"', 'sh', files.key, files.certificate, files.both]);
  return files;
}
