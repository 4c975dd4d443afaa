import { expect, it } from 'vitest';
import type { SourceVersion } from '../../../../contract/snapshot.ts';
import { trustSettings } from '../../../../contract/trust-settings.ts';
import type { ApiCaller } from '../../../../controller/cluster/api/api-client.ts';
import { KeptBase } from '../../../../controller/cluster/base/kept-base.ts';
import type { BaseRecord } from '../../../../controller/compile/base-record.ts';
import { failure, MemoryApi } from '../../../support/cluster/memory-api.ts';
import { ManualClock } from '../../../support/gateways/manual-clock.ts';

const SECRET = '/api/v1/namespaces/gatewarden/secrets/gatewarden-base';

class Setting {
  readonly clock = new ManualClock();
  readonly api = new MemoryApi();
  readonly failures: string[] = [];
  /** Thrown for every call; null for none. */
  fault: Error | null = null;

  controller(state: { isLeader: boolean } = { isLeader: true }): KeptBase {
    const caller: Pick<ApiCaller, 'call'> = {
      call: async (request) => {
        if (this.fault !== null) throw this.fault;
        return this.api.call(request);
      },
    };
    return new KeptBase({
      api: caller,
      namespace: 'gatewarden',
      secret: 'gatewarden-base',
      clock: this.clock,
      isLeader: () => state.isLeader,
      failed: (message) => this.failures.push(message),
    });
  }

  get writes(): number {
    return this.api.requests.filter(({ method }) => method !== 'GET').length;
  }
}

const record = (entity: string): BaseRecord => ({
  config: { document: { handler: { type: 'StaticResponseHandler', config: { status: 200, entity } } }, isFile: true },
  admin: {},
  trust: { settings: trustSettings.parse({}), isFile: false },
});
const version = (resourceVersion: string, uid = 'a'): SourceVersion => ({ uid, resourceVersion });

it('gives a later controller the record of the leader', async () => {
  const setting = new Setting();
  const leader = setting.controller();
  expect(await leader.read()).toBeNull();
  leader.keep(record('one'), version('5'));
  await leader.check();
  expect(await setting.controller().read()).toEqual(record('one'));
  expect(setting.failures).toEqual([]);
});

it('fills an existing empty Secret and keeps its other fields', async () => {
  const setting = new Setting();
  setting.api.put(SECRET, { type: 'Opaque', data: { other: 'eA==' } });
  const leader = setting.controller();
  leader.keep(record('one'), null);
  await leader.check();
  expect(setting.api.find(SECRET)).toMatchObject({ type: 'Opaque', data: { other: 'eA==' } });
  expect(await leader.read()).toEqual(record('one'));
});

it('does not write the same record twice', async () => {
  const setting = new Setting();
  const leader = setting.controller();
  const good = record('one');
  leader.keep(good, version('5'));
  await leader.check();
  leader.keep({ ...good }, version('6'));
  leader.keep(record('one'), version('7'));
  await leader.check();
  expect(setting.writes).toBe(1);
});

it('does not write while another controller leads', async () => {
  const setting = new Setting();
  const state = { isLeader: false };
  const follower = setting.controller(state);
  follower.keep(record('one'), version('5'));
  await follower.check();
  expect(setting.writes).toBe(0);
  state.isLeader = true;
  await follower.check();
  expect(await setting.controller().read()).toEqual(record('one'));
});

it('does not let a stale controller replace the record of a newer ConfigMap', async () => {
  const setting = new Setting();
  const newer = setting.controller();
  newer.keep(record('new'), version('12'));
  await newer.check();
  const behind = setting.controller();
  behind.keep(record('old'), version('9'));
  await behind.check();
  expect(await newer.read()).toEqual(record('new'));
  behind.keep(record('recreated'), version('3', 'b'));
  await behind.check();
  expect(await newer.read()).toEqual(record('recreated'));
});

it('restores the record within half a minute after the Secret was deleted or emptied', async () => {
  const setting = new Setting();
  const leader = setting.controller();
  leader.keep(record('one'), version('5'));
  await leader.check();
  setting.api.objects.delete(SECRET);
  await setting.clock.pass(30_000);
  expect(await leader.read()).toEqual(record('one'));
  setting.api.put(SECRET, { data: {} });
  await setting.clock.pass(30_000);
  expect(await leader.read()).toEqual(record('one'));
  leader.close();
  await setting.clock.pass(0);
  expect(setting.clock.pending).toBe(0);
});

it('continues without a record that is forbidden or malformed, and logs it', async () => {
  const setting = new Setting();
  setting.fault = failure(403, 'Forbidden');
  expect(await setting.controller().read()).toBeNull();
  setting.fault = null;
  setting.api.put(SECRET, { data: { 'base.json': Buffer.from('{"record":7,"source":null}').toString('base64') } });
  expect(await setting.controller().read()).toBeNull();
  expect(setting.failures).toEqual([expect.any(String), expect.stringContaining('is not a saved base configuration')]);
});

it('does not continue without a record while the API server is unreachable', async () => {
  const setting = new Setting();
  setting.fault = failure(503, 'ServiceUnavailable');
  await expect(setting.controller().read()).rejects.toThrow();
});

it('tries again after a failed write', async () => {
  const setting = new Setting();
  setting.fault = failure(500, 'InternalError');
  const leader = setting.controller();
  leader.keep(record('one'), null);
  await leader.check();
  expect(setting.failures).toHaveLength(1);
  setting.fault = null;
  await setting.clock.pass(30_000);
  expect(await leader.read()).toEqual(record('one'));
});
