import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { ClusterApi } from '../../../../controller/cluster/api/api-client.ts';
import type { ApiError } from '../../../../controller/cluster/api/api-error.ts';
import { Reflector, type ReflectorOptions } from '../../../../controller/cluster/api/reflector.ts';
import { type Clock, systemClock } from '../../../../platform/clock.ts';
import {
  answer,
  begin,
  bookmarkAt,
  type Deed,
  eventLine,
  resetConnection,
  ScriptedApiServer,
  statusObject,
} from '../../../support/cluster/scripted-api-server.ts';

const PATH = '/apis/gatewarden.io/v1alpha1/routes';

interface Setting {
  readonly server: ScriptedApiServer;
  readonly reflector: Reflector<string>;
  readonly errors: ApiError[];
  /** How long it waited, in milliseconds. */
  readonly pauses: number[];
  changes(): number;
  /** Names and what is kept of them, in order. */
  kept(): string[];
  /** Waits until this is what is kept. */
  until(...kept: string[]): Promise<void>;
}

/** Pauses of back-off take no time; the watchdog is left out unless its time is given. */
function hastyClock(pauses: number[], silence: number | undefined): Clock {
  return {
    ...systemClock,
    after(milliseconds, run) {
      if (milliseconds === silence) return systemClock.after(milliseconds, run);
      if (milliseconds >= 150_000) return () => {};
      pauses.push(milliseconds);
      return systemClock.after(0, run);
    },
  };
}

async function reflecting(options: Partial<ReflectorOptions<string>> = {}, names = 'ab'): Promise<Setting> {
  const server = await ScriptedApiServer.start();
  for (const name of names) server.put(`shop/routes/${name}`, { spec: { text: `${name}1` } });
  const api = new ClusterApi({ kubeconfig: server.kubeconfig() });
  const errors: ApiError[] = [];
  const pauses: number[] = [];
  let changes = 0;
  const reflector = new Reflector<string>({
    api,
    kind: 'Route',
    path: PATH,
    take: (raw) => String((raw['spec'] as JsonObject)['text']),
    changed: () => void changes++,
    failed: (error) => void errors.push(error),
    clock: hastyClock(pauses, options.times?.silence),
    random: () => 1,
    ...options,
  });
  onTestFinished(async () => {
    await reflector.close();
    await api.close();
  });
  const kept = (): string[] => [...reflector.objects.values()].toSorted();
  const until = (...expected: string[]): Promise<void> => vi.waitFor(() => expect(kept()).toEqual(expected), 10_000);
  return { server, reflector, errors, pauses, changes: () => changes, kept, until };
}

/** Starts it and waits until it watches. */
async function watching(setting: Setting): Promise<Setting> {
  setting.reflector.start();
  await setting.reflector.synced;
  await vi.waitFor(() => expect(setting.server.openWatches).toBe(1), 10_000);
  return setting;
}

const reasons = ({ errors }: Setting): string[] => errors.map(({ reason }) => reason);

describe('a reflector', () => {
  it('lists, reports synced once, and follows additions, changes and removals', async () => {
    const setting = await watching(await reflecting());
    expect(setting.kept()).toEqual(['a1', 'b1']);
    expect(setting.changes()).toBe(1);
    setting.server.put('shop/routes/c', { spec: { text: 'c1' } });
    await setting.until('a1', 'b1', 'c1');
    setting.server.put('shop/routes/a', { spec: { text: 'a2' } });
    await setting.until('a2', 'b1', 'c1');
    setting.server.remove('shop/routes/b');
    await setting.until('a2', 'c1');
    expect(setting.server.count('list')).toBe(1);
    expect(setting.errors).toEqual([]);
  });

  it('reports synced for an empty list', async () => {
    const setting = await watching(await reflecting({}, ''));
    expect(setting.changes()).toBe(1);
    expect(setting.reflector.facts).toMatchObject({ isSynced: true, objects: 0, fault: null });
  });

  it('lists in pages, and starts watches with a random timeout', async () => {
    const setting = await watching(await reflecting({ page: 2, random: () => 0.5 }, 'abcde'));
    expect(setting.kept()).toHaveLength(5);
    const [first, second, third, watch] = setting.server.requests.map(({ query }) => Object.fromEntries(query));
    expect(first).toEqual({ limit: '2' });
    expect(second).toEqual({ limit: '2', continue: '1005:2' });
    expect(third).toEqual({ limit: '2', continue: '1005:4' });
    expect(watch).toEqual({
      watch: '1',
      allowWatchBookmarks: 'true',
      timeoutSeconds: '450',
      resourceVersion: '1005',
    });
  });

  it('restarts when the pages expire, and finally lists without pages', async () => {
    const setting = await reflecting({ page: 2 }, 'abcde');
    const { server, reflector } = setting;
    const listOnce: Deed = begin((response) => response.end(firstPage));
    const firstPage = JSON.stringify({
      metadata: { resourceVersion: '1001', continue: '1001:2' },
      items: [{ metadata: { name: 'ghost', uid: 'g', resourceVersion: '1' }, spec: { text: 'ghost' } }],
    });
    server.next('list', listOnce, answer(410), listOnce, answer(410));
    reflector.start();
    await setting.until('a1', 'b1', 'c1', 'd1', 'e1');
    expect(server.requests[4]?.query.has('limit')).toBe(false);
    expect(setting.errors).toEqual([]);
  });

  it('requests smaller pages when one has too many bytes', async () => {
    const setting = await reflecting({ page: 500, pageBytes: 400 }, 'abcdef');
    setting.reflector.start();
    await setting.until('a1', 'b1', 'c1', 'd1', 'e1', 'f1');
    expect(setting.server.requests.map(({ query }) => query.get('limit')).slice(0, 4)).toEqual(['500', '63', '8', '1']);
  });

  it('keeps the same value and reports nothing while the version is unchanged, also across lists', async () => {
    const taken: string[] = [];
    const take = (raw: JsonObject): string => {
      taken.push(String((raw['metadata'] as JsonObject)['name']));
      return String((raw['spec'] as JsonObject)['text']);
    };
    const setting = await watching(await reflecting({ take }));
    const before = setting.reflector.objects;
    setting.server.next('watch', answer(410));
    setting.server.end();
    await vi.waitFor(() => expect(setting.reflector.facts.relists).toBe(1));
    expect(setting.reflector.objects).toBe(before);
    expect(taken).toEqual(['a', 'b']);
    expect(setting.changes()).toBe(1);
  });

  it('passes the previous value to take, unless the object was replaced', async () => {
    const taken: [string, string | null][] = [];
    const take = (raw: JsonObject, before: string | null): string => {
      const text = String((raw['spec'] as JsonObject)['text']);
      taken.push([text, before]);
      return text;
    };
    const setting = await watching(await reflecting({ take }, 'a'));
    setting.server.put('shop/routes/a', { spec: { text: 'a2' } });
    setting.server.put('shop/routes/a', { spec: { text: 'a3' }, metadata: { uid: 'another' } });
    await setting.until('a3');
    expect(taken).toEqual([
      ['a1', null],
      ['a2', 'a1'],
      ['a3', null],
    ]);
  });

  it('keeps the last value of an object that cannot be read, and continues', async () => {
    const take = (raw: JsonObject): string => {
      const { text } = raw['spec'] as JsonObject;
      if (text === 'bad') throw new TypeError('no');
      return String(text);
    };
    const setting = await watching(await reflecting({ take }));
    setting.server.put('shop/routes/a', { spec: { text: 'bad' } });
    setting.server.put('shop/routes/b', { spec: { text: 'b2' } });
    await setting.until('a1', 'b2');
    expect(reasons(setting)).toEqual(['Unreadable']);
    setting.server.put('shop/routes/a', { spec: { text: 'a3' } });
    await setting.until('a3', 'b2');
  });

  it('reports events that arrive together as one change', async () => {
    const setting = await watching(await reflecting());
    const object = (name: string, version: string): JsonObject => ({
      metadata: { namespace: 'shop', name, uid: name, resourceVersion: version },
      spec: { text: `${name}2` },
    });
    setting.server.write(eventLine('ADDED', object('x', '1010')) + eventLine('ADDED', object('y', '1011')));
    await setting.until('a1', 'b1', 'x2', 'y2');
    expect(setting.changes()).toBe(2);
  });

  it('ignores old and duplicate events', async () => {
    const setting = await watching(await reflecting());
    const { server } = setting;
    const old = server.put('shop/routes/c', { spec: { text: 'c1' } });
    server.put('shop/routes/c', { spec: { text: 'c2' } });
    await setting.until('a1', 'b1', 'c2');
    const changes = setting.changes();
    server.write(eventLine('MODIFIED', old) + eventLine('ADDED', old) + eventLine('DELETED', old));
    server.remove('shop/routes/c');
    server.write(eventLine('MODIFIED', old));
    await setting.until('a1', 'b1');
    server.put('shop/routes/d', { spec: { text: 'd1' } });
    await setting.until('a1', 'b1', 'd1');
    expect(setting.changes()).toBe(changes + 2);
  });
});

describe('a watch that ends', () => {
  it('is resumed where it was, bookmarks included, without a list', async () => {
    const setting = await watching(await reflecting());
    setting.server.put('shop/secrets/other'); // versions are of the whole cluster
    setting.server.bookmark();
    await vi.waitFor(() => expect(setting.reflector.position).toBe('1003'));
    setting.server.end();
    await vi.waitFor(() => expect(setting.server.count('watch')).toBe(2));
    expect(setting.server.requests.at(-1)?.query.get('resourceVersion')).toBe('1003');
    expect(setting.server.count('list')).toBe(1);
    expect(setting.pauses).toEqual([]);
  });

  it.each<[string, string, (server: ScriptedApiServer) => void]>([
    ['is reset', 'Unreachable', (server) => server.reset()],
    ['says nothing for too long', 'Silent', () => {}],
    ['ends within an event', 'Malformed', (server) => server.end('{"type":"ADDED","object":{"meta')],
    ['sends half of an event as a line', 'Malformed', (server) => server.write('{"type":"ADDED","object":{"meta\n')],
    ['sends what is no event', 'Malformed', (server) => server.write('[]\n')],
    ['sends an event without a version', 'Malformed', (server) => server.write(eventLine('ADDED', { metadata: {} }))],
    [
      'sends an event without a name',
      'Malformed',
      (server) => server.write(eventLine('ADDED', { metadata: { resourceVersion: '1900' } })),
    ],
    [
      'says that something failed',
      'InternalError',
      (server) => server.write(eventLine('ERROR', statusObject(500, 'InternalError', 'etcd'))),
    ],
  ])('and %s is resumed', async (_, reason, spoil) => {
    const silence = reason === 'Silent' ? { times: { silence: 60 } } : {};
    const setting = await watching(await reflecting(silence));
    spoil(setting.server);
    await vi.waitFor(() => expect(setting.server.count('watch')).toBeGreaterThan(1), 10_000);
    setting.server.put('shop/routes/c', { spec: { text: 'c1' } });
    await setting.until('a1', 'b1', 'c1');
    expect(reasons(setting)[0]).toBe(reason);
    expect(setting.server.count('list')).toBe(1);
  });

  it('is resumed before an invalid event, regardless of its version', async () => {
    const setting = await watching(await reflecting());
    setting.server.write(eventLine('ADDED', { metadata: { resourceVersion: '999999' } }));
    await vi.waitFor(() => expect(setting.server.count('watch')).toBe(2));
    setting.server.put('shop/routes/c', { spec: { text: 'c1' } });
    await setting.until('a1', 'b1', 'c1');
  });

  it('keeps complete events before the stream broke', async () => {
    const setting = await watching(await reflecting());
    const object = {
      metadata: { namespace: 'shop', name: 'x', uid: 'x', resourceVersion: '1500' },
      spec: { text: 'x1' },
    };
    setting.server.write(`${eventLine('ADDED', object)}{"type":"MODIF\n`);
    await setting.until('a1', 'b1', 'x1');
    await vi.waitFor(() => expect(setting.server.requests.at(-1)?.query.get('resourceVersion')).toBe('1500'));
  });

  it('lists again when an event is too long to be read', async () => {
    const setting = await watching(await reflecting({ eventBytes: 1000 }));
    setting.server.put('shop/routes/c', { spec: { text: 'c1', long: 'x'.repeat(5000) } });
    await setting.until('a1', 'b1', 'c1');
    expect(reasons(setting)).toEqual(['TooLong']);
    expect(setting.server.count('list')).toBe(2);
  });
});

describe('an expired resource version', () => {
  it.each<[string, (setting: Setting) => void]>([
    ['as a status', ({ server }) => server.next('watch', answer(410, {}, 'Expired'))],
    ['as an event of a stream', ({ server }) => server.compact()],
  ])('reported %s causes a new list, and objects removed meanwhile are removed', async (_, expire) => {
    const setting = await watching(await reflecting());
    const { server } = setting;
    server.next('watch', (request, response) => {
      server.remove('shop/routes/a');
      server.put('shop/routes/c', { spec: { text: 'c1' } });
      expire(setting);
      answer(503)(request, response);
    });
    server.reset();
    await setting.until('b1', 'c1');
    await vi.waitFor(() => expect(setting.reflector.facts.relists).toBe(1));
    expect(reasons(setting)).toContain('Expired');
  });

  it('is noticed while it watches', async () => {
    const setting = await watching(await reflecting());
    setting.server.write(eventLine('ERROR', statusObject(410, 'Expired', 'too old')));
    await vi.waitFor(() => expect(setting.reflector.facts.relists).toBe(1));
  });

  it('does not make it list without end as fast as it can', async () => {
    const setting = await reflecting();
    setting.server.next('watch', ...Array.from({ length: 9 }, () => answer(410)));
    await watching(setting);
    expect(setting.pauses).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    expect(setting.server.count('list')).toBe(10);
  });

  it('may be higher than that of a restored cluster: the list counts', async () => {
    const setting = await watching(await reflecting());
    setting.server.rewind(10);
    setting.server.remove('shop/routes/a');
    setting.server.put('shop/routes/b', { spec: { text: 'older' } });
    setting.server.next('watch', answer(400));
    setting.server.reset();
    await setting.until('older');
    setting.server.put('shop/routes/b', { spec: { text: 'newer' } });
    await setting.until('newer');
  });

  it('is assumed for silent watches, such as those of a future version', async () => {
    const setting = await watching(await reflecting({ times: { silence: 30 } }));
    setting.server.put('shop/routes/a', { spec: { text: 'a2' } });
    await setting.until('a2', 'b1');
    await vi.waitFor(() => expect(setting.reflector.facts.relists).toBeGreaterThan(0));
    expect(reasons(setting).slice(0, 2)).toEqual(['Silent', 'Silent']);
  });

  it('is assumed when the server keeps refusing to resume', async () => {
    const setting = await watching(await reflecting());
    setting.server.next('watch', ...Array.from({ length: 5 }, () => answer(500)));
    setting.server.reset();
    await vi.waitFor(() => expect(setting.reflector.facts.relists).toBe(1));
  });
});

describe('a server that refuses', () => {
  it.each([429, 503])('with %i is not called for the requested time', async (code) => {
    const setting = await reflecting();
    setting.server.next('list', answer(code, { 'retry-after': '7' }), answer(code));
    setting.server.next('watch', answer(code, { 'retry-after': '9' }));
    await watching(setting);
    expect(setting.pauses).toEqual([7250, 500, 10_000]);
    expect(setting.kept()).toEqual(['a1', 'b1']);
  });

  it.each([400, 401, 403, 404, 409, 500, 502])('a list with %i is retried', async (code) => {
    const setting = await reflecting();
    setting.server.next(
      'list',
      answer(code),
      resetConnection,
      begin((response) => response.end('{"items":[')),
    );
    await watching(setting);
    expect(setting.kept()).toEqual(['a1', 'b1']);
    expect(reasons(setting).slice(1)).toEqual(['Unreachable', 'Malformed']);
  });

  it.each<[string, unknown]>([
    ['no list', { kind: 'Route' }],
    ['no version', { items: [], metadata: {} }],
    ['no objects', { items: [1], metadata: { resourceVersion: '1' } }],
    ['items of another shape', { items: {}, metadata: { resourceVersion: '1' } }],
  ])('with a response that is %s is retried, and known objects are kept', async (_, content) => {
    const setting = await watching(await reflecting());
    setting.server.next(
      'list',
      begin((response) => response.end(JSON.stringify(content))),
    );
    setting.server.next('watch', answer(410));
    setting.server.reset();
    await vi.waitFor(() => expect(setting.reflector.facts.relists).toBe(1));
    expect(setting.kept()).toEqual(['a1', 'b1']);
    expect(setting.changes()).toBe(1);
    expect(reasons(setting)).toContain('Malformed');
  });

  it('that ends watches immediately is called with a back-off', async () => {
    const setting = await reflecting();
    setting.server.next('watch', ...Array.from({ length: 4 }, () => begin((response) => response.end())));
    await watching(setting);
    expect(setting.pauses).toEqual([250, 500, 1000, 2000]);
    expect(setting.server.count('list')).toBe(1);
  });

  it('makes pauses short again once a watch has brought something', async () => {
    const setting = await reflecting();
    const brings: Deed = begin((response) => response.end(eventLine('BOOKMARK', bookmarkAt(1200))));
    setting.server.next('watch', answer(500), answer(500), brings, answer(500));
    await watching(setting);
    expect(setting.pauses).toEqual([250, 500, 250]);
  });

  it('that does not answer is retried every two seconds, and recovers soon after any outage', async () => {
    const setting = await reflecting();
    setting.server.next('watch', ...Array.from({ length: 12 }, () => resetConnection), answer(503), answer(503));
    await watching(setting);
    const away = [250, 500, 1000, ...Array.from({ length: 9 }, () => 2000)];
    expect(setting.pauses).toEqual([...away, 250, 500]);
  });

  it('never ends it, and it can be closed while it waits', async () => {
    const setting = await reflecting({
      clock: systemClock,
      random: () => 1,
      times: { pause: 60_000, longestPause: 60_000 },
    });
    await setting.server.stop();
    setting.reflector.start();
    await vi.waitFor(() => expect(reasons(setting)).toEqual(['Unreachable']));
    await setting.reflector.close();
    expect(setting.reflector.isSynced).toBe(false);
  });
});
