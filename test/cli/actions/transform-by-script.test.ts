import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, describe, expect, it } from 'vitest';
import { transformByScript } from '../../../cli/actions/transform-by-script.ts';
import { applySlowPatch } from '../../../contract/crest/apply-patch.ts';
import { CrestError } from '../../../contract/crest/crest-error.ts';
import { readPatch } from '../../../contract/crest/patch-operation.ts';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { InstanceFolder } from '../../support/gateways/instance-folder.ts';

const folder = new InstanceFolder({ 'config/config.json': {}, 'scripts/groovy/upper.groovy': 'value.toUpperCase()' });
mkdirSync(folder.at('scripts/javascript'), { recursive: true });
writeFileSync(folder.at('scripts/javascript/upper.js'), 'return value.toUpperCase()');
writeFileSync(folder.at('scripts/secret.groovy'), "'never'");
afterAll(() => folder[Symbol.dispose]());

const logged: string[] = [];
const directories = { instance: folder.path, config: join(folder.path, 'config'), temp: join(folder.path, 'tmp') };
const log = pino(
  { level: 'debug' },
  { write: (line: string) => logged.push((JSON.parse(line) as { msg: string }).msg) },
);
const transform = transformByScript({ env: { SECRET: 'x' }, system: {}, directories }, log);

const GROOVY = 'application/x-groovy';
const JAVASCRIPT = 'text/javascript';
const ROUTE: JsonObject = { name: 'shop', filters: [{ rate: 5 }, { rate: 7 }], price: 1.5, open: true };

const one = (field: string, script: JsonValue): JsonObject => ({ operation: 'transform', field, value: { script } });
const patched = (...operations: JsonObject[]): Promise<JsonObject> =>
  applySlowPatch(ROUTE, readPatch(operations), { transform });
async function refusal(...operations: JsonObject[]): Promise<string> {
  const error = await patched(...operations).catch((reason: unknown) => reason);
  if (!(error instanceof CrestError)) throw new Error(`not refused: ${JSON.stringify(error)}`);
  return `${error.status} ${error.message}`;
}

describe('a transformation by script', () => {
  it.each<[string, string, JsonValue, string, JsonValue]>([
    ['a text', '/name', 'SHOP', 'value.toUpperCase()', 'return value.toUpperCase()'],
    ['a GString', '/name', 'shop-2', '"${value}-2"', 'return `${value}-2`'],
    ['a number', '/filters/0/rate', 10, 'value * 2', 'return value * 2'],
    ['a fraction', '/price', 3, 'value * 2', 'return value * 2'],
    ['a flag', '/open', false, '!value', 'return !value'],
    [
      'a list',
      '/filters',
      [{ rate: 6 }, { rate: 8 }],
      'value.collect { [rate: it.rate + 1] }',
      'return value.map(({ rate }) => ({ rate: rate + 1 }))',
    ],
    [
      'a list that it changes',
      '/filters',
      [{ rate: 5 }, { rate: 7 }, 3],
      'value << 3; value',
      'value.push(3); return value',
    ],
    [
      'a field that does not exist',
      '/new/place',
      ['none'],
      "value == null ? ['none'] : value",
      "return value === null ? ['none'] : value",
    ],
    [
      'lines',
      '/name',
      'a',
      ['def x = value[0]', "x == 's' ? 'a' : 'b'"] as unknown as string,
      ['const x = value[0]', "return x === 's' ? 'a' : 'b'"],
    ],
  ])('has %s as its result', async (_title, field, expected, groovy, javascript) => {
    for (const [type, source] of [
      [GROOVY, groovy],
      [JAVASCRIPT, javascript],
    ] as const) {
      const result = await patched(one(field, { type, source }));
      const found = field
        .split('/')
        .slice(1)
        .reduce((at: unknown, step) => (at as Record<string, unknown>)[step], result);
      expect([type, found]).toEqual([type, expected]);
    }
  });

  it('sees the values of operations before it, and leaves all unchanged if one fails', async () => {
    const upper = one('/name', { type: GROOVY, source: 'value.toUpperCase()' });
    const add = { operation: 'add', field: '/name', value: 'market' };
    expect(await patched(add, upper, one('/name', { type: JAVASCRIPT, source: "return value + '!'" }))).toMatchObject({
      name: 'MARKET!',
    });
    expect(await refusal(upper, { operation: 'increment', field: '/name', value: 1 })).toMatch(/^400 /);
    expect(ROUTE['name']).toBe('shop');
  });

  it.each([
    [GROOVY, 'upper.groovy'],
    [JAVASCRIPT, 'upper.js'],
  ])('runs a file of the instance (%s)', async (type, file) => {
    expect(await patched(one('/name', { type, file }))).toMatchObject({ name: 'SHOP' });
  });

  it('a script writes to the log of the gateway', async () => {
    await patched(one('/name', { type: GROOVY, source: "logger.info('was {}', value); value" }));
    await patched(one('/name', { type: JAVASCRIPT, source: "logger.info('was ' + value); return value" }));
    expect(logged.filter((line) => line === 'was shop')).toHaveLength(2);
  });

  it.each<[string, JsonValue, RegExp]>([
    ['no script', 'upper', /an object with "script"/],
    ['a script that is a text', { script: 'x' }, /an object with "script"/],
    ['further members', { script: { type: GROOVY, source: '1' }, more: 1 }, /and nothing else/],
    ['an unknown member', { script: { type: GROOVY, source: '1', args: {} } }, /no member 'args'/],
    ['no type', { script: { source: '1' } }, /"type" of the script must be one of/],
    ['another type', { script: { type: 'text/x-python', source: '1' } }, /must be one of 'application\/x-groovy'/],
    ['neither file nor source', { script: { type: GROOVY } }, /either "file" or "source"/],
    ['both', { script: { type: GROOVY, source: '1', file: 'upper.groovy' } }, /either "file" or "source"/],
    ['a source that is a number', { script: { type: GROOVY, source: 1 } }, /"source" of the script must be/],
    ['a file that is a number', { script: { type: GROOVY, file: 1 } }, /"file" of the script must be/],
    ['a file that is not there', { script: { type: GROOVY, file: 'none.groovy' } }, /'none.groovy' cannot be read/],
    [
      'a file above the folder',
      { script: { type: GROOVY, file: '../secret.groovy' } },
      /must be below scripts\/groovy/,
    ],
    ['the folder itself', { script: { type: GROOVY, file: '.' } }, /must be below scripts\/groovy/],
  ])('is refused with %s', async (_title, value, message) => {
    const found = await refusal({ operation: 'transform', field: '/name', value });
    expect(found).toMatch(/^400 .*transform: /);
    expect(found).toMatch(message);
  });

  it('reads no absolute path outside of the folder', async () => {
    expect(await refusal(one('/name', { type: GROOVY, file: '/etc/passwd' }))).toMatch(/cannot be read below/);
  });

  it.each<[string, string, string, RegExp]>([
    ['a syntax error', GROOVY, 'value.\n  +)', /the script, line \d+, column \d+: /],
    ['a syntax error in JavaScript', JAVASCRIPT, 'return\nvalue +)', /the script, line 2, column \d+: /],
    ['a class that is not available', GROOVY, "new File('/etc/passwd').text", /class File is not available/],
    ['a variable of other scripts', GROOVY, 'request.uri', /line 1, column 1: the variable request is not available/],
    ['a variable of other scripts in JavaScript', JAVASCRIPT, 'return request.uri', /request/],
    [
      'an exception',
      GROOVY,
      "\nthrow new IllegalStateException('no')",
      /line 2: java\.lang\.IllegalStateException: no/,
    ],
    ['an exception in JavaScript', JAVASCRIPT, "throw new Error('no')", /no/],
    ['the environment', GROOVY, "System.getenv('SECRET')", /SecurityException/],
    ['a loop without end', GROOVY, 'while (true) {}', /exceeded its time budget/],
    ['a loop without end in JavaScript', JAVASCRIPT, 'for (;;) {}', /exceeded its (time|memory) budget/],
    ['too much memory', GROOVY, "def s = 'x'; while (true) { s += s }; s", /exceeded its (time|memory) budget/],
    ['no result', GROOVY, 'null', /has no result/],
    ['no result in JavaScript', JAVASCRIPT, 'value + 1', /has no result/],
    ['a value without a JSON form', GROOVY, 'def c = { it }; c', /has no JSON form/],
    ['a number that JSON does not have', GROOVY, 'Double.NaN', /a number that JSON does not have/],
    ['a promise that never ends', JAVASCRIPT, 'await new Promise(() => {})', /never completes/],
  ])('is refused for %s', async (_title, type, source, message) => {
    const found = await refusal(one('/name', { type, source }));
    expect(found).toMatch(/^400 /);
    expect(found).toMatch(message);
  });

  it('is refused for the resource as a whole, and more than twenty times in one patch', async () => {
    const script = { type: GROOVY, source: 'value' };
    expect(await refusal(one('', script))).toMatch(/as a whole/);
    expect(await refusal(...Array.from({ length: 21 }, () => one('/name', script)))).toMatch(/at most 20 operations/);
    expect(await patched(...Array.from({ length: 20 }, () => one('/name', script)))).toEqual(ROUTE);
  });

  it('is refused if its result is too large', async () => {
    const source = '[0] * 60000';
    expect(await refusal(one('/name', { type: GROOVY, source }))).toMatch(
      /^400 (what a patch adds|transform: the script exceeded)/,
    );
  });
});
