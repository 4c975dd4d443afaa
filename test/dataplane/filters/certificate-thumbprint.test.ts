import { createHash, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { problemsOf, startFiltered } from '../../support/gateways/filtered-gateway.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';

const authority = certificateAuthority('clients');
const pem = authority.issue({ client: true, commonName: 'app' }).certificate;
const other = authority.issue({ client: true }).certificate;
const der = new X509Certificate(pem).raw;
const base64 = der.toString('base64');
const thumbprint = createHash('sha256').update(der).digest('base64url');

const TELL = {
  type: 'HeaderFilter',
  config: { messageType: 'REQUEST', add: { 'X-Thumbprint': ['${contexts.certificateThumbprint.value}'] } },
};

async function asked(header: string | null, certificate = "${request.headers['X-Cert'][0]}") {
  const filter = { type: 'CertificateThumbprintFilter', config: { certificate } };
  const { ask, seen } = await startFiltered([filter, TELL]);
  const { status } = await ask('/', { headers: header === null ? [] : [`X-Cert: ${header}`] });
  return { status, told: seen[0]?.headers.find(([name]) => name === 'x-thumbprint')?.[1] ?? null };
}

describe('the thumbprint of a certificate', () => {
  it.each([
    ['percent-encoded, as NGINX has it', encodeURIComponent(pem)],
    ['percent-encoded in part, as Envoy has it', pem.replaceAll('\n', '%0A').replaceAll(' ', '%20')],
    ['with spaces for line breaks', pem.trim().replaceAll('\n', ' ')],
    ['with tabs for line breaks', pem.trim().replaceAll('\n', '\t')],
    ['with the rest of its chain', encodeURIComponent(pem + other)],
    ['in base64', base64],
    ['in base64 between colons', `:${base64}:`],
  ])('is computed when the certificate is %s', async (_form, header) => {
    expect(await asked(header)).toEqual({ status: 200, told: thumbprint });
  });

  it.each([
    "${pemCertificate(urlDecode(request.headers['X-Cert'][0]))}",
    "${pemCertificate(urlDecode(request.headers['X-Cert'][0])).encoded}",
  ])('by %s', async (certificate) => {
    expect(await asked(encodeURIComponent(pem), certificate)).toEqual({
      status: 200,
      told: thumbprint,
    });
  });
});

describe('requests are refused', () => {
  it.each<[string, string | null]>([
    ['without a certificate', null],
    ['with an empty one', ''],
    ['with another text', 'nothing'],
    ['with a part of one', encodeURIComponent(pem.slice(0, 200))],
    ['with a damaged one', `${encodeURIComponent(pem)}%E0%A4`.replace('BEGIN%20', 'BEGIN%2')],
    ['with something before it', `x${encodeURIComponent(pem)}`],
    ['with bytes behind it', Buffer.concat([der, Buffer.from([0])]).toString('base64')],
    ['with a key', encodeURIComponent(authority.issue().key)],
  ])('%s', async (_what, header) => {
    expect(await asked(header)).toEqual({ status: 403, told: null });
  });

  it('by the failureHandler', async () => {
    const failureHandler = { type: 'StaticResponseHandler', config: { status: 401, entity: 'no certificate' } };
    const config = { certificate: "${request.headers['X-Cert'][0]}", failureHandler };
    const { ask, seen } = await startFiltered([{ type: 'CertificateThumbprintFilter', config }]);
    expect(await ask('/')).toMatchObject({ status: 401, body: 'no certificate' });
    expect(seen).toEqual([]);
  });
});

it.each<[string, string[]]>([
  ["${request.headers['X-Cert'][0]}", []],
  ['${contexts.client.certificates[0]}', []],
  [
    '${contexts.client.certificates}',
    ['expression certificate: is always a list, never a certificate: name one of its items, [0]'],
  ],
])('reports the problem of %s', (certificate, problems) => {
  expect(problemsOf('CertificateThumbprintFilter', { certificate })).toEqual(problems);
});

it('needs a certificate', () => {
  expect(problemsOf('CertificateThumbprintFilter', {})).toEqual(['missing certificate: is required']);
});
