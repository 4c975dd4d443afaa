import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { givenCertificates } from '../../../../controller/cluster/identity/given-certificates.ts';
import { certificateAuthority } from '../../../support/identity/certificates.ts';
import { watchedDirectory } from '../../../support/state/temporary-files.ts';

const one = certificateAuthority('one');
const two = certificateAuthority('two');
const issued = one.issue({ names: ['controller.example'] });

function given(authority: string) {
  const { path } = watchedDirectory();
  const write = (name: string, text: string): string => {
    writeFileSync(join(path, name), text);
    return join(path, name);
  };
  return givenCertificates(write('tls.crt', issued.chain), write('tls.key', issued.key), write('ca.crt', authority));
}

it('publishes certificates and nothing else of the file, such as a key', () => {
  const { certificate, key, authority } = given(`# ours\n${issued.key}${one.certificate}\n${two.certificate}`);
  expect({ certificate, key }).toEqual({ certificate: issued.chain, key: issued.key });
  expect(authority.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
  expect(authority).not.toMatch(/KEY|ours/);
});

it.each([
  ['nothing', '', /ca\.crt contains no PEM certificate/],
  ['a key', issued.key, /ca\.crt contains no PEM certificate/],
  ['half a certificate', one.certificate.slice(0, 200), /ca\.crt contains no PEM certificate/],
  [
    'a damaged one',
    `${one.certificate}${two.certificate.replace(/MII/, 'AAA')}`,
    /certificate 2 of .*ca\.crt is damaged/,
  ],
])('refuses %s for an authority', (_, text, problem) => {
  expect(() => given(text)).toThrow(problem);
});
