import { describe, expect, it } from 'vitest';
import { parseExpression } from '../../../contract/expression/parse.ts';
import { testsAdministration } from '../../../dataplane/routes/administrative-condition.ts';

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
