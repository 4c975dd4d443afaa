import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { parseExpression } from '../../../contract/expression/parse.ts';
import { testsAdministration } from '../../../dataplane/routes/condition-reach.ts';
import { amDeclaration } from '../../support/access-manager/policy-gateway.ts';
import { checkConfigured } from '../../support/gateways/configured-gateway.ts';

const tests = (condition: string, prefix = 'openig'): boolean =>
  testsAdministration(parseExpression(`\${${condition}}`), prefix);

describe('testsAdministration', () => {
  it.each([
    "request.uri.path == '/openig'",
    "'/openig/api' == request.uri.path",
    "find(request.uri.path, '^/openig')",
    "find(request.uri.path, '^/openig/(api|metrics)')",
    "matches(request.uri.path, '^/openig/')",
    "matchesWithRegex(request.uri.path, '/openig/.*')",
    "request.uri.path.startsWith('/openig/')",
    "request.method == 'GET' and find(request.uri.path, '^/openig/')",
    "request.uri.path == '/openig' or find(request.uri.path, '^/openig/')",
  ])('is true for a condition that only administrative paths match: %s', (condition) => {
    expect(tests(condition)).toBe(true);
  });

  it.each([
    "request.uri.path == '/openigs'",
    "find(request.uri.path, '^/open')",
    "find(request.uri.path, '/openig/')",
    "find(request.uri.path, '^/shop/openig/')",
    "request.uri.host == '/openig'",
    "not (request.uri.path == '/openig')",
    "request.uri.path == '/openig' or request.method == 'GET'",
    "request.uri.path == '/openig' or request.uri.path == '/shop'",
    'false',
    'true',
  ])('is false for a condition that other requests or no requests match: %s', (condition) => {
    expect(tests(condition)).toBe(false);
  });

  it('uses the prefix of admin.json', () => {
    expect(tests("request.uri.path == '/ops/gate/ping'", 'ops/gate')).toBe(true);
    expect(tests("request.uri.path == '/openig/ping'", 'ops/gate')).toBe(false);
  });
});

describe('unreachedPaths', () => {
  const warnings = (condition: string, clientEndpoint = '/openid'): (string | undefined)[] =>
    warningsFor(condition, {
      type: 'AuthorizationCodeOAuth2ClientFilter',
      config: {
        clientEndpoint,
        registrations: [{ clientId: 'gateway', issuer: 'https://login.example.com' }],
        failureHandler: { type: 'StaticResponseHandler', config: { status: 403 } },
      },
    });
  const crossDomainWarnings = (condition: string, redirectEndpoint: string): (string | undefined)[] =>
    warningsFor(condition, {
      type: 'CrossDomainSingleSignOnFilter',
      config: { amService: amDeclaration({ url: 'https://am.example.com/openam' }), redirectEndpoint },
    });

  function warningsFor(condition: string, signIn: JsonObject): (string | undefined)[] {
    const handler = { type: 'StaticResponseHandler', config: { status: 200 } };
    const document = {
      condition: `\${${condition}}`,
      handler: { type: 'Chain', config: { filters: ['signIn'], handler } },
      heap: [{ name: 'signIn', ...signIn }],
    };
    return checkConfigured(document)
      .filter(({ message }) => message.includes('excludes'))
      .flatMap(({ path, message, hint }) => [path.join('.'), message, hint]);
  }

  it.each([
    ['/cdsso/redirect', "find(request.uri.path, '^/cdsso/')"],
    ['https://app.example.net/cdsso/redirect', "find(request.uri.path, '^/cdsso/')"],
    ['/cdsso', "request.uri.path == '/cdsso'"],
  ])('warns of a condition that keeps tokens of an access manager away from %s', (endpoint, test) => {
    const path = endpoint.replace('https://app.example.net', '');
    expect(crossDomainWarnings("find(request.uri.path, '^/app')", endpoint)).toEqual([
      'heap.0.config.redirectEndpoint',
      `the condition of the route excludes '${path}': nobody can sign on`,
      `add "or ${test}" to the condition, or choose a path that it includes`,
    ]);
  });

  it('is silent about a redirect endpoint that the condition includes', () => {
    expect(crossDomainWarnings("find(request.uri.path, '^/app')", '/app/redirect')).toEqual([]);
  });

  it.each([
    "find(request.uri.path, '^/app')",
    "request.uri.path == '/openid'",
    "request.uri.path.startsWith('/app/') or request.uri.path == '/health'",
    "request.method == 'GET' and find(request.uri.path, '^/app')",
  ])('warns of a condition that keeps the callback away: %s', (condition) => {
    expect(warnings(condition)).toEqual([
      'heap.0.config.clientEndpoint',
      "the condition of the route excludes '/openid/callback': nobody can sign in",
      `add "or find(request.uri.path, '^/openid/')" to the condition, or choose a path that it includes`,
    ]);
  });

  it.each([
    ["find(request.uri.path, '^/app')", '/app/openid'],
    ["find(request.uri.path, '^/app') or find(request.uri.path, '^/openid/')", '/openid'],
    ["find(request.uri.path, 'app')", '/openid'],
    ["request.uri.host == 'app.example.com'", '/openid'],
    ["not (request.uri.path == '/openid')", '/openid'],
    ["find(request.uri.path, '^/app')", '${request.headers.where}'],
    ['false', '/openid'],
  ])('is silent where the condition may include it: %s with %s', (condition, endpoint) => {
    expect(warnings(condition, endpoint)).toEqual([]);
  });
});
