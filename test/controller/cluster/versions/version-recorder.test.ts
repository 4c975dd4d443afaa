import { expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import type { Resource } from '../../../../contract/resources/resource.ts';
import type { ApiAnswer, ApiRequest } from '../../../../controller/cluster/api/api-client.ts';
import { historyObject, readHistory } from '../../../../controller/cluster/versions/route-history.ts';
import { VersionRecorder } from '../../../../controller/cluster/versions/version-recorder.ts';
import { resource } from '../../../support/cluster/judged-resources.ts';
import { failure } from '../../../support/cluster/memory-api.ts';
import { ManualClock } from '../../../support/gateways/manual-clock.ts';

const ROOT = '/apis/gatewarden.io/v1alpha1';
const pathOf = (name: string): string => `${ROOT}/namespaces/shop/routehistories/${name}`;

class Setting {
  readonly clock = new ManualClock();
  readonly objects = new Map<string, JsonObject>();
  readonly routes = new Map<string, Resource>();
  readonly requests: ApiRequest[] = [];
  readonly failed: string[] = [];
  /** Thrown for the next writes, in order. */
  readonly failures: Error[] = [];
  leadsFor = 10_000;
  /** Requests under way, and the most that there were at once. */
  private under = 0;
  most = 0;
  private version = 10;
  readonly recorder = new VersionRecorder({
    ...{ api: { call: (request: ApiRequest) => this.counted(request) }, clock: this.clock, most: 3, namespaces: null },
    leadsFor: () => this.leadsFor,
    route: ({ name }) => this.routes.get(name) ?? null,
    failed: (message) => void this.failed.push(message),
  });

  get writes(): readonly ApiRequest[] {
    return this.requests.filter(({ method }) => method !== 'GET');
  }

  /** A Route has another spec, as the watch tells. */
  edit(name: string, text: string): void {
    const before = this.routes.get(name) ?? resource(name, { spec: { name: 'first' } });
    const after = { ...before, generation: before.generation + 1, spec: { name: text } };
    this.routes.set(name, after);
    this.recorder.changed(before, after);
  }

  /** Lets time pass until there were so many writes. */
  async written(count: number): Promise<void> {
    while (this.writes.length < count) await this.clock.pass(1000);
  }

  async stored(name: string): Promise<readonly unknown[]> {
    const { versions } = await readHistory(this.objects.get(pathOf(name)) ?? {});
    return versions.map(({ generation, document }) => [generation, document['name']]);
  }

  private async counted(request: ApiRequest): Promise<ApiAnswer> {
    this.most = Math.max(this.most, ++this.under);
    // An API server takes its time.
    await new Promise<void>((resolve) => setImmediate(resolve));
    return this.call(request).finally(() => this.under--);
  }

  private async call(request: ApiRequest): Promise<ApiAnswer> {
    this.requests.push(request);
    const { method, path } = request;
    if (method === 'GET' && path === `${ROOT}/routehistories`) {
      return { status: 200, body: { metadata: {}, items: [...this.objects.values()] } };
    }
    if (method === 'GET') {
      const found = this.objects.get(path);
      if (found === undefined) throw failure(404, 'NotFound');
      return { status: 200, body: found };
    }
    const next = this.failures.shift();
    if (next !== undefined) throw next;
    const body = request.body as JsonObject & { readonly metadata: JsonObject };
    const at = method === 'POST' ? `${path}/${String(body.metadata['name'])}` : path;
    const known = this.objects.get(at);
    if (method === 'POST' && known !== undefined) throw failure(409, 'AlreadyExists');
    const stored = { ...body, metadata: { ...body.metadata, resourceVersion: String(++this.version) } };
    this.objects.set(at, stored);
    return { status: 200, body: stored };
  }
}

it('the first change of a Route keeps the version before, too, and a Route that does not change has none', async () => {
  const setting = new Setting();
  setting.routes.set('still', resource('still'));
  setting.recorder.setLeading(true);
  setting.edit('orders', 'second');
  await setting.written(1);
  expect(await setting.stored('orders')).toEqual([
    [1, 'first'],
    [2, 'second'],
  ]);
  expect([...setting.objects.keys()]).toEqual([pathOf('orders')]);
});

it('changes in quick succession are written together, and no more versions than may be kept', async () => {
  const setting = new Setting();
  setting.recorder.setLeading(true);
  for (const text of ['second', 'third', 'fourth', 'fifth']) setting.edit('orders', text);
  await setting.written(1);
  expect(setting.writes).toHaveLength(1);
  expect(await setting.stored('orders')).toEqual([
    [3, 'third'],
    [4, 'fourth'],
    [5, 'fifth'],
  ]);
});

it('a controller that does not lead writes nothing, and what it noted once it leads', async () => {
  const setting = new Setting();
  setting.edit('orders', 'second');
  await setting.clock.pass(10_000);
  expect(setting.requests).toEqual([]);
  const kept = await setting.recorder.versions(setting.routes.get('orders')!);
  expect(kept.map(({ generation }) => generation)).toEqual([1, 2]);
  setting.recorder.setLeading(true);
  await setting.written(1);
  expect(await setting.stored('orders')).toHaveLength(2);
});

it('a controller that does not lead forgets changes that the leader has had minutes to write', async () => {
  const setting = new Setting();
  setting.edit('orders', 'second');
  await setting.clock.pass(121_000);
  setting.edit('pay', 'second');
  setting.recorder.setLeading(true);
  await setting.written(1);
  expect([...setting.objects.keys()]).toEqual([pathOf('pay')]);
});

it('a controller that does not lead forgets the oldest changes when large ones take too much memory', async () => {
  const setting = new Setting();
  const long = 'x'.repeat(1_000_000);
  for (let at = 0; at < 40; at++) setting.edit(`r${at}`, `${at}${long}`);
  const pending = async (name: string): Promise<number> =>
    (await setting.recorder.versions(setting.routes.get(name)!)).length;
  expect(await pending('r0')).toBe(0);
  expect(await pending('r39')).toBeGreaterThan(0);
  setting.edit('r39', `again${long}`);
  setting.edit('r39', `and again${long}`);
  expect(await pending('r39')).toBe(1);
  expect(await pending('r38')).toBeGreaterThan(0);
});

it('a new leader writes versions of Routes that were changed while nobody led, and of no others', async () => {
  const setting = new Setting();
  for (const name of ['same', 'changed', 'again']) {
    const versions = [{ generation: 4, changed: null, document: { name: 'old' } }];
    const route = `uid-of-${name}`;
    const object = await historyObject({ namespace: 'shop', name }, { route, resourceVersion: '5', versions });
    setting.objects.set(pathOf(name), object);
  }
  setting.routes.set('same', resource('same', { generation: 4, spec: { name: 'old' } }));
  setting.routes.set('changed', resource('changed', { generation: 6, spec: { name: 'new' } }));
  setting.routes.set('again', resource('again', { generation: 9, uid: 'another', spec: { name: 'new' } }));
  setting.recorder.setLeading(true);
  await setting.written(1);
  expect(await setting.stored('changed')).toEqual([
    [4, 'old'],
    [6, 'new'],
  ]);
  await setting.clock.pass(10_000);
  expect(setting.writes).toHaveLength(1);
});

it('versions that somebody else wrote, newer than the Route, are not shown and keep no change out', async () => {
  const setting = new Setting();
  setting.edit('orders', 'second');
  const { uid: route } = setting.routes.get('orders')!;
  const versions = [1, Number.MAX_SAFE_INTEGER].map((generation) => ({ generation, changed: null, document: {} }));
  const object = await historyObject({ namespace: 'shop', name: 'orders' }, { route, resourceVersion: '5', versions });
  setting.objects.set(pathOf('orders'), object);
  const shown = await setting.recorder.versions(setting.routes.get('orders')!);
  expect(shown.map(({ generation }) => generation)).toEqual([1, 2]);
  setting.recorder.setLeading(true);
  await setting.written(1);
  expect(await setting.stored('orders')).toEqual([
    [1, undefined],
    [2, 'second'],
  ]);
});

it('the history of a Route that was deleted and created again begins anew', async () => {
  const setting = new Setting();
  setting.recorder.setLeading(true);
  setting.edit('orders', 'second');
  await setting.written(1);
  setting.routes.set('orders', resource('orders', { uid: 'another', generation: 1, spec: { name: 'reborn' } }));
  expect(await setting.recorder.versions(setting.routes.get('orders')!)).toEqual([]);
  setting.edit('orders', 'grown');
  await setting.written(2);
  expect(await setting.stored('orders')).toEqual([
    [1, 'reborn'],
    [2, 'grown'],
  ]);
});

it('a write that fails is made later, and nothing is lost', async () => {
  const setting = new Setting();
  setting.recorder.setLeading(true);
  setting.failures.push(failure(503, 'Unavailable'), failure(409, 'Conflict'));
  setting.edit('orders', 'second');
  await setting.written(3);
  expect(await setting.stored('orders')).toHaveLength(2);
  expect(setting.failed).toEqual(['503: scripted']);
});

it('a version that the API server never takes is given up', async () => {
  const setting = new Setting();
  setting.recorder.setLeading(true);
  setting.failures.push(failure(413, 'RequestEntityTooLarge'));
  setting.edit('orders', 'second');
  await setting.written(1);
  await setting.clock.pass(120_000);
  expect(setting.writes).toHaveLength(1);
});

it('a controller whose Lease has run out writes nothing', async () => {
  const setting = new Setting();
  setting.recorder.setLeading(true);
  setting.leadsFor = 0;
  setting.edit('orders', 'second');
  await setting.clock.pass(10_000);
  expect(setting.writes).toEqual([]);
});

it('many Routes that change at once are written few at a time, and all of them in the end', async () => {
  const setting = new Setting();
  setting.recorder.setLeading(true);
  for (let at = 0; at < 300; at++) setting.edit(`route-${at}`, 'second');
  await setting.written(300);
  expect(setting.objects.size).toBe(300);
  expect(setting.most).toBeLessThanOrEqual(7);
});
