import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { EchoBackend } from '../../../support/backends/echo-backend.ts';
import { CookieJar } from '../../../support/clients/cookie-jar.ts';
import { startConfigured } from '../../../support/gateways/configured-gateway.ts';
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
    ['a cache', { username: 'a', password: 'b', failureHandler, cacheHeader: true }, []],
    ['no cache', { username: 'a', password: 'b', failureHandler, cacheHeader: false }, []],
  ])('reports %s', (_, config, problems) => {
    const found = problemsOf(TYPE, config);
    expect(found).toHaveLength(problems.length);
    for (const [at, problem] of problems.entries()) expect(found[at]).toContain(problem);
  });
});

/** An application that knows one password, which a test changes, and the filter in front of it. */
async function application(config: JsonObject = {}) {
  const app = { password: 'one', seen: [] as string[] };
  const backend = await EchoBackend.start({ host: '127.0.0.1' }, (request, response) => {
    const given = Buffer.from(request.headers.authorization?.slice('Basic '.length) ?? '', 'base64').toString();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      app.seen.push(`${given} ${Buffer.concat(chunks).toString()}`.trim());
      response.statusCode = given === `ada:${app.password}` ? 200 : 401;
      response.setHeader('WWW-Authenticate', 'Basic');
      response.end('content');
    });
  });
  const own = { ...filter, config: { ...(filter['config'] as JsonObject), ...config } };
  const handler = { type: 'ReverseProxyHandler', baseURI: backend.url };
  const gateway = await startConfigured({ handler: { type: 'Chain', config: { filters: [own], handler } } });
  onTestFinished(async () => {
    await gateway.close();
    await backend.close();
  });
  const jar = new CookieJar();
  /** Asks as this user. @returns the status, and the challenge that nobody should see */
  const ask = async (user: string | null, password: string | null, body?: string): Promise<string> => {
    const headers: [string, string][] = jar.header.map((line) => ['Cookie', line.slice('Cookie: '.length)]);
    if (user !== null) headers.push(['X-User', user]);
    if (password !== null) headers.push(['X-Password', password]);
    const url = `http://127.0.0.1:${gateway.port}/`;
    const response = await fetch(url, { headers, ...(body !== undefined && { method: 'POST', body }) });
    await response.text();
    jar.take(response.headers.getSetCookie());
    return `${response.status}${response.headers.get('www-authenticate') ?? ''}`;
  };
  return { app, ask, jar };
}

describe('credentials in the session', () => {
  it('are used where a later request has none, and end when the application refuses them', async () => {
    const { app, ask } = await application();
    expect(await ask('ada', 'one')).toBe('200');
    expect(await ask(null, null)).toBe('200');
    expect(await ask('ada', null)).toBe('200');
    app.password = 'two';
    expect(await ask(null, null)).toBe('418');
    app.password = 'one';
    expect(await ask(null, null)).toBe('418');
    expect(app.seen).toEqual(['ada:one', 'ada:one', 'ada:one', 'ada:one']);
  });

  it('give way to those of the request when the application refuses them, once', async () => {
    const { app, ask } = await application();
    await ask('ada', 'one');
    app.password = 'two';
    expect(await ask('ada', 'two')).toBe('200');
    expect(await ask(null, null)).toBe('200');
    expect(await ask('ada', 'wrong')).toBe('200');
    app.password = 'three';
    expect(await ask('ada', 'wrong')).toBe('418');
    expect(app.seen).toEqual(['ada:one', 'ada:one', 'ada:two', 'ada:two', 'ada:two', 'ada:two', 'ada:wrong']);
  });

  it('are not kept before the application accepted them', async () => {
    const { app, ask, jar } = await application();
    expect(await ask('ada', 'wrong')).toBe('418');
    expect(jar.names).toEqual([]);
    expect(app.seen).toEqual(['ada:wrong']);
  });

  it('are not used for another user', async () => {
    const { app, ask } = await application();
    await ask('ada', 'one');
    expect(await ask('bob', 'one')).toBe('418');
    expect(await ask('bob', null)).toBe('418');
    expect(app.seen).toEqual(['ada:one', 'bob:one']);
  });

  it('are not sent with a body that passed through to be sent again', async () => {
    const { app, ask } = await application();
    await ask('ada', 'one');
    app.password = 'two';
    expect(await ask('ada', 'two', 'order')).toBe('418');
    expect(await ask('ada', 'two', 'order')).toBe('200');
    expect(app.seen).toEqual(['ada:one', 'ada:one order', 'ada:two order']);
  });

  it('are not kept with cacheHeader false', async () => {
    const { app, ask, jar } = await application({ cacheHeader: false });
    await ask('ada', 'one');
    expect(jar.names).toEqual([]);
    expect(await ask(null, null)).toBe('418');
    expect(app.seen).toEqual(['ada:one']);
  });

  it('are not visible in the cookie', async () => {
    const { ask, jar } = await application();
    await ask('ada', 'one');
    const text = jar.names.map((name) => `${name}=${jar.get(name)}`).join('; ');
    expect(text).not.toContain(Buffer.from('ada:one').toString('base64'));
    expect(jar.names).toHaveLength(1);
  });
});
