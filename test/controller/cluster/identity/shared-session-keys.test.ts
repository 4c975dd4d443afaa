import { expect, it, onTestFinished } from 'vitest';
import type { ApiRequest } from '../../../../controller/cluster/api/api-client.ts';
import { type SessionSecrets, SharedSessionKeys } from '../../../../controller/cluster/identity/shared-session-keys.ts';
import { failure, MemoryApi } from '../../../support/cluster/memory-api.ts';
import { ManualClock } from '../../../support/gateways/manual-clock.ts';

const SECRET = '/api/v1/namespaces/gatewarden/secrets/gatewarden-sessions';
const HOUR = 60 * 60 * 1000;

class Setting {
  readonly clock = new ManualClock();
  readonly api = new MemoryApi();
  readonly failures: string[] = [];
  readonly losses: string[] = [];
  /** Thrown for calls that it is given for. */
  fault: (request: ApiRequest) => Error | null = () => null;

  async controller(state: { isLeader: boolean } = { isLeader: true }) {
    const changes: SessionSecrets[] = [];
    const keys = new SharedSessionKeys({
      api: {
        call: async (request) => {
          const fault = this.fault(request);
          if (fault !== null) throw fault;
          return this.api.call(request);
        },
      },
      namespace: 'gatewarden',
      secret: 'gatewarden-sessions',
      clock: this.clock,
      isLeader: () => state.isLeader,
      changed: (secrets) => changes.push(secrets),
      lost: (message) => this.losses.push(message),
      failed: (message) => this.failures.push(message),
    });
    onTestFinished(() => keys.close());
    await keys.open();
    return { keys, changes, state };
  }

  get writes(): number {
    return this.api.requests.filter(({ method }) => method !== 'GET').length;
  }

  write(text: string): void {
    this.api.put(SECRET, { data: { 'session-keys.json': Buffer.from(text).toString('base64') } });
  }
}

it('controllers that start together share the same keys', async () => {
  const setting = new Setting();
  const all = await Promise.all([1, 2, 3].map(() => setting.controller({ isLeader: false })));
  expect(new Set(all.map(({ keys }) => keys.secrets?.secrets[0])).size).toBe(1);
  expect(new Set(all.map(({ keys }) => keys.secrets?.source.resourceVersion)).size).toBe(1);
  expect([setting.failures, setting.losses]).toEqual([[], []]);
});

it('fills an empty Secret and keeps its other fields', async () => {
  const setting = new Setting();
  setting.api.put(SECRET, { type: 'Opaque', data: { other: 'eA==' } });
  const { keys } = await setting.controller({ isLeader: false });
  expect(keys.secrets?.secrets).toHaveLength(1);
  expect(setting.api.find(SECRET)).toMatchObject({ type: 'Opaque', data: { other: 'eA==' } });
  expect(setting.losses).toEqual([]);
});

it('a restarted controller goes on with the keys', async () => {
  const setting = new Setting();
  const first = await setting.controller();
  expect((await setting.controller()).keys.secrets).toEqual(first.keys.secrets);
  expect(setting.writes).toBe(1);
});

it('the leader rotates, and followers take the keys over within half a minute', async () => {
  const setting = new Setting();
  const leader = await setting.controller();
  const follower = await setting.controller({ isLeader: false });
  const [first] = leader.keys.secrets!.secrets;
  await setting.clock.pass(23 * HOUR + 60_000);
  expect(leader.keys.secrets?.secrets).toHaveLength(2);
  expect(leader.keys.secrets?.secrets[0]).toBe(first);
  expect(follower.keys.secrets).toEqual(leader.keys.secrets);
  await setting.clock.pass(HOUR);
  expect(leader.keys.secrets?.secrets[1]).toBe(first);
  expect(follower.keys.secrets).toEqual(leader.keys.secrets);
  expect([leader.changes.length, follower.changes.length]).toEqual([2, 2]);
  expect(setting.writes).toBe(3);
});

it('nobody rotates without a leader, and the next leader does', async () => {
  const setting = new Setting();
  const { keys, state } = await setting.controller({ isLeader: false });
  const before = keys.secrets;
  await setting.clock.pass(48 * HOUR);
  expect(keys.secrets).toEqual(before);
  state.isLeader = true;
  await keys.check();
  expect(keys.secrets?.secrets).toEqual([before?.secrets[0], expect.any(String)]);
});

it.each([
  ['deleted', 'was deleted', (setting: Setting) => setting.api.objects.delete(SECRET)],
  ['emptied', 'was emptied', (setting: Setting) => setting.api.put(SECRET, {})],
  ['damaged', 'is not valid', (setting: Setting) => setting.write('{"active":')],
])('the leader replaces a Secret that was %s with a warning, and followers wait for it', async (_, reason, damage) => {
  const setting = new Setting();
  const leader = await setting.controller();
  const follower = await setting.controller({ isLeader: false });
  const before = leader.keys.secrets!.secrets[0];
  damage(setting);
  await follower.keys.check();
  expect(follower.keys.secrets?.secrets).toEqual([before]);
  await leader.keys.check();
  await follower.keys.check();
  expect(leader.keys.secrets?.secrets).toHaveLength(1);
  expect(leader.keys.secrets?.secrets[0]).not.toBe(before);
  expect(follower.keys.secrets).toEqual(leader.keys.secrets);
  expect(setting.losses).toEqual([expect.stringContaining(reason)]);
});

it('a controller that starts with a damaged Secret replaces it with a warning', async () => {
  const setting = new Setting();
  setting.write('garbage');
  const { keys } = await setting.controller({ isLeader: false });
  expect(keys.secrets?.secrets).toHaveLength(1);
  expect(setting.losses).toEqual([expect.stringContaining('is not valid')]);
});

it('reports missing rights once, and has keys as soon as it has the rights', async () => {
  const setting = new Setting();
  setting.fault = () => failure(403, 'Forbidden');
  const { keys, changes } = await setting.controller();
  await setting.clock.pass(HOUR);
  expect(keys.secrets).toBeNull();
  expect(setting.failures).toHaveLength(1);
  expect(keys.fault).toBe(setting.failures[0]);
  setting.fault = () => null;
  await setting.clock.pass(30_000);
  expect(keys.fault).toBeNull();
  expect(keys.secrets).toEqual(changes[0]);
});

it('keeps its keys while the API server fails', async () => {
  const setting = new Setting();
  const { keys } = await setting.controller();
  const before = keys.secrets;
  setting.fault = () => failure(500, 'InternalError');
  await setting.clock.pass(48 * HOUR);
  expect(keys.secrets).toEqual(before);
});

it('does not start without an answer of the API server', async () => {
  const setting = new Setting();
  setting.fault = () => failure(503, 'ServiceUnavailable');
  await expect(setting.controller()).rejects.toThrow('503');
});

it('leaves a rotation to another controller that writes at the same time', async () => {
  const setting = new Setting();
  const leader = await setting.controller();
  const before = leader.keys.secrets!.secrets[0];
  setting.fault = ({ method }) => (method === 'PUT' ? failure(409, 'Conflict') : null);
  await setting.clock.pass(24 * HOUR);
  expect(leader.keys.secrets?.secrets).toEqual([before]);
  expect(setting.failures).toEqual([expect.stringContaining('another client writes the Secret')]);
});
