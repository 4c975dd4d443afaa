import { expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { startFiltered } from '../../support/gateways/filtered-gateway.ts';
import { tokenText } from '../../support/identity/token-text.ts';

const faults: JsonObject = {
  type: 'StaticResponseHandler',
  config: { status: 403, entity: '${contexts.jwtValidationError.violations[0].description}' },
};

/** Answers of a filter with this customizer: the status, and what is wrong with the JWT. */
async function judging(source: JsonValue, more: JsonObject = {}) {
  const customizer = {
    type: 'ScriptableJwtValidatorCustomizer',
    config: { type: 'application/x-groovy', source, ...more },
  };
  const config = { jwt: "${request.headers['X-Token'][0]}", customizer, failureHandler: faults };
  const gateway = await startFiltered([{ type: 'JwtValidationFilter', config }]);
  const judge = async (claims: object): Promise<string> => {
    const { status, body } = await gateway.ask('/', { headers: [`X-Token: ${tokenText({ alg: 'RS256' }, claims)}`] });
    return status === 200 ? '200' : `${status} ${body}`;
  };
  return { ...gateway, judge };
}

it.each<[string, object, object, RegExp]>([
  [
    "builder.claim('sub', JsonValue::asString, isEqualTo('ada'))",
    { sub: 'ada' },
    { sub: 'bob' },
    /claim 'sub' has another/,
  ],
  ["builder.claim('sub', JsonValue::asString, isEqualTo('ada'))", { sub: 'ada' }, {}, /claim 'sub' is missing/],
  ["builder.claim('n', JsonValue::asInteger, isGreaterThan(5))", { n: 6 }, { n: 5 }, /claim 'n' is too small/],
  ["builder.claim('n', JsonValue::asInteger, isLessThanOrEqualTo(5))", { n: 5 }, { n: 6 }, /claim 'n' is too large/],
  [
    "builder.claim('a/b', JsonValue::asString, isEqualTo('x'))",
    { a: { b: 'x' } },
    { a: {} },
    /claim 'a\/b' is missing/,
  ],
  [
    "builder.claim('iss', JsonValue::asString, find(~/example[.](com|org)$/))",
    { iss: 'am.example.org' },
    { iss: 'x' },
    /match/,
  ],
  ["builder.claim('r', JsonValue::asList, contains('admin'))", { r: ['a', 'admin'] }, { r: ['a'] }, /lacks/],
  ["builder.claim('t', JsonValue::asString, isIn(['a', 'b']))", { t: 'b' }, { t: 'c' }, /not allowed/],
  ["builder.claim('x', { it.asInteger() * 2 }, isEqualTo(4))", { x: 2 }, { x: 3 }, /has another value/],
  [
    "builder.claim('x', JsonValue::asInteger, isGreaterThan(claim('y').asInteger()))",
    { x: 2, y: 1 },
    { x: 1, y: 1 },
    /too small/,
  ],
  [
    "builder.claim('a', JsonValue::asString, isEqualTo('1')).claim('b', JsonValue::asString, isEqualTo(wanted))",
    { a: '1', b: '2' },
    { a: '1', b: '3' },
    /claim 'b'/,
  ],
])('%s', async (source, good, bad, reason) => {
  const { judge, seen } = await judging(source, { args: { wanted: '2' } });
  expect(await judge(good)).toBe('200');
  expect(await judge(bad)).toMatch(reason);
  expect(seen).toHaveLength(1);
});

it.each([
  ['an exception', "throw new Exception('no')"],
  ['a claim of another type', "builder.claim('n', JsonValue::asString, isEqualTo('1'))"],
  ['a value that is no constraint', "builder.claim('n', JsonValue::asInteger, 1)"],
  ['a loop without end', 'while (true) {}'],
])('refuses a JWT after %s', async (_title, source) => {
  const { judge, seen } = await judging(source);
  expect(await judge({ n: 1 })).toMatch(/^403 .*cannot be validated/);
  expect(seen).toEqual([]);
});
