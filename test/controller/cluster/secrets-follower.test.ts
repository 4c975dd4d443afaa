import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { ClusterApi } from '../../../controller/cluster/api/api-client.ts';
import { SecretsFollower } from '../../../controller/cluster/secrets-follower.ts';
import { answer, ScriptedApiServer } from '../../support/cluster/scripted-api-server.ts';

const ALLOWED = { labels: { 'gatewarden.io/secret-store': 'allowed' } };
const name = (text: string): string => `shop/${text}`;

interface Setting {
  readonly server: ScriptedApiServer;
  readonly follower: SecretsFollower;
  changes(): number;
  /** The data of what is known, as texts. */
  known(): Record<string, Record<string, string> | null | 'no consent'>;
}

async function following(): Promise<Setting> {
  const server = await ScriptedApiServer.start();
  const api = new ClusterApi({ kubeconfig: server.kubeconfig() });
  let changes = 0;
  const times = { pause: 1, longestPause: 1, forbidden: 0 };
  const follower = new SecretsFollower({ api, changed: () => void changes++, times });
  onTestFinished(async () => {
    await follower.close();
    await api.close();
  });
  const known: Setting['known'] = () =>
    Object.fromEntries(
      [...follower.secrets].map(([key, secret]) => {
        if (secret === null) return [key, null];
        const { data } = secret;
        return [key, data === null ? 'no consent' : Object.fromEntries([...data].map(([k, v]) => [k, text(v)]))];
      }),
    );
  return { server, follower, changes: () => changes, known };
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

function secret(value: string, metadata: JsonObject = ALLOWED): JsonObject {
  return { metadata, data: { password: Buffer.from(value).toString('base64') } };
}

describe('Secrets', () => {
  it('are followed by name, and only those', async () => {
    const { server, follower, known } = await following();
    server.put('shop/secrets/keys', secret('one'));
    server.put('shop/secrets/others', secret('hidden'));
    follower.follow([name('keys'), name('absent')]);
    expect(known()).toEqual({});
    await vi.waitFor(() => expect(known()).toEqual({ 'shop/keys': { password: 'one' }, 'shop/absent': null }));
    server.put('shop/secrets/keys', secret('two'));
    server.put('shop/secrets/absent', secret('there'));
    const both = { 'shop/keys': { password: 'two' }, 'shop/absent': { password: 'there' } };
    await vi.waitFor(() => expect(known()).toEqual(both));
    server.remove('shop/secrets/keys');
    await vi.waitFor(() => expect(known()).toEqual({ ...both, 'shop/keys': null }));
    const asked = server.requests.map(({ path, query }) => `${path} ${query.get('fieldSelector')}`);
    const path = '/api/v1/namespaces/shop/secrets';
    expect(new Set(asked)).toEqual(new Set([`${path} metadata.name=keys`, `${path} metadata.name=absent`]));
  });

  it.each<[string, JsonObject]>([
    ['no label', {}],
    ['another value', { labels: { 'gatewarden.io/secret-store': 'yes' } }],
    ['another label', { labels: { 'secret-store': 'allowed' } }],
  ])('with %s provide no data, and lose it with the label', async (_, metadata) => {
    const { server, follower, known } = await following();
    server.put('shop/secrets/keys', secret('one', metadata));
    follower.follow([name('keys')]);
    await vi.waitFor(() => expect(known()).toEqual({ 'shop/keys': 'no consent' }));
    server.put('shop/secrets/keys', secret('one'));
    await vi.waitFor(() => expect(known()).toEqual({ 'shop/keys': { password: 'one' } }));
    server.put('shop/secrets/keys', secret('two', metadata));
    await vi.waitFor(() => expect(known()).toEqual({ 'shop/keys': 'no consent' }));
  });

  it('are the same objects, in the same map, until something changes', async () => {
    const { server, follower, known, changes } = await following();
    server.put('shop/secrets/keys', secret('one'));
    follower.follow([name('keys')]);
    await vi.waitFor(() => expect(known()).toHaveProperty('shop/keys'));
    const before = follower.secrets;
    const said = changes();
    follower.follow([name('keys')]);
    server.next('watch', answer(410));
    server.reset();
    await vi.waitFor(() => expect(follower.facts[0]?.relists).toBe(1));
    expect(follower.secrets).toBe(before);
    expect(changes()).toBe(said);
  });

  it('are released when they are no longer needed', async () => {
    const { server, follower, known } = await following();
    server.put('shop/secrets/keys', secret('one'));
    follower.follow([name('keys'), name('more')]);
    await vi.waitFor(() => expect(server.openWatches).toBe(2));
    follower.follow([name('more')]);
    expect(known()).toEqual({ 'shop/more': null });
    await vi.waitFor(() => expect(server.openWatches).toBe(1));
  });

  it('that are forbidden count as missing until access is granted', async () => {
    const { server, follower, known } = await following();
    server.put('shop/secrets/keys', secret('one'));
    follower.follow([name('keys')]);
    await vi.waitFor(() => expect(known()).toEqual({ 'shop/keys': { password: 'one' } }));
    server.next('watch', answer(403));
    server.next('list', ...Array.from({ length: 200 }, () => answer(403)));
    server.reset();
    await vi.waitFor(() => expect(known()).toEqual({ 'shop/keys': null }));
    expect(follower.seenOf('shop/keys')).toBeNull();
    await vi.waitFor(() => expect(known()).toEqual({ 'shop/keys': { password: 'one' } }), 5000);
    expect(follower.seenOf('shop/keys')).not.toBeNull();
  });

  it('are kept while the server does not answer', async () => {
    const { server, follower, known } = await following();
    server.put('shop/secrets/keys', secret('one'));
    follower.follow([name('keys')]);
    await vi.waitFor(() => expect(server.openWatches).toBe(1));
    const failures = follower.facts[0]?.errors.size;
    await server.stop();
    await vi.waitFor(() => expect(follower.facts[0]?.errors.get('Unreachable')).toBeGreaterThan(3));
    expect(failures).toBe(0);
    expect(known()).toEqual({ 'shop/keys': { password: 'one' } });
  });

  it('are read a few at a time', async () => {
    const { server, follower, known } = await following();
    const waiting: (() => void)[] = [];
    let most = 0;
    const many = Array.from({ length: 60 }, (_, at) => name(`s${at}`));
    server.next(
      'list',
      ...many.map(() => (_: unknown, response: { end(text: string): void }) => {
        waiting.push(() => response.end('{"metadata":{"resourceVersion":"5"},"items":null}'));
        most = Math.max(most, waiting.length);
      }),
    );
    follower.follow(many);
    await vi.waitFor(() => {
      for (const go of waiting.splice(0)) go();
      expect(Object.keys(known())).toHaveLength(60);
    }, 10_000);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(16);
  });
});
