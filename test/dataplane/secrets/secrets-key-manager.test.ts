import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { NoSuchSecret } from '../../../dataplane/heap/objects/secrets.ts';
import { buildObject } from '../../support/gateways/built-object.ts';
import { refusals } from '../../support/gateways/refused-objects.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';
import { secretFolder } from '../../support/identity/secret-folder.ts';

const TYPE = 'SecretsKeyManager';
const authority = certificateAuthority('Root').intermediate('Middle');

function managerOf(directory: string) {
  const secretsProvider = {
    type: 'FileSystemSecretStore',
    config: { directory, format: { type: 'PemPropertyFormat' } },
  };
  return buildObject('keyManager', TYPE, { signingSecretId: 'tls', secretsProvider });
}

describe(TYPE, () => {
  it('returns the key and its chain, the same objects until they change', async () => {
    const { object: manager, logged } = managerOf(secretFolder({ tls: authority.issue({ names: ['here'] }).pem }));
    const keys = await manager.keys();
    expect(keys).toMatchObject([
      { privateKey: { type: 'private' }, certificates: [{ subject: 'CN=here' }, { subject: 'CN=Middle' }] },
    ]);
    expect(await manager.keys()).toBe(keys);
    expect(logged).toEqual([]);
  });

  it('notifies listeners when the key is renewed', async () => {
    const directory = secretFolder({ tls: authority.issue({ names: ['old'] }).pem });
    const { object: manager } = managerOf(directory);
    const subjects: (string | undefined)[] = [];
    const look = async (): Promise<void> => {
      const [key] = await manager.keys();
      subjects.push(key?.certificates[0]?.subject);
    };
    await look();
    manager.watch(() => void look());
    writeFileSync(join(directory, 'tls.new'), authority.issue({ names: ['new'] }).pem);
    renameSync(join(directory, 'tls.new'), join(directory, 'tls'));
    await vi.waitFor(() => expect(subjects.at(-1)).toBe('CN=new'), { timeout: 120_000 });
    expect(subjects[0]).toBe('CN=old');
  });

  it.each(['expired', 'early'] as const)('warns that a certificate is %s', async (when) => {
    const { object: manager, logged } = managerOf(secretFolder({ tls: authority.issue({ [when]: true }).pem }));
    await manager.keys();
    await manager.keys();
    expect(logged).toMatchObject([{ secretId: 'tls', msg: expect.stringContaining('expired or not valid yet') }]);
  });

  it.each([
    ['no key', {}, NoSuchSecret, "there is no secret 'tls' that may sign in"],
    ['no private key', { tls: authority.certificate }, NoSuchSecret, "there is no secret 'tls' that may sign in"],
    ['no certificate', { tls: authority.issue().key }, Error, "the key 'tls' has no certificate"],
    ['no PEM', { tls: 'hunter2' }, Error, 'it holds neither a key nor a certificate in PEM'],
  ])('refuses %s', async (_, files, type, message) => {
    const error = await managerOf(secretFolder(files))
      .object.keys()
      .catch((one: unknown) => one);
    expect(error).toBeInstanceOf(type);
    expect(error).toHaveProperty('message', expect.stringContaining(message));
  });

  it('needs an id', () => {
    expect(refusals({ type: TYPE, config: { secretsProvider: 'Clock' } })).toEqual([
      'config.signingSecretId: is required',
      "config.secretsProvider: must be a SecretsProvider or a SecretStore, but 'Clock' is a Clock",
    ]);
  });
});
