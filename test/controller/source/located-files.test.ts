import { afterEach, describe, expect, it, vi } from 'vitest';
import { openInstance } from '../../../cli/actions/open-instance.ts';
import type { JsonValue } from '../../../contract/document/json-value.ts';
import type { Update } from '../../../contract/snapshot.ts';
import type { Verdict } from '../../../controller/compile/verdict.ts';
import { LiveInstance } from '../../../controller/live-instance.ts';
import type { DirectorySource } from '../../../controller/source/directory-source.ts';
import { instanceLayout } from '../../../controller/source/instance-layout.ts';
import { type FolderContent, InstanceFolder } from '../../support/gateways/instance-folder.ts';

let folder: InstanceFolder;
let source: DirectorySource;
/** What is served, by route; `config.json` under its own name. */
const served = new Map<string, JsonValue>();
/** The routes of each update that was delivered. */
let updates: string[][];
/** What the newest compilation says of each file. */
let verdicts: readonly Verdict[];

afterEach(() => {
  source.close();
  folder[Symbol.dispose]();
});

/** Follows an instance; `scanInterval` counts where nothing is watched. */
async function follow(content: FolderContent, watch = true): Promise<void> {
  folder = new InstanceFolder(content);
  served.clear();
  updates = [];
  verdicts = [];
  let live: LiveInstance | null = null;
  const instance = openInstance(instanceLayout(folder.path), { system: {}, watch, changed: () => live?.changed() });
  ({ source } = instance);
  live = new LiveInstance({
    ...instance,
    configDirectory: instance.layout.config,
    compiled(compilation) {
      ({ verdicts } = compilation);
    },
    failed(error) {
      throw error;
    },
    deliver(update) {
      take(update);
      return Promise.resolve([]);
    },
  });
  take((await live.begin()).update!);
}

function take({ base, set }: Update): void {
  if (base !== null) served.set('config.json', base.document['properties'] ?? null);
  for (const { id, document } of set) served.set(id, document['properties'] ?? null);
  updates.push(set.map(({ id }) => id));
}

/** Waits until a document has these properties. */
async function become(name: string, properties: JsonValue): Promise<void> {
  await vi.waitFor(() => expect(served.get(name)).toEqual(properties), { timeout: 250_000, interval: 5 });
}

const baseURI = 'http://127.0.0.1:1';
const route = (properties: unknown): object => ({ properties, baseURI, handler: 'ReverseProxyHandler' });
const config = { handler: { type: 'Router', config: { scanInterval: '20 milliseconds' } } };

describe.each([
  ['watched', true],
  ['looked at every scan interval', false],
])('a file that a document names with $location and that is %s', (_, watch) => {
  it('changes only the routes that use it', async () => {
    await follow(
      {
        'config/config.json': config,
        'config/routes/a.json': route({ $location: 'values/shop.json' }),
        'config/routes/b.json': route({ limit: { $location: 'values/limit.properties' } }),
        'config/values/shop.json': { name: 'first' },
        'config/values/limit.properties': 'most=1\n',
      },
      watch,
    );
    expect(Object.fromEntries(served)).toMatchObject({ a: { name: 'first' }, b: { limit: { most: '1' } } });
    folder.write('config/values/shop.json', { name: 'second' });
    await become('a', { name: 'second' });
    folder.replace('config/values/limit.properties', 'most=2\n');
    await become('b', { limit: { most: '2' } });
    expect(updates).toEqual([['a', 'b'], ['a'], ['b']]);
  });

  it('changes config.json', async () => {
    const content = { ...config, properties: { $location: 'values.json' } };
    await follow({ 'config/config.json': content, 'config/values.json': { name: 'first' } }, watch);
    folder.replace('config/values.json', { name: 'second' });
    await become('config.json', { name: 'second' });
  });
});

describe('a file that a document names with $location', () => {
  it('keeps the last valid version while it is missing, and takes effect when it is restored', async () => {
    await follow({
      'config/config.json': config,
      'config/routes/a.json': route({ $location: 'values/shop.json' }),
      'config/routes/b.json': route({ turn: 1 }),
      'config/values/shop.json': { name: 'first' },
    });
    folder.remove('config/values/shop.json');
    folder.write('config/routes/b.json', route({ turn: 2 }));
    await become('b', { turn: 2 });
    const verdict = (): Verdict | undefined => verdicts.find(({ file }) => file.path.endsWith('a.json'));
    await vi.waitFor(() => expect(verdict()?.serves).toBe('last-good'), { timeout: 250_000, interval: 5 });
    expect(served.get('a')).toEqual({ name: 'first' });
    folder.write('config/values/shop.json', { name: 'second' });
    await become('a', { name: 'second' });
  });

  it('counts although it was missing when the instance started', async () => {
    await follow({
      'config/config.json': config,
      'config/routes/a.json': route({ $location: 'values/shop.json' }),
    });
    expect(served.get('a')).toBeNull(); // its requests are refused
    folder.write('config/values/shop.json', { name: 'first' });
    await become('a', { name: 'first' });
  });

  it('changes routes even while config.json is invalid', async () => {
    await follow({
      'config/config.json': config,
      'config/routes/a.json': route({ $location: 'values.json' }),
      'config/values.json': { name: 'first' },
    });
    folder.replace('config/config.json', { handler: 'nobody' });
    folder.replace('config/values.json', { name: 'second' });
    await become('a', { name: 'second' });
  });

  it('is not followed any more once no document names it', async () => {
    await follow({
      'config/config.json': config,
      'config/routes/a.json': route({ $location: 'old.json' }),
      'config/old.json': { name: 'old' },
      'config/new.json': { name: 'new' },
    });
    folder.replace('config/routes/a.json', route({ $location: 'new.json' }));
    await become('a', { name: 'new' });
    folder.replace('config/new.json', { name: 'newer' });
    await become('a', { name: 'newer' });
    const { epoch } = source.state;
    folder.replace('config/old.json', { name: 'older' });
    folder.replace('config/new.json', { name: 'newest' });
    await become('a', { name: 'newest' });
    expect(source.state.epoch).toBe(epoch + 1);
  });
});
