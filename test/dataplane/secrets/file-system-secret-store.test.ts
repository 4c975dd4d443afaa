import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { noReach, type Reach } from '../../../contract/reach.ts';
import { NoSuchSecret, type SecretStore, UnreadableSecret } from '../../../dataplane/heap/objects/secrets.ts';
import { buildObject } from '../../support/gateways/built-object.ts';
import { refusals } from '../../support/gateways/refused-objects.ts';
import { revealed, secretFolder } from '../../support/identity/secret-folder.ts';

const TYPE = 'FileSystemSecretStore';

function storeAt(directory: string, config: JsonObject = {}, reach?: Reach) {
  return buildObject('secretStore', TYPE, { directory, format: 'PLAIN', ...config }, reach);
}

async function comesTo(store: SecretStore, value: string): Promise<void> {
  await vi.waitFor(async () => expect(revealed(await store.active('a'))).toBe(value), { timeout: 120_000 });
}

describe(TYPE, () => {
  it.each([
    ['a file as it is', 'a', 'pass word', {}, 'pass word'],
    ['base64 by default', 'a', 'cGFzcw==\n', { format: undefined }, 'pass'],
    ['an id with dots', 'a.b-c_d', 'pass', {}, 'pass'],
    ['a suffix', 'a', 'pass', { suffix: '.txt' }, 'pass'],
  ])('finds %s', async (_, id, content, config, expected) => {
    const directory = secretFolder({ [`${id}${'suffix' in config ? config.suffix : ''}`]: content });
    const plain = Object.fromEntries(
      Object.entries({ format: 'PLAIN', ...config }).filter(([, one]) => one !== undefined),
    );
    const { object: store } = buildObject('secretStore', TYPE, { directory, ...plain });
    expect(revealed(await store.active(id))).toBe(expected);
  });

  it('keeps a trailing line break and logs a warning', async () => {
    const { object: store, logged } = storeAt(secretFolder({ a: 'pass\n' }));
    expect(revealed(await store.active('a'))).toBe('pass\n');
    expect(logged).toMatchObject([{ secretId: 'a', msg: expect.stringContaining('ends with a line break') }]);
  });

  it.each([
    [
      'is not there',
      {},
      NoSuchSecret,
      "there is no secret 'a' of the kind GenericSecret in 'it': there is no file 'DIR/a'",
    ],
    ['is empty', { a: '' }, UnreadableSecret, "the secret 'a' of 'it' cannot be read: it is empty"],
  ])('rejects a file that %s', async (_, files, type, message) => {
    const directory = secretFolder(files);
    const error = await storeAt(directory)
      .object.active('a')
      .catch((one: unknown) => one);
    expect(error).toBeInstanceOf(type);
    expect(error).toHaveProperty('message', message.replace('DIR', directory));
  });

  it('distinguishes a directory entry that is not a file from a missing file', async () => {
    const directory = secretFolder();
    mkdirSync(join(directory, 'a'));
    await expect(storeAt(directory).object.active('a')).rejects.toThrow(
      `the secret 'a' of 'it' cannot be read: the file '${join(directory, 'a')}' cannot be read`,
    );
  });

  it('does not read files outside of its directory', async () => {
    const directory = secretFolder({ a: 'pass' });
    const { object: store } = storeAt(directory);
    for (const id of [`../${directory.split('/').at(-1)}/a`, '..', './a', '']) {
      await expect(store.active(id)).rejects.toThrow('it is not a secret id');
    }
  });

  it('cannot be built without its directory', () => {
    expect(() => storeAt(join(secretFolder(), 'none'))).toThrow(/the directory '.*none' cannot be read/);
  });

  it.each([
    [{}, ['config.directory: is required']],
    [{ directory: '/x', suffix: '/../y' }, ['config.suffix: must be the end of a file name, without a slash']],
    [{ directory: '/x', versionSuffix: 'v' }, ['config.versionSuffix: is known, but not available in this version']],
    [{ directory: '/x', autoRefresh: true }, ['config.autoRefresh: must be an object, not a boolean']],
    [
      { directory: '/x', autoRefresh: { executor: 'Clock' } },
      ["config.autoRefresh.executor: must be a ScheduledExecutorService, but 'Clock' is a Clock"],
    ],
  ])('refuses %j', (config, said) => {
    expect(refusals({ type: TYPE, config })).toEqual(said);
  });

  it('rejects documents of tenants', () => {
    const said = 'config.directory: is for operators only: it is a path on the machine of the data plane';
    expect(refusals({ type: TYPE, config: { directory: '/x' } }, [], noReach)).toEqual([said]);
  });
});

describe('a change of files', () => {
  /** The lease is long: what is noticed is noticed by watching. */
  const cases: readonly (readonly [string, (directory: string) => void, string])[] = [
    ['an edit', (directory) => writeFileSync(join(directory, 'a'), 'new'), 'new'],
    [
      'another file in its place',
      (directory) => {
        writeFileSync(join(directory, '.a.part'), 'new');
        renameSync(join(directory, '.a.part'), join(directory, 'a'));
      },
      'new',
    ],
    [
      'another directory in the place of this one',
      (directory) => {
        rmSync(directory, { recursive: true });
        mkdirSync(directory);
        writeFileSync(join(directory, 'a'), 'new');
      },
      'new',
    ],
  ];

  it.each(cases)('is detected: %s', async (_, change, expected) => {
    const directory = join(secretFolder(), 'secrets');
    mkdirSync(directory);
    writeFileSync(join(directory, 'a'), 'old');
    const { object: store } = storeAt(directory);
    const heard = vi.fn();
    store.watch(heard);
    await comesTo(store, 'old');
    change(directory);
    await comesTo(store, expected);
    expect(heard).toHaveBeenCalled();
    writeFileSync(join(directory, 'a'), 'newer');
    await comesTo(store, 'newer');
  });

  it('is detected: a file that is removed and created again', async () => {
    const directory = secretFolder({ a: 'old' });
    const { object: store } = storeAt(directory);
    await comesTo(store, 'old');
    unlinkSync(join(directory, 'a'));
    await vi.waitFor(() => expect(store.active('a')).rejects.toThrow(NoSuchSecret), { timeout: 120_000 });
    writeFileSync(join(directory, 'a'), 'new');
    await comesTo(store, 'new');
  });

  it('is detected when Kubernetes swaps all files at once', async () => {
    const directory = secretFolder();
    for (const version of ['old', 'new']) {
      mkdirSync(join(directory, `..${version}`));
      writeFileSync(join(directory, `..${version}`, 'a'), version);
    }
    symlinkSync('..old', join(directory, '..data'));
    symlinkSync('..data/a', join(directory, 'a'));
    const { object: store } = storeAt(directory);
    await comesTo(store, 'old');
    symlinkSync('..new', join(directory, '..data_tmp'));
    renameSync(join(directory, '..data_tmp'), join(directory, '..data'));
    await comesTo(store, 'new');
  });

  it('returns the same objects for an unchanged file', async () => {
    const directory = secretFolder({ a: 'same' });
    const { object: store } = storeAt(directory);
    const before = await store.active('a');
    const heard = vi.fn();
    store.watch(heard);
    writeFileSync(join(directory, 'b'), 'other');
    await vi.waitFor(() => expect(heard).toHaveBeenCalled(), { timeout: 120_000 });
    expect(await store.active('a')).toBe(before);
  });

  it('that makes a file unreadable keeps the old value and logs it', async () => {
    const directory = secretFolder({ a: 'cGFzcw==' });
    const { object: store, logged } = storeAt(directory, { format: 'BASE64' });
    await comesTo(store, 'pass');
    writeFileSync(join(directory, 'a'), 'not base64!');
    const noticed = async (): Promise<void> => {
      expect(revealed(await store.active('a'))).toBe('pass');
      expect(logged).toMatchObject([{ secretId: 'a', err: { type: 'UnreadableSecret' } }]);
    };
    await vi.waitFor(noticed, { timeout: 120_000 });
    rmSync(directory, { recursive: true });
    expect(revealed(await store.active('a'))).toBe('pass');
  });

  it('that makes a file unreadable removes the value when the lease expires', async () => {
    const directory = secretFolder({ a: 'cGFzcw==' });
    const { object: store } = storeAt(directory, { format: 'BASE64', leaseExpiry: '50 milliseconds' });
    await comesTo(store, 'pass');
    rmSync(directory, { recursive: true });
    await vi.waitFor(() => expect(store.active('a')).rejects.toThrow(`the directory '${directory}' cannot be read`), {
      timeout: 10_000,
    });
  });

  it('is detected when the lease expires if files are not watched', async () => {
    const directory = secretFolder({ a: 'old' });
    const { object: store } = storeAt(directory, { autoRefresh: { enabled: false }, leaseExpiry: '50 milliseconds' });
    await comesTo(store, 'old');
    writeFileSync(join(directory, 'a'), 'new');
    await comesTo(store, 'new');
  });

  it('is not detected before the lease expires if files are not watched', async () => {
    const directory = secretFolder({ a: 'old' });
    const { object: quiet } = storeAt(directory, { autoRefresh: { enabled: false } });
    const { object: watching } = storeAt(directory);
    await comesTo(quiet, 'old');
    await comesTo(watching, 'old');
    writeFileSync(join(directory, 'a'), 'new');
    await comesTo(watching, 'new');
    expect(revealed(await quiet.active('a'))).toBe('old');
  });
});
