import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { exportedStore, type StoreSource } from '../../../controller/export/exported-store.ts';

const files: Readonly<Record<string, string>> = {
  '/s/keystore.p12': 'K',
  '/s/keystore.pass': 'P',
  '/s/odd name': 'O',
  '/t/keystore.p12': 'another',
};
const reach = {
  readFile: (path: string) => (Object.hasOwn(files, path) ? Buffer.from(files[path]!) : null),
  listDirectory: (path: string) =>
    Object.keys(files)
      .filter((one) => one.startsWith(`${path}/`))
      .map((one) => one.slice(path.length + 1)),
};
const source = (written: JsonObject, others: Record<string, JsonObject> = {}): StoreSource => ({
  written,
  resolved: written,
  other: (name) => (others[name] === undefined ? null : source(others[name])),
});
const fileStore = (directory: string): JsonObject => ({
  type: 'FileSystemSecretStore',
  config: { directory, format: 'PLAIN' },
});

describe('exportedStore', () => {
  it('exports the files of a directory, except files that a Secret cannot contain', () => {
    const { type, config, items, data, left } = exportedStore(source(fileStore('/s')), reach);
    expect({ type, config, items, left }).toEqual({
      type: 'FileSystemSecretStore',
      config: { format: 'PLAIN' },
      items: [{ key: 'keystore.p12' }, { key: 'keystore.pass' }],
      left: ['odd name'],
    });
    expect(Buffer.from(data.get('keystore.pass')!).toString()).toBe('P');
  });

  it('exports a keystore together with its password files, declared anywhere', () => {
    for (const secretsProvider of ['passwords', fileStore('/s')]) {
      const written = {
        type: 'KeyStoreSecretStore',
        config: { file: '/s/keystore.p12', secretsProvider, mappings: [] },
      };
      const { config, items } = exportedStore(source(written, { passwords: fileStore('/s') }), reach);
      expect(config).toEqual({
        file: 'keystore.p12',
        secretsProvider: { type: 'FileSystemSecretStore', config: { format: 'PLAIN' } },
        mappings: [],
      });
      expect(items).toEqual([{ key: 'keystore.p12' }, { key: 'keystore.pass' }]);
    }
  });

  it('reports a file that hides another, and one that cannot be read', () => {
    const written = {
      type: 'KeyStoreSecretStore',
      config: { file: '/s/keystore.p12', secretsProvider: fileStore('/t') },
    };
    expect(exportedStore(source(written), reach).left).toEqual(['keystore.p12']);
    const gone = exportedStore(source({ type: 'KeyStoreSecretStore', config: { file: '/s/gone.p12' } }), reach);
    expect(gone.data.get('gone.p12')).toBeNull();
  });

  it('does not export a provider that is not a directory', () => {
    const written = { type: 'KeyStoreSecretStore', config: { file: '/s/keystore.p12', secretsProvider: 'other' } };
    const { config } = exportedStore(source(written, { other: { type: 'SystemAndEnvSecretStore' } }), reach);
    expect(config).toEqual({ file: 'keystore.p12', secretsProvider: 'other' });
  });

  it('exports literal values, and leaves references to values', () => {
    const secrets = { 'a.b': 'QQ==', 'c d': 'Qg==', e: '&{token}' };
    const { config, items, data } = exportedStore(
      source({ type: 'Base64EncodedSecretStore', config: { secrets } }),
      reach,
    );
    expect(config).toEqual({ secrets: { e: '&{token}' } });
    expect(items).toEqual([
      { key: 'a.b', secretId: 'a.b' },
      { key: 'c_d', secretId: 'c d' },
    ]);
    expect([...data.values()].map((bytes) => Buffer.from(bytes!).toString())).toEqual(['A', 'B']);
  });
});
