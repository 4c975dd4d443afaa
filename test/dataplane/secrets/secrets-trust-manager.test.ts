import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, createServer, type PeerCertificate } from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { NoSuchSecret, type Trust } from '../../../dataplane/heap/objects/secrets.ts';
import { buildObject } from '../../support/gateways/built-object.ts';
import { type Certified, certificateAuthority } from '../../support/identity/certificates.ts';
import { secretFolder } from '../../support/identity/secret-folder.ts';

const TYPE = 'SecretsTrustManager';
const root = certificateAuthority('Root');
const other = certificateAuthority('Other');
const good = root.issue({ names: ['localhost'] });
const revoked = root.issue({ names: ['localhost'] });
const expired = root.issue({ names: ['localhost'], expired: true });
root.revoke(revoked);

function managerOf(directory: string, config: JsonObject = {}) {
  const secretsProvider = {
    type: 'FileSystemSecretStore',
    config: { directory, format: { type: 'PemPropertyFormat' } },
  };
  return buildObject('trustManager', TYPE, { verificationSecretId: 'trusted', secretsProvider, ...config });
}

/** What a TLS client with this trust says of a server with this key; null for nothing. */
async function judged(trust: Trust, { key, chain }: Certified): Promise<string | null> {
  const server = createServer({ key, cert: chain }, (socket) => socket.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return new Promise((resolve) => {
    const socket = connect({
      port: address.port,
      host: '127.0.0.1',
      servername: 'localhost',
      ca: trust.certificates.map(String),
      ...(trust.checkRevocation ? { crl: [...trust.revocations] } : {}),
      checkServerIdentity: (_: string, __: PeerCertificate) => undefined,
    });
    socket.on('secureConnect', () => resolve(null));
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}

describe(TYPE, () => {
  it.each([
    ['a certificate that it issued', good, {}, null],
    ['one of another issuer', other.issue({ names: ['localhost'] }), {}, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['an expired one', expired, {}, 'CERT_HAS_EXPIRED'],
    ['a revoked one', revoked, {}, 'CERT_REVOKED'],
    ['a revoked one with the check', revoked, { checkRevocation: true }, 'CERT_REVOKED'],
    ['a revoked one without the check', revoked, { checkRevocation: false }, null],
  ])('makes TLS accept or reject %s as expected', async (_, certified, config, verdict) => {
    const { object: manager } = managerOf(secretFolder({ trusted: root.certificate + root.crl() }), config);
    expect(await judged(await manager.trust(), certified)).toBe(verdict);
  });

  it('trusts every certificate of the file', async () => {
    const { object: manager } = managerOf(secretFolder({ trusted: root.certificate + other.certificate }));
    const trust = await manager.trust();
    expect(trust.certificates.map(({ subject }) => subject)).toEqual(['CN=Root', 'CN=Other']);
    expect(await manager.trust()).toBe(trust);
  });

  it('trusts only the leaf certificate of a private key with a chain', async () => {
    const { pem } = root.intermediate('Middle').issue({ names: ['me'] });
    const { object: manager } = managerOf(secretFolder({ trusted: pem }));
    expect((await manager.trust()).certificates.map(({ subject }) => subject)).toEqual(['CN=me']);
  });

  it.each([
    [{}, true, true, 0],
    [{}, false, false, 1],
    [{ checkRevocation: true }, true, true, 0],
    [{ checkRevocation: false }, true, false, 0],
    [{ checkRevocation: false }, false, false, 0],
  ])('with %j and lists %s checks revocation %s', async (config, hasLists, expected, warnings) => {
    const trusted = root.certificate + (hasLists ? root.crl() : '');
    const { object: manager, logged } = managerOf(secretFolder({ trusted }), config);
    const trust = await manager.trust();
    await manager.trust();
    expect(trust).toMatchObject({ checkRevocation: expected, everything: false });
    expect(trust.revocations).toHaveLength(expected ? 1 : 0);
    expect(logged.filter(({ msg }) => String(msg).includes('revocation is not checked'))).toHaveLength(warnings);
  });

  it('trusts no certificate if revocation must be checked and there are no CRLs', async () => {
    const { object: manager } = managerOf(secretFolder({ trusted: root.certificate }), { checkRevocation: true });
    await expect(manager.trust()).rejects.toThrow(
      "'checkRevocation' is true, and there is no list of revoked certificates (X509 CRL) at 'trusted'",
    );
  });

  it('warns once even if the certificates change often', async () => {
    const directory = secretFolder({ trusted: root.certificate });
    const { object: manager, logged } = managerOf(directory);
    await manager.trust();
    writeFileSync(join(directory, 'trusted'), other.certificate);
    const subject = async (): Promise<string | undefined> => (await manager.trust()).certificates[0]?.subject;
    await vi.waitFor(async () => expect(await subject()).toBe('CN=Other'), { timeout: 120_000 });
    expect(logged.filter(({ level }) => level === 40)).toHaveLength(1);
  });

  it.each([
    ['nothing', {}, NoSuchSecret, "there is no secret 'trusted' that may verify in"],
    ['a key without a certificate', { trusted: good.key }, Error, "there is no certificate to trust under 'trusted'"],
  ])('refuses %s', async (_, files, type, message) => {
    const error = await managerOf(secretFolder(files))
      .object.trust()
      .catch((one: unknown) => one);
    expect(error).toBeInstanceOf(type);
    expect(error).toHaveProperty('message', expect.stringContaining(message));
  });
});

describe('TrustAllManager', () => {
  it('trusts every certificate, with a warning', async () => {
    const { object: manager, problems } = buildObject('trustManager', 'TrustAllManager');
    expect(await manager.trust()).toMatchObject({ everything: true, checkRevocation: false });
    expect(problems).toMatchObject([{ severity: 'warning', code: 'insecure' }]);
    manager.watch(() => {})();
  });
});
