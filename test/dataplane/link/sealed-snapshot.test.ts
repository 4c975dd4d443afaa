import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { type RouteEntry, routeKeyText } from '../../../contract/snapshot.ts';
import type { Holding } from '../../../dataplane/link/holding.ts';
import { sealName } from '../../../dataplane/link/seal.ts';
import { SealedSnapshot, type SealedSnapshotOptions } from '../../../dataplane/link/sealed-snapshot.ts';
import { forbidding } from '../../support/channel/forbidden-resource.ts';
import { watchedDirectory } from '../../support/state/temporary-files.ts';

const SECRET = 'c2VjcmV0IGtleQ==';

function holding(revision: string, count = 3): Holding {
  const entries = Array.from({ length: count }, (_, i): RouteEntry => {
    const files = { 'shop/keys/key': SECRET };
    return { router: 'r', id: `route-${i}`, name: `n${i}`, document: { handler: 'é' }, hash: `${i}`, files };
  });
  return {
    revision,
    base: { document: { handler: 'x' }, hash: 'b', admin: { prefix: 'y' } },
    routes: new Map(entries.map((entry) => [routeKeyText(entry), entry])),
    defaults: ['r'],
    gone: new Map([['uid', '12']]),
    unbuilt: new Set(),
    resources: new Map([['forbidden/one', forbidding('one', '10.0.0.1', '10.0.0.2:9090')]]),
  };
}

interface Scene {
  readonly directory: string;
  readonly file: string;
  readonly keyFile: string;
  readonly lines: { readonly level: number; readonly msg: string; readonly [name: string]: unknown }[];
  snapshot(changes?: Partial<SealedSnapshotOptions>): SealedSnapshot;
}

function scene(): Scene {
  const { path } = watchedDirectory();
  const directory = join(path, 'kept');
  const keyFile = join(path, 'seal.key');
  writeFileSync(keyFile, Buffer.alloc(32, 7));
  const lines: Scene['lines'] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const common = { directory, keyFile, identity: 'me', maxAge: 1000, log, now: () => 5000 };
  return {
    directory,
    file: join(directory, 'snapshot.sealed'),
    keyFile,
    lines,
    snapshot: (changes = {}) => new SealedSnapshot({ ...common, ...changes }),
  };
}

/** The same with other routes: words are `id#hash`, and `-id` for one that is gone. */
function changed(before: Holding, revision: string, ...words: readonly string[]): Holding {
  const routes = new Map(before.routes);
  for (const word of words) {
    const [id = '', hash = ''] = word.replace('-', '').split('#');
    const entry: RouteEntry = { router: 'r', id, name: id, document: { text: 'changed' }, hash };
    if (word.startsWith('-')) routes.delete(routeKeyText(entry));
    else routes.set(routeKeyText(entry), entry);
  }
  return { ...before, revision, routes };
}

/** The journals beside the snapshot. */
function journals({ directory }: Scene): string[] {
  return readdirSync(directory).filter((name) => name.endsWith('.journal'));
}

/** Writes one and is done with it. */
async function kept(scene: Scene, what: Holding = holding('one')): Promise<void> {
  const snapshot = scene.snapshot();
  await snapshot.save(what);
  await snapshot.close();
}

describe('a snapshot on disk', () => {
  it.each([0, 1, 199, 200, 1001])('is restored unchanged, with %i routes', async (count) => {
    const here = scene();
    await kept(here, holding('one', count));
    expect(await here.snapshot().read()).toEqual({ holding: holding('one', count), time: 5000 });
  });

  it('reveals no content, and cannot be opened with another key', async () => {
    const here = scene();
    await kept(here);
    const bytes = readFileSync(here.file);
    for (const text of [SECRET, 'route-1', 'shop/keys']) expect(bytes.includes(text)).toBe(false);
    expect(statSync(here.file).mode & 0o777).toBe(0o600);
    expect(statSync(here.directory).mode & 0o777).toBe(0o700);
  });

  it('is never encrypted twice in the same way', async () => {
    const here = scene();
    await kept(here);
    const first = readFileSync(here.file);
    await kept(here);
    expect(readFileSync(here.file).subarray(8, 60)).not.toEqual(first.subarray(8, 60));
  });

  it('is the newest of several', async () => {
    const here = scene();
    const snapshot = here.snapshot();
    const saves = Array.from({ length: 50 }, (_, i) => snapshot.save(holding(`${i}`)));
    await Promise.all([...saves, snapshot.close()]);
    expect((await here.snapshot().read())?.holding.revision).toBe('49');
  });

  it('is written at the end even when another one is being written', async () => {
    const here = scene();
    const snapshot = here.snapshot();
    const saved = snapshot.save(holding('one', 2000));
    const closed = snapshot.close();
    await Promise.all([saved, closed, snapshot.save(holding('two'))]);
    expect((await here.snapshot().read())?.holding.revision).toBe('two');
  });

  it('leaves nothing beside it', async () => {
    const here = scene();
    mkdirSync(here.directory);
    writeFileSync(`${here.file}.${hostname()}.tmp`, 'of a process that was killed');
    await kept(here);
    expect((await here.snapshot().read())?.holding.revision).toBe('one');
    expect(() => statSync(`${here.file}.${hostname()}.tmp`)).toThrow(/ENOENT/);
  });
});

describe('the journal of a snapshot', () => {
  it('contains later changes, each on disk once it is saved', async () => {
    const here = scene();
    const snapshot = here.snapshot();
    const first = holding('one');
    const second = changed(first, 'two', 'route-1#new', 'b#1');
    const third = {
      ...changed(second, 'three', '-route-2', '-b'),
      base: { document: { handler: 'z' }, hash: 'c' },
      defaults: [],
      gone: new Map([['other', '13']]),
    };
    for (const next of [first, second, third]) {
      await snapshot.save(next);
      expect(await here.snapshot().read()).toEqual({ holding: next, time: 5000 });
    }
    await snapshot.close();
  });

  it('needs a small write for one route of thousands', async () => {
    const here = scene();
    const snapshot = here.snapshot();
    const first = holding('one', 5000);
    await snapshot.save(first);
    const whole = readFileSync(here.file);
    await snapshot.save(changed(first, 'two', 'route-1#new'));
    expect(readFileSync(here.file).equals(whole)).toBe(true);
    expect(statSync(join(here.directory, journals(here)[0]!)).size).toBeLessThan(1000);
    await snapshot.close();
  });

  it('reveals no content, and cannot be opened with another key', async () => {
    const here = scene();
    const snapshot = here.snapshot();
    await snapshot.save(holding('one'));
    await snapshot.save(changed(holding('one'), 'two', 'route-1#new'));
    await snapshot.close();
    const file = join(here.directory, journals(here)[0]!);
    for (const text of [SECRET, 'route-1', 'changed']) expect(readFileSync(file).includes(text)).toBe(false);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it.each<[string, spoil: (file: string, lengths: readonly number[]) => void, revision: string]>([
    ['the last record was cut off', (file, [, , all]) => truncateSync(file, all! - 1), 'two'],
    ['its length was cut off', (file, [, two]) => truncateSync(file, two! + 2), 'two'],
    ['the last record was changed', (file, [, , all]) => flip(file, all! - 20), 'two'],
    ['the first record was changed', (file) => flip(file, 80), 'one'],
    ['the first record was left out', (file, [, two]) => writeFileSync(file, readFileSync(file).subarray(two)), 'one'],
  ])('is valid up to the first invalid record when %s', async (_, spoil, revision) => {
    const here = scene();
    const snapshot = here.snapshot();
    const lengths: number[] = [];
    for (const [at, next] of ['one', 'two', 'three'].entries()) {
      await snapshot.save(changed(holding('one'), next, `a#${at}`));
      lengths.push(journals(here).length === 0 ? 0 : statSync(join(here.directory, journals(here)[0]!)).size);
    }
    await snapshot.close();
    spoil(join(here.directory, journals(here)[0]!), lengths);
    expect((await here.snapshot().read())?.holding.revision).toBe(revision);
    expect(here.lines).toEqual([expect.objectContaining({ level: 40, msg: expect.stringMatching(/truncated/) })]);
  });

  it('is replaced by a new snapshot when it has become long', async () => {
    const here = scene();
    const snapshot = here.snapshot({ journalBytes: 1000 });
    let next = holding('0');
    for (let i = 1; i <= 20; i++) {
      next = changed(next, `${i}`, `route-${i % 5}#${i}`);
      await snapshot.save(next);
    }
    await snapshot.close();
    expect(await here.snapshot().read()).toEqual({ holding: next, time: 5000 });
    expect(journals(here).length).toBeLessThanOrEqual(1);
    for (const name of journals(here)) expect(statSync(join(here.directory, name)).size).toBeLessThan(2000);
  });

  it('is replaced by a new snapshot when the key changed', async () => {
    const here = scene();
    const snapshot = here.snapshot();
    await snapshot.save(holding('one'));
    await snapshot.save(holding('two'));
    writeFileSync(here.keyFile, Buffer.alloc(32, 9));
    await snapshot.save(holding('three'));
    await snapshot.close();
    expect((await here.snapshot().read())?.holding.revision).toBe('three');
  });

  it('is replaced by a new snapshot when another data plane replaced its base', async () => {
    const here = scene();
    const snapshot = here.snapshot();
    await snapshot.save(holding('one'));
    await kept(here, holding('of another plane'));
    await snapshot.save(holding('two'));
    expect((await here.snapshot().read())?.holding.revision).toBe('two');
    rmSync(here.file);
    await snapshot.save(holding('three'));
    expect((await here.snapshot().read())?.holding.revision).toBe('three');
    await snapshot.close();
  });

  it('of a replaced snapshot is deleted after a while', async () => {
    const here = scene();
    mkdirSync(here.directory);
    const old = join(here.directory, 'snapshot.abc.journal');
    const fresh = join(here.directory, 'snapshot.def.journal');
    for (const file of [old, fresh]) writeFileSync(file, '');
    utimesSync(old, 1, 1);
    await kept(here);
    expect(journals(here)).toEqual(['snapshot.def.journal']);
  });

  it('of another snapshot is not read', async () => {
    const here = scene();
    const snapshot = here.snapshot();
    await snapshot.save(holding('one'));
    await snapshot.save(holding('two'));
    await snapshot.close();
    const [journal = ''] = journals(here);
    await kept(here, holding('later'));
    const name = sealName(readFileSync(here.file));
    renameSync(join(here.directory, journal), join(here.directory, `snapshot.${name}.journal`));
    expect((await here.snapshot().read())?.holding.revision).toBe('later');
  });
});

describe('a snapshot that may not be used', () => {
  it.each<[string, spoil: (here: Scene) => void, changes: Partial<SealedSnapshotOptions>, reason: RegExp]>([
    ['is not there', ({ file }) => rmSync(file), {}, /no snapshot on disk/],
    ['is empty', ({ file }) => truncateSync(file), {}, /format/],
    ['is cut off', ({ file }) => truncateSync(file, statSync(file).size - 1), {}, /damaged/],
    ['is cut off early', ({ file }) => truncateSync(file, 20), {}, /format/],
    ['was changed', ({ file }) => flip(file, 200), {}, /damaged/],
    ['has another salt', ({ file }) => flip(file, 10), {}, /damaged/],
    ['has another nonce', ({ file }) => flip(file, 45), {}, /damaged/],
    ['has another format', ({ file }) => flip(file, 6), {}, /format/],
    ['is something else', ({ file }) => writeFileSync(file, '{"revision":"one"}'), {}, /format/],
    ['is for another data plane', () => {}, { identity: 'you' }, /another data plane/],
    ['has another key', ({ keyFile }) => writeFileSync(keyFile, Buffer.alloc(32, 8)), {}, /another key/],
    ['has a key that is too short', ({ keyFile }) => writeFileSync(keyFile, 'short'), {}, /fewer than 32 bytes/],
    ['has no key', ({ keyFile }) => rmSync(keyFile), {}, /seal\.key/],
    ['is too old', () => {}, { now: () => 6001 }, /too old/],
  ])('is reported with the reason: %s', async (_, spoil, changes, reason) => {
    const here = scene();
    await kept(here);
    spoil(here);
    expect(await here.snapshot(changes).read()).toBeNull();
    expect(here.lines).toHaveLength(1);
    const [line] = here.lines;
    expect(`${line?.msg} ${line?.['reason'] ?? ''}`).toMatch(reason);
  });

  it('is used at exactly its maximum age', async () => {
    const here = scene();
    await kept(here);
    expect(await here.snapshot({ now: () => 6000 }).read()).not.toBeNull();
  });

  it('is used when clocks run backwards', async () => {
    const here = scene();
    await kept(here);
    expect(await here.snapshot({ now: () => 1 }).read()).not.toBeNull();
  });
});

describe('a disk that cannot be written', () => {
  it('is reported once, and retried', async () => {
    const here = scene();
    writeFileSync(here.directory, 'a file in its place');
    const snapshot = here.snapshot();
    for (const revision of ['one', 'two']) {
      await snapshot.save(holding(revision));
      await snapshot.close();
    }
    expect(here.lines.map(({ level, msg }) => [level, msg.slice(0, 28)])).toEqual([
      [40, 'could not write the snapshot'],
    ]);
    rmSync(here.directory);
    await snapshot.save(holding('three'));
    await snapshot.close();
    expect(here.lines.at(-1)?.msg).toBe('snapshot written again after failures');
    expect((await here.snapshot().read())?.holding.revision).toBe('three');
  });

  it('keeps the previous snapshot', async () => {
    const here = scene();
    await kept(here);
    mkdirSync(`${here.file}.${hostname()}.tmp`); // nothing can be written in its place
    writeFileSync(join(`${here.file}.${hostname()}.tmp`, 'x'), '');
    await kept(here, holding('two'));
    expect((await here.snapshot().read())?.holding.revision).toBe('one');
    expect(here.lines[0]).toMatchObject({ level: 40, reason: expect.stringMatching(/EISDIR|directory/) });
  });
});

function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at]! ^= 1;
  writeFileSync(file, bytes);
}
