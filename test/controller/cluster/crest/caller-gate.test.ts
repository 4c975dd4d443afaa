import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { ApiAnswer, ApiRequest } from '../../../../controller/cluster/api/api-client.ts';
import { CallerGate } from '../../../../controller/cluster/crest/caller-gate.ts';
import { ManualClock } from '../../../support/gateways/manual-clock.ts';

/** An API server that knows tokens such as `ann` or `ann~2`, and reviews the rights of eve when it is told to. */
function reviewing(rate = 100_000) {
  const clock = new ManualClock();
  const held = Promise.withResolvers<void>();
  const asked: string[] = [];
  const gate = new CallerGate({
    ...{ clock, rate },
    api: {
      async call({ body }: ApiRequest): Promise<ApiAnswer> {
        const { spec } = body as { spec: { token?: string; user?: string; nonResourceAttributes?: { path: string } } };
        if (spec.token !== undefined) {
          const username = spec.token.split('~')[0]!.replaceAll('/', ':'); // tokens have no colons
          asked.push(`token ${spec.token}`);
          return { status: 201, body: { status: { authenticated: username !== 'mallory', user: { username } } } };
        }
        asked.push(`${spec.user} ${spec.nonResourceAttributes!.path}`);
        if (spec.user === 'eve') await held.promise;
        return { status: 201, body: { status: { allowed: spec.user !== 'nobody' } } };
      },
    },
  });
  const admit = async (token: string | null, path = '/status', method = 'GET', from = '10.0.0.1'): Promise<number> => {
    const headersDistinct = token === null ? {} : { authorization: [`Bearer ${token}`] };
    const request = { method, headersDistinct, socket: { remoteAddress: from } } as unknown as IncomingMessage;
    return (await gate.pathGuard.admit(request, path))?.status ?? 200;
  };
  return { clock, held, asked, admit };
}

describe('the guard of status, dump and monitoring', () => {
  it('lets one caller with many requests not take the turns of others', async () => {
    const { held, admit } = reviewing();
    const many = Array.from({ length: 500 }, (_, at) => admit('eve', `/openig/metrics/api/${at}`));
    expect(await admit('ann')).toBe(200);
    expect(await admit('bob', '/dump')).toBe(200);
    held.resolve();
    const statuses = await Promise.all(many);
    expect([...new Set(statuses)].sort()).toEqual([200, 503]);
    expect(statuses.filter((status) => status === 200).length).toBe(256);
  });

  it('counts the ServiceAccounts of one namespace as one caller', async () => {
    const { admit } = reviewing(1);
    const accounts = Array.from({ length: 8 }, (_, at) => `system/serviceaccount/shop/bot-${at}`);
    const statuses: number[] = [];
    for (const account of accounts) statuses.push(await admit(account));
    expect(statuses).toEqual([...Array<number>(5).fill(200), 429, 429, 429]);
    expect(await admit('system/serviceaccount/shop-2/bot-0')).toBe(200);
    expect(await admit('system/serviceaccount/shop')).toBe(200);
    expect(await admit('shop')).toBe(200);
  });

  it('remembers an answer for ten seconds, for one method, path and caller', async () => {
    const { clock, asked, admit } = reviewing();
    for (let i = 0; i < 3; i++) expect(await admit('ann')).toBe(200);
    expect(await admit('ann', '/status', 'HEAD')).toBe(200);
    expect(asked).toEqual(['token ann', 'ann /status']);
    expect(await admit('ann', '/dump')).toBe(200);
    expect(await admit('ann', '/status', 'DELETE')).toBe(200);
    expect(await admit('nobody')).toBe(403);
    expect(asked.slice(2)).toEqual(['ann /dump', 'ann /status', 'token nobody', 'nobody /status']);
    await clock.pass(10_000);
    expect(await admit('ann')).toBe(200);
    expect(asked.slice(6)).toEqual(['token ann', 'ann /status']);
  });

  it('rejects requests without a token that the cluster accepts, and callers above their rate', async () => {
    const { clock, admit } = reviewing(1);
    expect(await admit(null)).toBe(401);
    expect(await admit('mallory')).toBe(401);
    const statuses: number[] = [];
    for (let at = 0; at < 7; at++) statuses.push(await admit('ann'));
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
    expect(await admit('bob')).toBe(200);
    await clock.pass(1000);
    expect(await admit('ann~2')).toBe(200);
  });
});
