import { describe, expect, it, vi } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { NoSuchSecret, type SecretsProvider, UnreadableSecret } from '../../../dataplane/heap/objects/secrets.ts';
import { buildObjects } from '../../support/gateways/built-object.ts';
import { checkConfigured } from '../../support/gateways/configured-gateway.ts';
import { operatorReach } from '../../support/gateways/operator-reach.ts';
import { refusals } from '../../support/gateways/refused-objects.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';
import { revealed, secretFolder } from '../../support/identity/secret-folder.ts';

const TYPE = 'SecretsProvider';
const encoded = (value: string): string => Buffer.from(value).toString('base64');
const store = (name: string, secrets: Readonly<Record<string, string>>): JsonObject => ({
  name,
  type: 'Base64EncodedSecretStore',
  config: { secrets: Object.fromEntries(Object.entries(secrets).map(([id, value]) => [id, encoded(value)])) },
});

function providerOf(stores: JsonValue, heap: readonly JsonValue[]): SecretsProvider {
  return buildObjects([...heap, { name: 'it', type: TYPE, config: { stores } }]).get('secretsProvider', 'it');
}

const first = store('first', { both: 'one', left: 'only first' });
const second = store('second', { both: 'two', right: 'only second' });

describe(TYPE, () => {
  it('returns the active secret of the first store that has one, and valid secrets of all', async () => {
    const provider = providerOf(['first', 'second'], [first, second]);
    expect(revealed(await provider.active('both'))).toBe('one');
    expect(revealed(await provider.active('right'))).toBe('only second');
    expect((await provider.valid('both')).map(revealed)).toEqual(['one', 'two']);
    expect((await provider.valid('left')).map(revealed)).toEqual(['only first']);
  });

  it('names the searched stores and the usage in its error', async () => {
    const provider = providerOf(['first', 'second'], [first, second]);
    const error = await provider.active('no.such').catch((one: unknown) => one);
    expect(error).toBeInstanceOf(NoSuchSecret);
    expect(error).toMatchObject({
      id: 'no.such',
      purpose: 'generic',
      stores: ['first', 'second'],
      message: "there is no secret 'no.such' of the kind GenericSecret in 'first', 'second'",
    });
    await expect(provider.valid('no.such')).rejects.toThrow("in 'first', 'second'");
    await expect(provider.keys('verify', 'both')).rejects.toThrow(
      "there is no secret 'both' that may verify in 'first', 'second': the stored value is a GenericSecret",
    );
  });

  it('skips a store that has another kind of secret under the id', async () => {
    const directory = secretFolder({ both: certificateAuthority('any').issue().pem });
    const files = { type: 'FileSystemSecretStore', config: { directory, format: { type: 'PemPropertyFormat' } } };
    const provider = providerOf(['first', files], [first]);
    expect((await provider.key('sign', 'both')).key.type).toBe('private');
    expect((await provider.keys('verify', 'both')).map(({ key }) => key.type)).toEqual(['public']);
    expect((await provider.named('sign', 'both', 'both')).key.type).toBe('private');
    await expect(provider.named('sign', 'both', 'other')).rejects.toThrow(NoSuchSecret);
  });

  it('stops at a store that cannot be read', async () => {
    const env = { type: 'SystemAndEnvSecretStore' };
    const objects = buildObjects(
      [first, { name: 'it', type: TYPE, config: { stores: [env, 'first'] } }],
      operatorReach({ BOTH: 'not base64!' }),
    );
    const provider = objects.get('secretsProvider', 'it');
    await expect(provider.active('both')).rejects.toThrow(UnreadableSecret);
    await expect(provider.valid('both')).rejects.toThrow(UnreadableSecret);
    expect(revealed(await provider.active('left'))).toBe('only first');
  });

  it('notifies listeners of changes in any of its stores', async () => {
    const directory = secretFolder({ a: 'old' });
    const files = { type: 'FileSystemSecretStore', config: { directory, format: 'PLAIN', leaseExpiry: '20 ms' } };
    const provider = providerOf(['first', files], [first]);
    const heard = vi.fn();
    const end = provider.watch(heard);
    await provider.active('a');
    await vi.waitFor(() => expect(heard).toHaveBeenCalled(), { timeout: 120_000 });
    end();
  });

  it.each([
    [{}, 'config.stores: is required'],
    [{ stores: [] }, 'config.stores: must have at least 1 entry'],
    [{ stores: 'first' }, 'config.stores: must be an array, not a string'],
    [{ stores: ['Clock'] }, "config.stores[0]: must be a SecretStore, but 'Clock' is a Clock"],
    [{ stores: ['it'] }, "config.stores[0]: must be a SecretStore, but 'it' is a SecretsProvider"],
  ])('refuses %j', (config, said) => {
    expect(refusals({ type: TYPE, config })).toEqual([expect.stringContaining(said)]);
  });
});

describe('where a provider is expected', () => {
  const manager = (secretsProvider: JsonValue): JsonObject => ({
    name: 'manager',
    type: 'SecretsKeyManager',
    config: { signingSecretId: 'tls', secretsProvider },
  });
  const inline = (directory: string): JsonObject => ({
    type: 'FileSystemSecretStore',
    config: { directory, format: { type: 'PemPropertyFormat' } },
  });

  it.each<readonly [string, (files: JsonObject) => JsonValue]>([
    ['a provider by its name', () => 'provider'],
    ['a provider in place', (files) => ({ type: TYPE, config: { stores: [files] } })],
    ['a store by its name', () => 'files'],
    ['a store in place', (files) => files],
    ['an array of stores', (files) => ['first', 'files', files]],
    ['an array of one', () => ['files']],
    ['what stands for a store', () => ({ type: 'Delegate', config: { delegate: 'files' } })],
  ])('%s is accepted', async (_, written) => {
    const files = inline(secretFolder({ tls: certificateAuthority('any').issue().pem }));
    const provider = { name: 'provider', type: TYPE, config: { stores: ['files'] } };
    const objects = buildObjects([first, { name: 'files', ...files }, provider, manager(written(files))]);
    expect((await objects.get('keyManager', 'manager').keys()).length).toBeGreaterThan(0);
    expect(objects.problems.filter(({ code }) => code !== 'insecure')).toEqual([]);
  });

  it.each<readonly [JsonValue, string]>([
    ['Clock', "secretsProvider: must be a SecretsProvider or a SecretStore, but 'Clock' is a Clock"],
    ['frist', "secretsProvider: there is no object 'frist' in this heap or in those around it"],
    [['first', 'frist'], "secretsProvider[1]: there is no object 'frist' in this heap or in those around it"],
    [['first', 'Clock'], "secretsProvider[1]: must be a SecretStore, but 'Clock' is a Clock"],
    [['first', 7], "secretsProvider[1]: must be the name of a SecretStore or an object with 'type', not a number"],
    [['first', { type: 'Nothing' }], "secretsProvider[1].type: there is no type 'Nothing'"],
    [[], 'secretsProvider: must have at least 1 entry'],
    [7, "secretsProvider: must be the name of a SecretsProvider or an object with 'type', not a number"],
  ])('%j is refused', (written, said) => {
    const { name: _, ...declaration } = manager(written);
    expect(refusals(declaration, [first])).toEqual([`config.${said}`]);
  });

  it('a missing provider is reported', () => {
    const config = { signingSecretId: 'tls' };
    expect(refusals({ type: 'SecretsKeyManager', config })).toEqual(['config.secretsProvider: is required']);
  });

  it('problems of stores in an array are reported even if other fields are invalid', () => {
    const config = { signingSecretId: 'not an id', secretsProvider: ['frist'] };
    expect(refusals({ type: 'SecretsKeyManager', config })).toEqual([
      expect.stringContaining('config.signingSecretId: must be the id of a secret: letters'),
      expect.stringContaining("config.secretsProvider[0]: there is no object 'frist'"),
    ]);
  });

  it('a cycle through an array is found', () => {
    const format = { type: 'PemPropertyFormat', config: { decryptionSecretId: 'a', secretsProvider: ['it'] } };
    const heap = [{ name: 'it', type: 'FileSystemSecretStore', config: { directory: '/x', format } }];
    const problems = checkConfigured({ heap, handler: 'ReverseProxyHandler' });
    expect(problems).toMatchObject([{ code: 'cycle' }]);
  });
});
