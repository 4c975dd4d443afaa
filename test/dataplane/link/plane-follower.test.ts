import { rmSync, writeFileSync } from 'node:fs';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { RouteEntry } from '../../../contract/snapshot.ts';
import type { Holding } from '../../../dataplane/link/holding.ts';
import { PlaneFollower, type PlaneFollowerOptions } from '../../../dataplane/link/plane-follower.ts';
import { SealedSnapshot } from '../../../dataplane/link/sealed-snapshot.ts';
import type { BuildProblem } from '../../../dataplane/routes/configuration.ts';
import { CannotListen } from '../../../dataplane/supervisor/cannot-listen.ts';
import type { PlaneBeginning } from '../../../dataplane/supervisor/plane.ts';
import { NotingPlane } from '../../support/channel/noting-plane.ts';
import { wholeUpdate } from '../../support/channel/whole-update.ts';
import { InstanceFolder } from '../../support/gateways/instance-folder.ts';

const SHORT = { contact: 1, update: 1 };
const LONG = { contact: 60_000, update: 60_000 };
const base = { document: {}, hash: 'b' };
const about = { version: '1', catalogue: 'c', units: 1, name: 'n' };
const beginning: PlaneBeginning = {
  connectors: [{ scheme: 'http', host: undefined, port: 0, limits: {} }],
  serving: { kind: 'backend', destination: { host: 'x', port: 1 }, basePath: '', connections: 1 },
  units: 1,
};

function route(word: string): RouteEntry {
  const [id = '', hash = ''] = word.split('#');
  return { router: 'r', id, name: id, document: {}, hash };
}

interface Scene {
  readonly plane: NotingPlane;
  readonly follower: PlaneFollower;
  readonly lines: { readonly level: number; readonly msg: string }[];
  readonly begun: Holding[];
}

function scene(options: Partial<PlaneFollowerOptions> = {}): Scene {
  const plane = new NotingPlane();
  const lines: Scene['lines'] = [];
  const begun: Holding[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const follower = new PlaneFollower({
    plane,
    begin(holding) {
      begun.push(holding);
      return beginning;
    },
    file: null,
    about,
    log,
    ...options,
  });
  onTestFinished(() => follower.close());
  return { plane, follower, lines, begun };
}

const bad: BuildProblem = {
  route: null,
  problems: [{ code: 'build', severity: 'error', path: [], message: 'no' }],
  keepsServing: true,
};

describe('a plane that follows a controller', () => {
  it('starts with the first update, and changes with the next', async () => {
    const { plane, follower, begun } = scene();
    expect(await follower.apply(wholeUpdate({ base, set: [route('a#1')] }))).toEqual({
      taken: true,
      problems: [],
      newer: [],
    });
    expect([plane.begun, plane.applied.length, begun[0]?.routes.size]).toEqual([1, 0, 1]);
    await follower.apply(wholeUpdate({ set: [route('b#1')], revision: 'next' }));
    expect([plane.begun, plane.applied.map(({ set }) => set.map(({ id }) => id))]).toEqual([1, [['b']]]);
    expect(follower.revision).toBe('next');
    expect(follower.hello().holds.routes).toHaveLength(2);
  });

  it('does not contact its units when nothing changes', async () => {
    const { plane, follower } = scene();
    await follower.apply(wholeUpdate({ base, set: [route('a#1')] }));
    expect(await follower.apply(wholeUpdate({ set: [route('a#1')], revision: 'same' }))).toMatchObject({ taken: true });
    expect(plane.applied).toEqual([]);
    expect(follower.revision).toBe('same');
    await follower.apply(wholeUpdate({ defaults: ['r'] }));
    expect(plane.applied).toHaveLength(1);
  });

  it('keeps its state when an update is rejected', async () => {
    const { plane, follower } = scene();
    await follower.apply(wholeUpdate({ base, set: [route('a#1')], revision: 'old' }));
    const before = follower.hello();
    plane.problems = [bad];
    expect(await follower.apply(wholeUpdate({ base: { ...base, hash: 'x' }, set: [route('b#1')] }))).toEqual({
      taken: false,
      problems: [bad],
    });
    expect(follower.hello()).toEqual(before);
    expect(follower.updates).toEqual({ taken: 1, refused: 1 });
  });

  it.each<[string, Partial<PlaneFollowerOptions>, Error | null, RegExp]>([
    [
      'admin.json is not valid',
      { begin: () => [{ code: 'value', severity: 'error', path: ['prefix'], message: 'is bad' }] },
      null,
      /^admin\.json: prefix: is bad$/,
    ],
    [
      'a port is taken',
      {},
      new CannotListen(0, { host: undefined, port: 81 }, 'EADDRINUSE'),
      /^admin\.json: connectors\[0\]: cannot listen .* EADDRINUSE \(port 81\)$/,
    ],
    ['a unit does not start', {}, new Error('no key'), /^admin\.json: no key$/],
  ])('refuses the first update when %s, and tries the next', async (_, options, failure, text) => {
    const { plane, follower } = scene(options);
    plane.failure = failure;
    const outcome = await follower.apply(wholeUpdate({ base }));
    expect(outcome).toMatchObject({ taken: false, problems: [{ route: null, keepsServing: false }] });
    expect(outcome.problems[0]?.problems[0]?.message).toMatch(text);
    expect(follower.revision).toBeNull();
    expect(follower.hello().holds.revision).toBeNull();
    plane.failure = null;
    if (failure !== null) expect(await follower.apply(wholeUpdate({ base }))).toMatchObject({ taken: true });
  });

  it('rejects an update based on a state that it does not have', async () => {
    const { follower } = scene();
    expect(await follower.apply(wholeUpdate({ set: [route('a#1')] }))).toMatchObject({
      taken: false,
      problems: [{ route: null, problems: [{ code: 'missing' }] }],
    });
  });

  it('reports routes that it should keep but does not have', async () => {
    const { follower } = scene();
    await follower.apply(wholeUpdate({ base, set: [route('a#1')] }));
    const keep = [
      { router: 'r', id: 'a', hash: '1' },
      { router: 'r', id: 'x', hash: '1' },
    ];
    expect(await follower.apply(wholeUpdate({ full: true, keep }))).toMatchObject({
      taken: true,
      problems: [{ route: { id: 'x' }, problems: [{ code: 'missing' }] }],
    });
  });

  it('returns routes in exactly the requested version', async () => {
    const { follower } = scene();
    await follower.apply(wholeUpdate({ base, set: [route('a#1')] }));
    expect(follower.recall([{ router: 'r', id: 'a', hash: '1' }])).toEqual([route('a#1')]);
    expect(follower.recall([{ router: 'r', id: 'a', hash: '2' }])).toEqual([]);
  });
});

describe('a plane that starts', () => {
  /** What an earlier one kept. */
  async function kept(): Promise<SealedSnapshot> {
    const folder = new InstanceFolder({ key: Buffer.alloc(32, 1) });
    onTestFinished(() => folder[Symbol.dispose]());
    const log = pino({ enabled: false });
    const file = new SealedSnapshot({
      directory: folder.at('kept'),
      keyFile: folder.at('key'),
      identity: 'me',
      maxAge: 60_000,
      log,
    });
    const before = scene({ file });
    await before.follower.apply(wholeUpdate({ base, set: [route('a#1')], revision: 'kept' }));
    await file.close();
    return file;
  }

  it('serves the saved snapshot when no controller sends anything', async () => {
    const { plane, follower, lines } = scene({ file: await kept(), patience: SHORT });
    await follower.start();
    expect(follower.revision).toBeNull();
    await vi.waitFor(() => expect(follower.revision).toBe('kept'));
    expect(plane.begun).toBe(1);
    expect(lines.at(-1)?.msg).toMatch(/serving the snapshot from disk/);
  });

  it('serves the saved snapshot at once when no controller is reachable', async () => {
    const { follower } = scene({ file: await kept(), patience: LONG });
    await follower.start();
    follower.unreachable();
    await vi.waitFor(() => expect(follower.revision).toBe('kept'));
  });

  it('waits longer for the update of a controller that accepted it', async () => {
    const { plane, follower } = scene({ file: await kept() });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await follower.start();
    await vi.advanceTimersByTimeAsync(900);
    follower.welcomed();
    await vi.advanceTimersByTimeAsync(1900);
    expect(plane.begun).toBe(0);
    await vi.advanceTimersByTimeAsync(200);
    expect(plane.begun).toBe(1);
  });

  it('applies updates of the controller on top of the saved snapshot', async () => {
    const { plane, follower, begun } = scene({ file: await kept(), patience: LONG });
    await follower.start();
    expect(follower.hello().holds).toEqual({ revision: 'kept', base: 'b', routes: [['r', 'a', '1']] });
    expect(plane.begun).toBe(0);
    await follower.apply(wholeUpdate({ set: [route('b#1')] }));
    expect([...(begun[0]?.routes.values() ?? [])].map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('does not start twice', async () => {
    const { plane, follower } = scene({ file: await kept(), patience: SHORT });
    await follower.start();
    await follower.apply(wholeUpdate({ base, revision: 'sent' }));
    await vi.waitFor(() => expect(follower.revision).not.toBeNull());
    expect(plane.begun).toBe(1);
  });

  it('reports a saved snapshot that cannot be served, and waits for the controller', async () => {
    const { plane, follower, lines } = scene({ file: await kept(), patience: SHORT });
    plane.problems = [bad];
    await follower.start();
    await vi.waitFor(() => expect(lines.some(({ msg }) => msg === 'snapshot on disk cannot be served')).toBe(true));
    expect(follower.revision).toBeNull();
    plane.problems = [];
    expect(await follower.apply(wholeUpdate({ set: [] }))).toMatchObject({ taken: true });
  });

  it('has an update on disk when it acknowledges it', async () => {
    const file = await kept();
    const { follower } = scene({ file });
    await follower.start();
    for (const revision of ['first', 'second', 'third']) {
      await follower.apply(wholeUpdate({ set: [route(`a#${revision}`)], revision }));
      const found = await file.read();
      expect([found?.holding.revision, [...found!.holding.routes.values()]]).toEqual([
        revision,
        [route(`a#${revision}`)],
      ]);
    }
  });

  it('acknowledges an update although the disk hangs, with a log line', async () => {
    const file = await kept();
    file.save = () => new Promise(() => {});
    const { follower, lines } = scene({ file, diskPatience: 1 });
    await follower.start();
    expect(await follower.apply(wholeUpdate({ revision: 'next' }))).toMatchObject({ taken: true });
    expect(lines.at(-1)?.msg).toMatch(/^slow disk/);
  });

  it('retries a failed write without waiting for the next update', async () => {
    const folder = new InstanceFolder({ kept: 'a file in the place of the directory' });
    onTestFinished(() => folder[Symbol.dispose]());
    const options = { directory: folder.at('kept'), keyFile: folder.at('key'), identity: 'me', maxAge: 60_000 };
    const file = new SealedSnapshot({ ...options, log: pino({ enabled: false }) });
    const { follower } = scene({ file });
    await follower.apply(wholeUpdate({ base, revision: 'one' }));
    expect(file.isBehind).toBe(true);
    rmSync(folder.at('kept'));
    writeFileSync(folder.at('key'), Buffer.alloc(32, 1));
    follower.report(true);
    await file.close();
    expect((await file.read())?.holding.revision).toBe('one');
  });

  it('does not count a rejection by a controller as confirmation of its state', () => {
    const { follower } = scene({});
    follower.confirmed = 1;
    follower.report(false);
    expect(follower.confirmed).toBe(1);
    follower.report(true);
    expect(follower.confirmed).toBeGreaterThan(1);
  });

  it('renews the date of the saved snapshot while a controller confirms it', async () => {
    const file = await kept();
    const { follower } = scene({ file, freshness: 0 });
    await follower.apply(wholeUpdate({ base, revision: 'sent' }));
    await file.close();
    const first = await file.read();
    await vi.waitFor(async () => {
      follower.report(true);
      await file.close();
      expect((await file.read())!.time).toBeGreaterThan(first!.time);
    });
  });
});
