import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { compileExpression } from '../../../contract/expression/expression.ts';
import { compileTarget } from '../../../contract/expression/target.ts';
import { EvaluationError, type Value } from '../../../contract/expression/value.ts';
import { noReach, type Reach } from '../../../contract/reach.ts';
import { describedExchange, type RequestDescription } from '../../../dataplane/dry-run/described-exchange.ts';
import { Response } from '../../../dataplane/engine/message/response.ts';
import { configurationLanguage, runtimeLanguage } from '../../../dataplane/language/runtime-language.ts';
import { evaluated, testLanguage } from '../../support/programs/evaluation.ts';

const request: RequestDescription = {
  method: 'POST',
  uri: 'https://gw.test:8443/t/p%20q?q=1%202&q=3&r=',
  headers: ['Content-Type: application/json', 'X-User: u1', 'X-User: u2', 'Cookie: a=1; b="2"; a=3', 'User-Agent: me'],
  entity: { a: 5, list: [1, { b: 'c' }] },
  client: { remoteAddress: '192.0.2.7', remotePort: 4711 },
};

describe('the request', () => {
  it.each<[string, Value]>([
    ['request.method', 'POST'],
    ['request.getMethod()', 'POST'],
    ['request.version', 'HTTP/1.1'],
    ['request.uri.scheme', 'https'],
    ['request.uri.host', 'gw.test'],
    ['request.uri.port', 8443],
    ['request.uri.authority', 'gw.test:8443'],
    ['request.uri.path', '/t/p q'],
    ['request.uri.rawPath', '/t/p%20q'],
    ['request.uri.pathElements', ['t', 'p q']],
    ['request.uri.query', 'q=1 2&q=3&r='],
    ['request.uri.rawQuery', 'q=1%202&q=3&r='],
    ['request.uri.userInfo', null],
    ['request.uri.fragment', null],
    ['request.uri.toString()', 'https://gw.test:8443/t/p%20q?q=1%202&q=3&r='],
    ["request.uri == 'https://gw.test:8443/t/p%20q?q=1%202&q=3&r='", true],
    ["request.headers['x-user']", ['u1', 'u2']],
    ["request.headers['X-USER'][1]", 'u2'],
    ["request.headers['nope']", null],
    ["request.headers['nope'][0]", null],
    ["request.headers.getFirst('X-User')", 'u1'],
    ["request.headers.containsKey('X-User')", true],
    ["request.headers['X-User'].firstValue", null],
    ['empty request.headers', false],
    ["request.cookies['a'][1].value", '3'],
    ["request.cookies.b[0].name.concat('=').concat(request.cookies.b[0].value)", 'b=2'],
    ["request.cookies['nope']", null],
    ["request.form['q'][0]", '1 2'],
    ['request.form.q', ['1 2', '3']],
    ["request.queryParams['r'][0]", ''],
    ["request.queryParams['nope']", null],
    ['request.queryParams.keySet()', ['q', 'r']],
    ['request.entity.string', '{"a":5,"list":[1,{"b":"c"}]}'],
    ['request.entity.json.a', 5],
    ['request.entity.json.list[1].b', 'c'],
    ["request.entity['empty']", false],
    ['request.entity.empty', false],
    ['request.entity.isEmpty()', false],
    ['empty request.entity.string', false],
    ['request.entity.length', 28],
    ['length(request.entity.bytes)', 28],
    ['empty request.nothing', true],
  ])('%s is %o', (source, value) => {
    expect(evaluated(`\${${source}}`, { request })).toEqual(value);
  });

  it('prints its URI and its entity where they are part of a text', () => {
    expect(evaluated('[${request.uri}][${request.entity}]', { request })).toBe(
      '[https://gw.test:8443/t/p%20q?q=1%202&q=3&r=][{"a":5,"list":[1,{"b":"c"}]}]',
    );
  });

  it('reads forms in the query and in the entity', () => {
    const form: RequestDescription = {
      uri: '/?a=1',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' },
      entity: 'a=2&b=x+y',
    };
    expect(evaluated('${request.form.a} ${request.form.b[0]} ${request.entity.form.a[0]}', { request: form })).toBe(
      '[1, 2] x y 2',
    );
    expect(evaluated('${request.queryParams.a}', { request: form })).toEqual(['1']);
  });

  it('has no JSON in an empty entity, and fails for one that is not JSON', () => {
    expect(evaluated('${request.entity.json}', { request: {} })).toBe(null);
    expect(() => evaluated('${request.entity.json}', { request: { entity: 'x' } })).toThrow(EvaluationError);
  });
});

describe('the response', () => {
  const response = new Response(404);
  response.headers.append('X-A', 'b');
  response.entity.set('gone');
  response.cause = new Error('why');

  it.each<[string, Value]>([
    ['response.status.code', 404],
    ['response.status.reasonPhrase', 'Not Found'],
    ['response.status.family', 'CLIENT_ERROR'],
    ['response.status.isClientError', true],
    ['response.status.clientError', true],
    ['response.status.isSuccessful()', false],
    ['response.status.isServerError', false],
    ["response.headers['x-a'][0]", 'b'],
    ['response.entity.string', 'gone'],
    ['response.version', 'HTTP/1.1'],
    ['response.cause.message', 'why'],
  ])('%s is %o', (source, value) => {
    expect(evaluated(`\${${source}}`, { response })).toEqual(value);
  });

  it.each([
    [101, 'INFORMATIONAL'],
    [299, 'SUCCESSFUL'],
    [304, 'REDIRECTION'],
    [599, 'SERVER_ERROR'],
    [600, 'UNKNOWN'],
  ])('with %i is %s', (status, family) => {
    expect(evaluated('${response.status.family}', { response: new Response(status) })).toBe(family);
  });

  it('is null while there is no response', () => {
    expect(evaluated('${response}')).toBe(null);
    expect(evaluated('${response.status.code}')).toBe(null);
  });
});

describe('contexts', () => {
  it.each<[string, Value]>([
    ['contexts.client.remoteAddress', '192.0.2.7'],
    ['contexts.client.remotePort', 4711],
    ['contexts.client.localPort', 8443],
    ['contexts.client.isSecure', true],
    ['contexts.client.isExternal', true],
    ['contexts.client.userAgent', 'me'],
    ['contexts.client.remoteUser', null],
    ['contexts.client.certificates', []],
    ["contexts['client']['remoteAddress']", '192.0.2.7'],
    ['contexts.router.originalUri.host', 'gw.test'],
    ['contexts.router.remainingUri', '/t/p q'],
    ['contexts.router.baseUri', ''],
    ['contexts.router.matchedUri', ''],
    ['empty contexts.router.uriTemplateVariables', true],
    ['contexts.attributes.attributes == attributes', true],
    ['contexts.attributes.nope', null],
    ['contexts.oauth2.accessToken.info.sub', null],
  ])('%s is %o', (source, value) => {
    expect(evaluated(`\${${source}}`, { request })).toEqual(value);
  });

  it('are the values that filters set', () => {
    const exchange = describedExchange({});
    exchange.setContext('oauth2', { accessToken: { info: new Map([['sub', 'me']]), scopes: ['a'] } });
    exchange.attributes.set('openid', { id_token: 'x' });
    const source =
      '${contexts.oauth2.accessToken.info.sub} ${contexts.oauth2.accessToken.scopes[0]} ${attributes.openid.id_token}';
    expect(compileExpression(source, testLanguage(), 'linear').evaluate(exchange, null)).toBe('me a x');
  });

  it.each(['contexts.attributes.attributes.user', 'contexts.attributes.user', "contexts['attributes']['user']"])(
    'lead to the attributes as %s',
    (source) => {
      const exchange = describedExchange({});
      compileTarget(`\${${source}}`, testLanguage()).assign(exchange, null, 'me');
      expect(exchange.attributes.get('user')).toBe('me');
      expect(compileExpression(`\${${source}}`, testLanguage(), 'linear').evaluate(exchange, null)).toBe('me');
    },
  );

  it('have one transaction id per exchange', () => {
    const exchange = describedExchange({ headers: { 'X-ForgeRock-TransactionId': 'theirs' } });
    const { evaluate } = compileExpression('${contexts.transactionId.transactionId.value}', testLanguage(), 'linear');
    const id = evaluate(exchange, null);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    expect([evaluate(exchange, null), exchange.transactionId]).toEqual([id, id]);
    expect(evaluate(describedExchange({}), null)).not.toBe(id);
    exchange.transactionId = 'ours';
    expect(evaluate(exchange, null)).toBe('ours');
  });

  it('have the time of the request', () => {
    const before = Date.now();
    const time = evaluated('${contexts.requestAudit.requestReceivedTime}');
    expect(time).toBeGreaterThanOrEqual(before - 1);
    expect(time).toBeLessThanOrEqual(Date.now() + 1);
  });
});

describe('now', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 2, 3, 4, 5, 678), toFake: ['Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each<[string, Value]>([
    ['now.epochMillis', BigInt(Date.UTC(2026, 0, 2, 3, 4, 5, 678))],
    ['now.epochSeconds', BigInt(Date.UTC(2026, 0, 2, 3, 4, 5)) / 1000n],
    ['now.rfc1123', 'Fri, 02 Jan 2026 03:04:05 GMT'],
    ["''.concat(now.toString())", '2026-01-02T03:04:05.678Z'],
    ['now.plusDays(1).toString()', '2026-01-03T03:04:05.678Z'],
    ['now.plusHours(1).toString()', '2026-01-02T04:04:05.678Z'],
    ["now.plusMinutes('5').rfc1123", 'Fri, 02 Jan 2026 03:09:05 GMT'],
    ['now.plusSeconds(1).plusMillis(22).toString()', '2026-01-02T03:04:06.700Z'],
    [
      'now.minusDays(2).minusHours(3).minusMinutes(4).minusSeconds(5).minusMillis(678).toString()',
      '2025-12-31T00:00:00.000Z',
    ],
  ])('%s is %o', (source, value) => {
    expect(evaluated(`\${${source}}`)).toEqual(value);
  });

  it.each(['now.plusDays()', "now.plusDays('x')", 'now.plusDays(999999999999)'])('%s fails', (source) => {
    expect(() => evaluated(`\${${source}}`)).toThrow(EvaluationError);
  });
});

describe('the surroundings', () => {
  const reach: Reach = {
    ...noReach,
    origin: 'operator',
    env: (name) => (name === 'HOME' ? '/root' : undefined),
    envNames: () => ['HOME'],
    system: (name) => (name === 'a.b' ? 'c' : undefined),
    directories: { instance: '/base', config: '/base/config', temp: '/tmp' },
  };

  it.each<[string, Value]>([
    ["env['HOME']", '/root'],
    ['env.HOME', '/root'],
    ["env['NOPE']", null],
    ['env.keySet()', ['HOME']],
    ["system['a.b']", 'c'],
    ['openig.baseDirectory.path', '/base'],
    ['toString(openig.instanceDirectory)', '/base'],
    ['openig.configDirectory.name', 'config'],
    ["'x'.concat(openig.tempDirectory)", 'x/tmp'],
    ['fileToUrl(openig.configDirectory)', 'file:///base/config'],
  ])('%s is %o', (source, value) => {
    for (const language of [runtimeLanguage(reach, new Map()), configurationLanguage(reach, new Map())]) {
      expect(compileExpression(`\${${source}}`, language, 'bounded').evaluate(null, null)).toEqual(value);
    }
  });

  it('do not print an environment as a whole', () => {
    expect(compileExpression('x${env}', runtimeLanguage(reach, new Map()), 'bounded').evaluate(null, null)).toBe(
      'x{…}',
    );
  });

  it.each(['env', 'system', 'openig'])('are closed to tenants: %s', (name) => {
    for (const language of [runtimeLanguage(noReach, new Map()), configurationLanguage(noReach, new Map())]) {
      expect(() => compileExpression(`\${${name}.x}`, language, 'linear')).toThrow(
        expect.objectContaining({ code: 'not-allowed', message: expect.stringContaining(`'${name}'`) }),
      );
    }
  });
});

describe('names that cannot be used', () => {
  it.each([
    ['context', 'unavailable-field'],
    ['heap', 'expression'],
  ])('include %s at run time', (name, code) => {
    expect(() => evaluated(`\${${name}.x}`)).toThrow(expect.objectContaining({ code }));
    expect(evaluated(`\${${name}.x}`, { constants: { [name]: { x: 1 } } })).toBe(1);
  });

  it.each(['request', 'response', 'contexts', 'context', 'attributes', 'session'])(
    'include %s before any request',
    (name) => {
      const language = configurationLanguage(noReach, new Map());
      expect(() => compileExpression(`\${${name}.x}`, language, 'linear')).toThrow(
        expect.objectContaining({ code: 'expression', message: expect.stringContaining('before any request') }),
      );
    },
  );

  it('do not include the heap if it is available', () => {
    const language = configurationLanguage(noReach, new Map([['heap', { Clock: { zone: 'UTC' } }]]));
    expect(compileExpression("${heap['Clock'].zone}", language, 'linear').evaluate(null, null)).toBe('UTC');
  });
});

describe('languages of one reach', () => {
  it.each([
    ['configuration expressions', configurationLanguage],
    ['runtime expressions', runtimeLanguage],
  ])('share their names in %s, but not the properties of documents', (_, languageFor) => {
    const one = languageFor(noReach, new Map([['color', 'red']]));
    const other = languageFor(noReach, new Map());
    expect(one.roots).toBe(other.roots);
    expect(one.refusedRoots).toBe(other.refusedRoots);
    expect([one.constants.get('color'), other.constants.get('color')]).toEqual(['red', undefined]);
  });
});
