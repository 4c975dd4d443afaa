import { randomBytes } from 'node:crypto';
import { brotliCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import {
  historyFacts,
  historyObject,
  type KeptVersion,
  readHistory,
  versionOf,
  withVersions,
} from '../../../../controller/cluster/versions/route-history.ts';
import { resource } from '../../../support/cluster/judged-resources.ts';

const version = (generation: number, document: JsonObject = { name: `v${generation}` }): KeptVersion => ({
  ...{ generation, document },
  changed: { at: '2026-11-01T10:00:00Z', manager: 'kubectl-edit' },
});
const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const place = { namespace: 'shop', name: 'orders' };

describe('a history', () => {
  it('is read as it was written', async () => {
    const versions = [version(3), { ...version(4), changed: null }];
    const object = await historyObject(place, { route: 'uid-1', resourceVersion: '7', versions });
    expect(object).toMatchObject({
      kind: 'RouteHistory',
      metadata: {
        ...{ name: 'orders', namespace: 'shop', resourceVersion: '7' },
        ownerReferences: [{ kind: 'Route', name: 'orders', uid: 'uid-1' }],
      },
      count: 2,
      newest: { generation: 4 },
    });
    expect(await readHistory(object)).toEqual({ route: 'uid-1', resourceVersion: '7', versions });
    expect(historyFacts(object)).toEqual({ ...place, route: 'uid-1', newest: 4 });
  });

  it.each(['', 'AAAA', 'not base64', Buffer.from('{}').toString('base64')])(
    'has no versions if its data is %j',
    async (data) => {
      expect((await readHistory({ data })).versions).toEqual([]);
    },
  );

  it.each([
    ['more text than any', `[${' '.repeat(4_200_000)}${JSON.stringify(version(1))}]`],
    ['hundreds of thousands of objects', `[${'{},'.repeat(450_000)}${JSON.stringify(version(1))}]`],
    ['a document that is nested too deeply', `[{"generation":1,"document":{"ключ":${deep(100_000)}}}]`],
    ['a generation that is no count', '[{"generation":1.5,"document":{}},{"generation":-1,"document":{}}]'],
    ['a generation beyond all counts', '[{"generation":1e300,"document":{}}]'],
  ])('that somebody else wrote with %s has no versions', async (_, text) => {
    const data = brotliCompressSync(text).toString('base64');
    expect((await readHistory({ data })).versions).toEqual([]);
  });

  it('that somebody else wrote with hundreds of versions has fifty', async () => {
    const versions = Array.from({ length: 300 }, (_, at) => version(at + 1));
    const data = brotliCompressSync(JSON.stringify(versions)).toString('base64');
    expect((await readHistory({ data })).versions).toEqual(versions.slice(-50));
  });

  it('has texts with any number of braces', async () => {
    const versions = [version(1, { text: `"\\"${'{['.repeat(300_000)}` })];
    const object = await historyObject(place, { route: 'uid-1', resourceVersion: '', versions });
    expect((await readHistory(object)).versions).toEqual(versions);
  });

  it('loses its oldest versions when it takes too much room, and keeps the newest one', async () => {
    const noise = (): JsonObject => ({ entity: randomBytes(60_000).toString('base64') });
    const versions = Array.from({ length: 20 }, (_, at) => version(at + 1, noise()));
    const object = await historyObject(place, { route: 'uid-1', resourceVersion: '', versions });
    expect(JSON.stringify(object).length).toBeLessThan(400_000);
    const { versions: kept } = await readHistory(object);
    expect(kept.length).toBeGreaterThan(0);
    expect(kept).toEqual(versions.slice(-kept.length));
  });

  it('of 20 versions that resemble each other takes hardly more room than one', async () => {
    const filters = Array.from({ length: 40 }, (_, at) => ({ name: `f${at}`, type: 'HeaderFilter', config: { at } }));
    const versions = Array.from({ length: 20 }, (_, at) => version(at + 1, { filters, entity: `text ${at}` }));
    const [one, all] = await Promise.all(
      [versions.slice(0, 1), versions].map((some) =>
        historyObject(place, { route: 'uid-1', resourceVersion: '', versions: some }),
      ),
    );
    expect(String(all!['data']).length).toBeLessThan(3 * String(one!['data']).length + 1000);
  });
});

describe('versions', () => {
  it('are added in the order of their generations, as many as may be kept', () => {
    expect(withVersions([version(1), version(2)], [version(4), version(3)], 3)).toEqual([
      version(2),
      version(3),
      version(4),
    ]);
  });

  it('are not added twice, nor if they say the same as the one before', () => {
    const before = [version(1), version(2)];
    expect(withVersions(before, [version(2), version(3, { name: 'v2' })], 20)).toBe(before);
  });

  it('have null in the places of secrets that are written into a Route', () => {
    const spec = { handler: { type: 'ClientHandler', config: { password: 'hunter2', username: 'me' } } };
    const { document } = versionOf(resource('orders', { spec }));
    expect(document).toEqual({ handler: { type: 'ClientHandler', config: { password: null, username: 'me' } } });
  });
});
