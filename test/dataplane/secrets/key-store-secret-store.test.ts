import { copyFileSync, mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { noReach } from '../../../contract/reach.ts';
import {
  type KeyUsage,
  NoSuchSecret,
  type SecretStore,
  type StoredSecret,
  UnreadableSecret,
} from '../../../dataplane/heap/objects/secrets.ts';
import { buildObject } from '../../support/gateways/built-object.ts';
import { refusals } from '../../support/gateways/refused-objects.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';
import { keystoreFile } from '../../support/identity/keystore-rows.ts';
import { type Pkcs12Wish, pkcs12File, SECRET_KEY } from '../../support/identity/pkcs12-file.ts';
import { revealed, secretFolder } from '../../support/identity/secret-folder.ts';

const TYPE = 'KeyStoreSecretStore';
const authority = certificateAuthority('Root').intermediate('Middle');
const one = authority.issue({ names: ['one'], keyType: 'rsa' });
const two = authority.issue({ names: ['two'] });

const wish: Pkcs12Wish = {
  password: 'pass word',
  keys: { One: one, two, bare: { key: two.key } },
  trusted: { Root: authority.certificate },
  secrets: {
    aes: [SECRET_KEY.AES, Buffer.alloc(32, 1)],
    mac: [SECRET_KEY.HmacSHA256, Buffer.alloc(32, 2)],
    'api-key': [SECRET_KEY.password, 'the api key'],
  },
};

const mappings = [
  { secretId: 'sign', aliases: ['One', 'two'] },
  { secretId: 'trust', aliases: ['root'] },
  { secretId: 'aes', aliases: ['aes'] },
  { secretId: 'mac', aliases: ['mac'] },
  { secretId: 'api.key', aliases: ['api-key'] },
  { secretId: 'some', aliases: ['none', 'two', 'two'] },
  { secretId: 'none', aliases: ['none'] },
  { secretId: 'matching', aliasesMatching: ['t.*', '[a-z]*o[a-z]*'] },
  { secretId: 'mixed', aliases: ['aes', 'two'] },
  { secretId: 'bare', aliases: ['bare'] },
];

interface Files {
  readonly keystore?: Uint8Array;
  readonly password?: string | Buffer;
  readonly more?: Readonly<Record<string, string>>;
}

/** A store over a file in a folder, with its passwords in another one. */
function storeOver({ keystore = pkcs12File(wish), password = 'pass word', more = {} }: Files, config: JsonObject = {}) {
  const file = join(secretFolder({ 'keystore.p12': keystore }), 'keystore.p12');
  const directory = secretFolder({ pass: password, ...more });
  const secretsProvider = { type: 'FileSystemSecretStore', config: { directory, format: 'PLAIN' } };
  const built = buildObject('secretStore', TYPE, {
    file,
    storePasswordSecretId: 'pass',
    secretsProvider,
    mappings,
    ...config,
  });
  return { ...built, store: built.object, file, directory };
}

/** The aliases of the keys that there are for a usage. */
async function aliases(store: SecretStore, usage: KeyUsage, id: string): Promise<string[]> {
  return (await store.keys(usage, id)).map(({ stableId }) => stableId);
}

describe(TYPE, () => {
  it('treats an empty password file as the empty password', async () => {
    const { store } = storeOver({ keystore: pkcs12File({ ...wish, password: '' }), password: '' });
    expect(await store.key('sign', 'sign')).toMatchObject({ stableId: 'One' });
  });

  it('uses the first alias as active and all aliases as valid, in order', async () => {
    const { store, problems, logged } = storeOver({});
    expect(await store.key('sign', 'sign')).toMatchObject({
      stableId: 'One',
      key: { type: 'private', asymmetricKeyType: 'rsa' },
      certificates: [{ subject: 'CN=one' }, { subject: 'CN=Middle' }],
      algorithm: null,
    });
    expect(await aliases(store, 'verify', 'sign')).toEqual(['One', 'two']);
    expect((await store.named('verify', 'sign', 'two')).key.asymmetricKeyType).toBe('ec');
    await expect(store.named('verify', 'sign', 'three')).rejects.toThrow(NoSuchSecret);
    expect(problems).toEqual([]);
    const alias = 'none';
    expect(logged).toMatchObject([
      { secretId: 'some', alias, msg: 'keystore has no entry with this alias' },
      { secretId: 'none', alias, aliases: expect.arrayContaining(['one', 'two']) },
    ]);
  });

  it.each([
    ['aes', ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey']],
    ['mac', ['sign', 'verify']],
    ['trust', ['verify', 'agreeKey']],
    ['api.key', ['generic']],
    ['bare', ['sign', 'verify', 'agreeKey']],
  ])('lets %s be used for %j and nothing else', async (id, allowed) => {
    const { store } = storeOver({});
    const usages = ['sign', 'verify', 'encrypt', 'decrypt', 'wrapKey', 'unwrapKey', 'agreeKey'] as const;
    const asked = ['generic', ...usages] as const;
    const answers = await Promise.allSettled(
      asked.map((purpose) => (purpose === 'generic' ? store.active(id) : store.key(purpose, id))),
    );
    expect(asked.filter((_, at) => answers[at]?.status === 'fulfilled')).toEqual(
      asked.filter((each) => allowed.includes(each)),
    );
    for (const answer of answers) if (answer.status === 'rejected') expect(answer.reason).toBeInstanceOf(NoSuchSecret);
  });

  it('returns a stored password unchanged', async () => {
    expect(revealed(await storeOver({}).store.active('api.key'))).toBe('the api key');
  });

  it('leaves out missing aliases, and fails if all are missing', async () => {
    const { store, file } = storeOver({});
    expect(await aliases(store, 'sign', 'some')).toEqual(['two']);
    const error = await store.key('sign', 'none').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NoSuchSecret);
    expect(String(error)).toContain(`the keystore '${file}' has none of the aliases of its mapping`);
    await expect(store.key('sign', 'unmapped')).rejects.toThrow('no mapping names it');
  });

  it('finds matching aliases per pattern, each once and in alphabetical order', async () => {
    expect(await aliases(storeOver({}).store, 'verify', 'matching')).toEqual(['two', 'one', 'root']);
  });

  it('fails if the active key does not allow the usage', async () => {
    const { store } = storeOver({});
    await expect(store.key('sign', 'mixed')).rejects.toThrow(NoSuchSecret);
    expect(await aliases(store, 'sign', 'mixed')).toEqual(['two']);
  });

  it.each([
    ['JKS', 'made/all.jks', 'pä☺-𝄞', 'rsakey'],
    ['jceks', 'made/all.jceks', 'pä☺-𝄞', 'ed'],
    ['pkcs12', 'made/all.p12', 'password', 'GRÖSSE ☺'.replace('SS', 'ß')],
  ])('reads %s, and says if it is weak', async (storeType, file, password, alias) => {
    const { store, problems } = storeOver(
      { keystore: keystoreFile(file), password, more: { entry: 'password' } },
      { storeType, entryPasswordSecretId: 'entry', mappings: [{ secretId: 'a', aliases: [alias] }] },
    );
    expect((await store.key('sign', 'a')).stableId).toBe(alias);
    const said = problems.map(({ code, path }) => [code, path.at(-1)]);
    expect(said).toEqual(storeType === 'pkcs12' ? [] : [['insecure', 'storeType']]);
  });

  it('accepts the former names of the password fields, with a warning', async () => {
    const { object: store, problems } = storeOver(
      { keystore: pkcs12File({ ...wish, entryPassword: 'inner' }), more: { inner: 'inner' } },
      {},
    );
    await expect(store.key('sign', 'sign')).rejects.toThrow(
      "its entry 'One' cannot be used: the secret 'pass' is not its",
    );
    expect(problems).toEqual([]);
    const file = join(secretFolder({ k: pkcs12File({ ...wish, entryPassword: 'inner' }) }), 'k');
    const directory = secretFolder({ pass: 'pass word', inner: 'inner' });
    const former = buildObject('secretStore', TYPE, {
      file,
      storePassword: 'pass',
      keyEntryPassword: 'inner',
      secretsProvider: { type: 'FileSystemSecretStore', config: { directory, format: 'PLAIN' } },
      mappings,
    });
    expect((await former.object.key('sign', 'sign')).stableId).toBe('One');
    expect(former.problems.map(({ code, path }) => [code, path.at(-1)])).toEqual([
      ['deprecated-field', 'storePassword'],
      ['deprecated-field', 'keyEntryPassword'],
    ]);
  });

  it('opens a keystore that has no password', async () => {
    const file = join(secretFolder({ k: keystoreFile('made/empty-password.p12') }), 'k');
    const { object: store } = buildObject('secretStore', TYPE, {
      file,
      secretsProvider: { type: 'SystemAndEnvSecretStore' },
      mappings: [{ secretId: 'a', aliases: ['A'] }],
    });
    expect((await store.key('sign', 'a')).certificates).toHaveLength(3);
  });

  it.each([
    ['a wrong password', { password: 'hunter2' }, "the secret 'pass' is not its password, or it is damaged"],
    ['a line break', { password: 'pass word\n' }, 'the password ends with a line break'],
    ['what is no text', { password: Buffer.from('changeit', 'base64') }, "the 'format' of its store has to be PLAIN"],
    ['half of a file', { keystore: pkcs12File(wish).subarray(0, 500) }, 'it is damaged: a length goes past its end'],
    ['another type', { keystore: keystoreFile('made/all.jceks') }, "it is a JCEKS file, and 'storeType' is PKCS12"],
    ['no password', { password: '' }, 'the password is empty'],
  ])('rejects %s with a message that reveals no secret', async (_, files, message) => {
    const { store, logged } = storeOver(files);
    const error = await store.key('sign', 'sign').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnreadableSecret);
    expect(String(error)).toContain(message);
    expect(String(error) + JSON.stringify(logged)).not.toMatch(/hunter2|pass word/);
  });

  it('reports a missing password at once', async () => {
    const { logged } = storeOver({}, { storePasswordSecretId: 'other' });
    const said = { msg: 'could not open a keystore', err: { message: expect.stringContaining("no secret 'other'") } };
    await vi.waitFor(() => expect(logged).toMatchObject([said]));
  });

  it('prints none of its secrets', async () => {
    const { store } = storeOver({});
    const held = [await store.active('api.key'), await store.key('sign', 'sign'), await store.key('encrypt', 'aes')];
    const printed = inspect([store, held], { depth: 20, showHidden: true, getters: true }) + JSON.stringify(store);
    expect(printed).not.toMatch(/the api key|pass word|01 01 01 01|1,\s*1,\s*1,\s*1/);
    expect(printed).not.toContain(one.key.slice(60, 100));
  });

  it('opens the file once for all ids, also for repeated failing lookups', async () => {
    const { store, logged } = storeOver({ password: 'wrong' });
    const ids = mappings.map(({ secretId }) => secretId);
    for (let time = 0; time < 3; time++) await Promise.allSettled(ids.map((id) => store.keys('verify', id)));
    expect(logged.filter(({ msg }) => msg === 'could not open a keystore')).toHaveLength(1);
  });

  it('cannot be built without its file', () => {
    expect(() => storeOver({}, { file: join(secretFolder(), 'none') })).toThrow(/the keystore '.*none' cannot be read/);
  });
});

describe('an invalid declaration', () => {
  const valid = {
    file: '/x',
    storePasswordSecretId: 'a',
    secretsProvider: { type: 'SystemAndEnvSecretStore' },
    mappings: [{ secretId: 'a', aliases: ['a'] }],
  };
  const { file: _, ...withoutFile } = valid;

  it.each([
    [withoutFile, ['config.file: is required']],
    [
      { ...valid, secretsProvider: 'Clock' },
      ["config.secretsProvider: must be a SecretsProvider or a SecretStore, but 'Clock' is a Clock"],
    ],
    [{ ...valid, storeType: 'BKS' }, ["config.storeType: must be one of PKCS12, JKS, JCEKS, not 'BKS'"]],
    [
      { ...valid, storePassword: 'b' },
      ["config.storePassword: 'storePasswordSecretId' and 'storePassword' cannot be given together"],
    ],
    [
      { ...valid, entryPasswordSecretId: 'b', keyEntryPassword: 'c' },
      ["config.keyEntryPassword: 'entryPasswordSecretId' and 'keyEntryPassword' cannot be given together"],
    ],
    [
      { ...valid, storePasswordSecretId: 'a b' },
      [
        "config.storePasswordSecretId: must be the id of a secret: letters, digits, '_' and '-' with single dots between",
      ],
    ],
    [
      { ...valid, mappings: [{ secretId: 'a' }] },
      ["config.mappings[0]: one of 'aliases' and 'aliasesMatching' is required"],
    ],
    [
      { ...valid, mappings: [{ secretId: 'a', aliases: ['a'], aliasesMatching: ['b'] }] },
      ["config.mappings[0].aliasesMatching: 'aliases' and 'aliasesMatching' cannot be given together"],
    ],
    [
      { ...valid, mappings: [...valid.mappings, ...valid.mappings] },
      ['config.mappings: there are two mappings of one secret id'],
    ],
    [
      { ...valid, securityProvider: 'SunPKCS11-Luna' },
      ['config.securityProvider: names a device, and keys in devices are not available'],
    ],
    [{ ...valid, autoRefresh: true }, ['config.autoRefresh: must be an object, not a boolean']],
  ])('is reported: %j', (config, said) => {
    expect(refusals({ type: TYPE, config })).toEqual(said);
  });

  it.each([
    ['no mapping', { ...valid, mappings: [] }, 'config.mappings'],
    ['no alias', { ...valid, mappings: [{ secretId: 'a', aliases: [] }] }, 'config.mappings[0].aliases'],
    [
      'a bad pattern',
      { ...valid, mappings: [{ secretId: 'a', aliasesMatching: ['a', '('] }] },
      'config.mappings[0].aliasesMatching[1]',
    ],
  ])('is reported with its path: %s', (_title, config, path) => {
    expect(refusals({ type: TYPE, config }).map((said) => said.split(': ')[0])).toEqual([path]);
  });

  it('a document of a tenant', () => {
    expect(refusals({ type: TYPE, config: valid }, [], noReach)).toEqual([
      'config.file: is for operators only: it is a path on the machine of the data plane',
      'config.secretsProvider.type: SystemAndEnvSecretStore is for operators only: it reads the environment of the data plane',
    ]);
  });

  it('warns of what has no effect', () => {
    const { problems } = storeOver({}, { securityProvider: 'BC', leaseExpiry: 'unlimited' });
    expect(problems.map(({ code, path }) => [code, path.at(-1)]).sort()).toEqual([
      ['no-effect', 'leaseExpiry'],
      ['no-effect', 'securityProvider'],
    ]);
  });
});

describe('a change', () => {
  const renewed = authority.issue({ names: ['renewed'] });
  const other = pkcs12File({ ...wish, keys: { one: renewed } });

  async function comesTo(store: SecretStore, subject: string): Promise<void> {
    const subjectNow = async (): Promise<string | undefined> =>
      (await store.key('sign', 'sign')).certificates[0]?.subject;
    await vi.waitFor(async () => expect(await subjectNow()).toBe(subject), { timeout: 120_000 });
  }

  const changes: readonly (readonly [string, (file: string) => void])[] = [
    ['an edit', (file) => writeFileSync(file, other)],
    [
      'another file in its place',
      (file) => {
        writeFileSync(`${file}.part`, other);
        renameSync(`${file}.part`, file);
      },
    ],
    [
      'deleted and made again',
      (file) => {
        unlinkSync(file);
        writeFileSync(file, other);
      },
    ],
  ];

  it.each(changes)('of the file is detected: %s', async (_, change) => {
    const { store, file } = storeOver({});
    const heard = vi.fn();
    store.watch(heard);
    await comesTo(store, 'CN=one');
    change(file);
    await comesTo(store, 'CN=renewed');
    expect(heard).toHaveBeenCalled();
  });

  it('of the file is detected when Kubernetes swaps all files at once', async () => {
    const { file: first } = storeOver({});
    const directory = secretFolder();
    for (const version of ['old', 'new']) mkdirSync(join(directory, `..${version}`));
    copyFileSync(first, join(directory, '..old', 'k.p12'));
    writeFileSync(join(directory, '..new', 'k.p12'), other);
    symlinkSync('..old', join(directory, '..data'));
    symlinkSync('..data/k.p12', join(directory, 'k.p12'));
    const { store } = storeOver({}, { file: join(directory, 'k.p12') });
    await comesTo(store, 'CN=one');
    symlinkSync('..new', join(directory, '..data_tmp'));
    renameSync(join(directory, '..data_tmp'), join(directory, '..data'));
    await comesTo(store, 'CN=renewed');
  });

  it('of both the password and the file is detected', async () => {
    const { store, file, directory } = storeOver({});
    await comesTo(store, 'CN=one');
    writeFileSync(file, pkcs12File({ ...wish, password: 'another', keys: { one: renewed } }));
    writeFileSync(join(directory, 'pass'), 'another');
    await comesTo(store, 'CN=renewed');
  });

  it('of another file in the directory is ignored', async () => {
    const { store, file } = storeOver({});
    const before = await store.keys('sign', 'sign');
    const heard = vi.fn();
    store.watch(heard);
    writeFileSync(join(dirname(file), 'other'), 'x');
    const { store: watching } = storeOver({}, { file });
    writeFileSync(`${file}.part`, other);
    renameSync(`${file}.part`, file);
    await comesTo(watching, 'CN=renewed');
    await comesTo(store, 'CN=renewed');
    expect(before[0]?.certificates[0]?.subject).toBe('CN=one');
    expect(heard).toHaveBeenCalledTimes(1);
  });

  it('that deletes the file keeps the secrets until the lease expires', async () => {
    const long = storeOver({});
    const short = storeOver({}, { leaseExpiry: '200 milliseconds' });
    await comesTo(long.store, 'CN=one');
    await comesTo(short.store, 'CN=one');
    unlinkSync(long.file);
    unlinkSync(short.file);
    await vi.waitFor(() => expect(short.store.key('sign', 'sign')).rejects.toThrow('cannot be read'), {
      timeout: 10_000,
    });
    expect((await long.store.key('sign', 'sign')).stableId).toBe('One');
  });

  it('to a file that cannot be opened keeps the secrets and logs it', async () => {
    const { store, file, logged } = storeOver({});
    await comesTo(store, 'CN=one');
    writeFileSync(file, other.subarray(0, 700));
    const noticed = async (): Promise<void> => {
      await comesTo(store, 'CN=one');
      expect(logged.map(({ msg }) => msg)).toContain('could not open a keystore');
    };
    await vi.waitFor(noticed, { timeout: 120_000 });
    writeFileSync(file, other);
    await comesTo(store, 'CN=renewed');
  });

  it('is not detected before the lease expires if the file is not watched', async () => {
    const quiet = storeOver({}, { autoRefresh: { enabled: false } });
    const brief = storeOver({}, { autoRefresh: { enabled: false }, leaseExpiry: '50 milliseconds', file: quiet.file });
    await comesTo(quiet.store, 'CN=one');
    await comesTo(brief.store, 'CN=one');
    writeFileSync(quiet.file, other);
    await comesTo(brief.store, 'CN=renewed');
    expect((await quiet.store.key('sign', 'sign')).certificates[0]?.subject).toBe('CN=one');
  });

  it('without effect returns the same objects after the lease expires', async () => {
    const { store } = storeOver({}, { leaseExpiry: '1 millisecond' });
    const before: StoredSecret = await store.key('sign', 'sign');
    await vi.waitFor(async () => expect(await store.key('sign', 'sign')).toBe(before));
  });
});
