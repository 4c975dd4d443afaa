import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { problemsOf, startFiltered } from '../../../support/gateways/filtered-gateway.ts';

const TYPE = 'HttpBasicAuthFilter';
const failureHandler = {
  type: 'StaticResponseHandler',
  config: { status: 418, headers: { 'Content-Type': ['text/plain'] }, entity: 'no access' },
};
const filter: JsonObject = {
  type: TYPE,
  config: {
    username: "${request.headers['X-User'][0]}",
    password: "${request.headers['X-Password'][0]}",
    failureHandler,
  },
};
const as = (...lines: string[]): { headers: string[] } => ({ headers: lines });
const ada = as('X-User: ada', 'X-Password: p:1');

const authorizations = (seen: Awaited<ReturnType<typeof startFiltered>>['seen']) =>
  seen.map(({ headers }) => headers.filter(([name]) => name === 'authorization').map(([, value]) => value));

describe(TYPE, () => {
  it('sends the credentials in place of those of the client', async () => {
    const { ask, seen } = await startFiltered([filter]);
    expect((await ask('/', as(...ada.headers, 'Authorization: Bearer x'))).status).toBe(200);
    expect(authorizations(seen)).toEqual([[`Basic ${Buffer.from('ada:p:1').toString('base64')}`]]);
  });

  it('answers a 401 of the application with the failure handler, and shows no challenge to browsers', async () => {
    const { ask, seen, logged } = await startFiltered([filter]);
    const refused = await ask('/?status=401&entity=go+away&h.WWW-Authenticate=Basic', ada);
    expect([refused.status, refused.body, refused.values('www-authenticate')]).toEqual([418, 'no access', []]);
    const passed = await ask('/?entity=ok&h.WWW-Authenticate=Negotiate', ada);
    expect([passed.status, passed.body, passed.values('www-authenticate')]).toEqual([200, 'ok', []]);
    expect(seen).toHaveLength(2);
    expect(JSON.stringify(logged)).not.toContain('p:1');
  });

  it('sends nothing without credentials, not even those of the client', async () => {
    const { ask, seen } = await startFiltered([filter]);
    for (const lines of [as('X-User: ada', 'Authorization: Basic eA=='), as('X-Password: p')]) {
      expect((await ask('/', lines)).status).toBe(418);
    }
    expect(seen).toEqual([]);
  });

  it('answers a user name with a colon with 500', async () => {
    const { ask, seen } = await startFiltered([filter]);
    expect((await ask('/', as('X-User: a:b', 'X-Password: p'))).status).toBe(500);
    expect(seen).toEqual([]);
  });

  it.each<[string, JsonObject, string[]]>([
    [
      'nothing',
      {},
      ['missing username: is required', 'missing password: is required', 'missing failureHandler: is required'],
    ],
    [
      'a cache',
      { username: 'a', password: 'b', failureHandler, cacheHeader: true },
      [
        'unavailable-field cacheHeader: is not available in this version: credentials are computed for each request, only false can be given',
      ],
    ],
    ['no cache', { username: 'a', password: 'b', failureHandler, cacheHeader: false }, []],
  ])('reports %s', (_, config, problems) => {
    const found = problemsOf(TYPE, config);
    expect(found).toHaveLength(problems.length);
    for (const [at, problem] of problems.entries()) expect(found[at]).toContain(problem);
  });
});
