import { describe, expect, it } from 'vitest';
import { checkConfigured } from '../../../support/gateways/configured-gateway.ts';
import {
  type AskOptions,
  type FilteredAnswer,
  problemsOf,
  startFiltered,
} from '../../../support/gateways/filtered-gateway.ts';

const APP = 'https://app.example.com';

async function asked(policies: object[], options: AskOptions & { target?: string }, more: object = {}) {
  const filter = JSON.parse(JSON.stringify({ type: 'CorsFilter', config: { policies, ...more } }));
  const { ask, seen } = await startFiltered([filter]);
  const answer = await ask(options.target ?? '/', options);
  return { answer, seen, sharing: sharing(answer) };
}

/** The headers that CORS is about, without their common prefix. */
function sharing(answer: FilteredAnswer): Record<string, string> {
  const names = ['allow-origin', 'allow-credentials', 'allow-methods', 'allow-headers', 'expose-headers', 'max-age'];
  const entries = names.map((name) => [name, answer.values(`access-control-${name}`).join(' | ')]);
  return Object.fromEntries(entries.filter(([, value]) => value !== ''));
}

function preflight(method: string, headers?: string, origin = APP): AskOptions {
  const asks = headers === undefined ? [] : [`Access-Control-Request-Headers: ${headers}`];
  return { method: 'OPTIONS', headers: [`Origin: ${origin}`, `Access-Control-Request-Method: ${method}`, ...asks] };
}

describe('CorsFilter on requests', () => {
  it('allows an accepted origin to read the response, and adds Vary for caches', async () => {
    const policy = {
      acceptedOrigins: [APP],
      exposedHeaders: ['X-A', 'X-B'],
      allowCredentials: true,
      maxAge: '1 minute',
    };
    const { answer, seen, sharing } = await asked([policy], { headers: [`Origin: ${APP}`] });
    expect(answer.status).toBe(200);
    expect(seen[0]!.headers).toContainEqual(['origin', APP]);
    expect(sharing).toEqual({ 'allow-origin': APP, 'allow-credentials': 'true', 'expose-headers': 'X-A, X-B' });
    expect(answer.values('vary')).toEqual(['Origin']);
  });

  it('replaces the CORS headers of the backend', async () => {
    const theirs = [
      'allow-origin=*',
      'allow-credentials=true',
      'allow-methods=X',
      'allow-headers=X',
      'expose-headers=X',
    ];
    const target = `/?${theirs.map((one) => `h.access-control-${one}`).join('&')}&h.vary=Accept`;
    const { answer, sharing } = await asked([{ acceptedOrigins: [APP] }], { target, headers: [`Origin: ${APP}`] });
    expect(sharing).toEqual({ 'allow-origin': APP });
    expect(answer.values('vary')).toEqual(['Accept', 'Origin']);
  });

  it.each([
    ['https://app.example.com', 'HTTPS://APP.example.com', APP],
    ['https://app.example.com:443', 'https://app.example.com', APP],
    ['https://app.example.com/', 'https://app.example.com:443', APP],
    ['http://a.test:8080', 'http://a.test:8080', 'http://a.test:8080'],
    ['capacitor://localhost', 'capacitor://localhost', 'capacitor://localhost'],
  ])('accepts by %s the origin %s', async (accepted, origin, expected) => {
    const { sharing } = await asked([{ acceptedOrigins: [accepted] }], { headers: [`Origin: ${origin}`] });
    expect(sharing).toEqual({ 'allow-origin': expected });
  });

  it.each([
    'http://app.example.com',
    'https://app.example.com:8443',
    'https://app.example.com.evil.test',
    'https://evil.test#app.example.com',
    'https://x@app.example.com',
    'null',
    '*',
    `${APP}, https://evil.test`,
  ])('refuses the origin %s', async (origin) => {
    const { answer, seen, sharing } = await asked([{ acceptedOrigins: [APP] }], { headers: [`Origin: ${origin}`] });
    expect(answer.status).toBe(403);
    expect(answer.body).toBe('');
    expect(seen).toEqual([]);
    expect(sharing).toEqual({});
    expect(answer.values('vary')).toEqual(['Origin']);
  });

  it('refuses two origins', async () => {
    const headers = [`Origin: ${APP}`, 'Origin: https://evil.test'];
    expect((await asked([{ acceptedOrigins: [APP] }], { headers })).answer.status).toBe(403);
  });

  it.each(['https://anything.test', 'null', ''])('answers * to the origin "%s" if all are accepted', async (origin) => {
    const { sharing } = await asked([{ acceptedOrigins: '*' }], { headers: [`Origin: ${origin}`] });
    expect(sharing).toEqual({ 'allow-origin': '*' });
  });

  it('uses the first policy that accepts the origin', async () => {
    const policies = [
      { acceptedOrigins: ['https://b.test'], exposedHeaders: ['X-1'] },
      { acceptedOrigins: [APP, 'https://b.test'], exposedHeaders: ['X-2'] },
      { acceptedOrigins: '*', exposedHeaders: ['X-3'] },
    ];
    const exposed = async (origin: string) =>
      (await asked(policies, { headers: [`Origin: ${origin}`] })).sharing['expose-headers'];
    expect([await exposed('https://b.test'), await exposed(APP), await exposed('https://c.test')]).toEqual([
      'X-1',
      'X-2',
      'X-3',
    ]);
  });

  it.each([
    ['without an origin', [], 'GET'],
    ['from its own origin', ['Origin: http://gw.test'], 'POST'],
    ['from its own origin behind TLS', ['Origin: https://gw.test'], 'POST'],
    ['that asks for options without an origin', ['Access-Control-Request-Method: PUT'], 'OPTIONS'],
  ])('passes a request %s', async (_, headers, method) => {
    const { answer, seen, sharing } = await asked([{ acceptedOrigins: [APP] }], { headers, method });
    expect(answer.status).toBe(200);
    expect(seen).toHaveLength(1);
    expect(sharing).toEqual({});
    expect(answer.values('vary')).toEqual(['Origin']);
  });

  it.each([
    ['GET', [], 200],
    ['POST', [], 200],
    ['OPTIONS', [], 200],
    ['PUT', [], 403],
    ['PUT', ['PUT'], 200],
    ['DELETE', ['PUT'], 403],
    ['DELETE', '*', 200],
  ])('answers %s with accepted methods %j by %i', async (method, acceptedMethods, status) => {
    const policies = [{ acceptedOrigins: [APP], acceptedMethods }];
    expect((await asked(policies, { method, headers: [`Origin: ${APP}`] })).answer.status).toBe(status);
  });

  it('sends rejected requests to the failure handler', async () => {
    const failureHandler = { type: 'StaticResponseHandler', config: { status: 418 } };
    const { answer } = await asked(
      [{ acceptedOrigins: [APP] }],
      { headers: ['Origin: https://evil.test'] },
      { failureHandler },
    );
    expect(answer.status).toBe(418);
    expect(answer.values('vary')).toEqual(['Origin']);
  });
});

describe('CorsFilter on preflights', () => {
  const policy = {
    acceptedOrigins: [APP],
    acceptedMethods: ['PUT', 'PATCH'],
    acceptedHeaders: ['X-One', 'Content-Type'],
    exposedHeaders: ['X-A'],
    maxAge: '10 minutes',
  };
  const full = {
    'allow-origin': APP,
    'allow-methods': 'GET, HEAD, POST, PUT, PATCH',
    'allow-headers': 'x-one, content-type',
    'max-age': '600',
  };

  it.each([
    ['PUT', undefined, policy, full],
    ['GET', 'x-one, CONTENT-TYPE', policy, full],
    ['PATCH', ' ,X-One, ', { ...policy, allowCredentials: true }, { ...full, 'allow-credentials': 'true' }],
    ['PUT', undefined, { acceptedOrigins: '*', acceptedMethods: '*' }, { 'allow-origin': '*', 'allow-methods': 'PUT' }],
    [
      'X-ODD',
      'authorization, X-Two',
      { acceptedOrigins: [APP], acceptedMethods: '*', acceptedHeaders: '*', allowCredentials: true, maxAge: 'zero' },
      {
        'allow-origin': APP,
        'allow-credentials': 'true',
        'allow-methods': 'X-ODD',
        'allow-headers': 'authorization, X-Two',
        'max-age': '0',
      },
    ],
  ])('answers %s with %s', async (method, headers, one, expected) => {
    const { answer, seen, sharing } = await asked([one], preflight(method, headers));
    expect(answer.status).toBe(204);
    expect(seen).toEqual([]);
    expect(sharing).toEqual(expected);
    expect(answer.values('vary')).toEqual(['Origin, Access-Control-Request-Method, Access-Control-Request-Headers']);
  });

  it.each([
    [preflight('DELETE')],
    [preflight('put')],
    [preflight('PUT', 'x-two')],
    [preflight('PUT', 'x-one, x-two')],
    [preflight('PUT', undefined, 'https://evil.test')],
    [preflight('PUT', undefined, 'http://gw.test')],
    [preflight('PUT', undefined, 'null')],
  ])('refuses %j', async (options) => {
    const { answer, seen, sharing } = await asked([policy], options);
    expect(answer.status).toBe(403);
    expect(seen).toEqual([]);
    expect(sharing).toEqual({});
  });
});

describe('the configuration of a CorsFilter', () => {
  it.each([
    [{}, ['missing policies: is required']],
    [{ policies: [] }, ['value policies: must have at least 1 entry']],
    [{ policies: [{}] }, ["missing policies[0]: one of 'acceptedOrigins' and 'origins' is required"]],
    [
      { policies: [{ acceptedOrigins: ['https://a.test/path'] }] },
      ["value policies[0].acceptedOrigins[0]: is not an origin: 'https://a.test/path'"],
    ],
    [
      {
        policies: [
          { acceptedOrigins: '*', exposedHeaders: ['a b', 'ok'], acceptedHeaders: ['é'], acceptedMethods: ['GET,PUT'] },
        ],
      },
      [
        "value policies[0].acceptedMethods[0]: 'GET,PUT' is not a method",
        "value policies[0].acceptedHeaders[0]: 'é' is not the name of a header",
        "value policies[0].exposedHeaders[0]: 'a b' is not the name of a header",
      ],
    ],
    [{ policies: [{ acceptedOrigins: ['null'] }] }, ["value policies[0].acceptedOrigins[0]: is not an origin: 'null'"]],
    [{ policies: [{ acceptedOrigins: ['*'] }] }, ["value policies[0].acceptedOrigins[0]: is not an origin: '*'"]],
    [
      { policies: [{ acceptedOrigins: '*', allowCredentials: true }] },
      [
        'exclusive policies[0].allowCredentials: cannot be true where every origin is accepted: any page could act as ' +
          'its visitor; name the origins',
      ],
    ],
    [
      { policies: [{ origins: [APP], acceptedOrigins: [APP] }] },
      [
        "exclusive policies[0].origins: 'acceptedOrigins' and 'origins' cannot be given together",
        "deprecated-field policies[0].origins: is deprecated: use 'acceptedOrigins'",
      ],
    ],
    [
      { policies: [{ origins: [APP] }] },
      ["deprecated-field policies[0].origins: is deprecated: use 'acceptedOrigins'"],
    ],
    [
      { policies: [{ acceptedOrigins: [APP] }, { acceptedOrigins: '*', acceptedMethods: ['PUT', 'Put', 'patch'] }] },
      ["no-effect policies[1].acceptedMethods[1]: has no effect: methods are case-sensitive, and browsers send 'PUT'"],
    ],
    [
      { policies: [{ acceptedOrigins: [APP], maxAge: 'unlimited' }] },
      ['duration policies[0].maxAge: must not be unlimited'],
    ],
  ])('%j has problems', (config, problems) => {
    expect(problemsOf('CorsFilter', JSON.parse(JSON.stringify(config)))).toEqual(problems);
  });

  it.each([
    ['*', 'for all origins write "*" without brackets'],
    ['app.test', "write scheme, host and perhaps a port, such as 'https://app.example.com:8443'"],
  ])('gets a hint for the origin %j', (origin, hint) => {
    const filter = { type: 'CorsFilter', config: { policies: [{ acceptedOrigins: [origin] }] } };
    const handler = { type: 'StaticResponseHandler', config: { status: 200 } };
    const document = { handler: { type: 'Chain', config: { filters: [filter], handler } } };
    expect(checkConfigured(document).map((problem) => problem.hint)).toEqual([hint]);
  });

  it('accepts the former name of the origins', async () => {
    const { sharing } = await asked([{ origins: [APP] }], { headers: [`Origin: ${APP}`] });
    expect(sharing).toEqual({ 'allow-origin': APP });
  });
});
