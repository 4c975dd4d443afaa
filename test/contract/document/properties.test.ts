import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../contract/document/json-value.ts';
import { readProperties } from '../../../contract/document/properties.ts';
import type { PropertySet } from '../../../contract/document/property-set.ts';
import { type Problem, ValueProblem } from '../../../contract/problem.ts';
import { noReach, type Reach } from '../../../contract/reach.ts';

const files: Readonly<Record<string, string>> = {
  '/gw/config/ports.json': '{"http": 80, "https": {"$int": "&{tls|443}"}, "name": "${name}"}',
  '/gw/config/list.json': '[1, 2]',
  '/gw/config/bad.json': '{"a": 1,}',
  '/gw/config/again.json': '{"$location": "ports.json"}',
  '/gw/config/inner.json': '{"x": {"$location": "again.json"}}',
  '/gw/config/my.properties': 'user = bob\nmail.host: mx',
  '/gw/config/bad.properties': 'a=\\u1',
};

const operator: Reach = {
  ...noReach,
  origin: 'operator',
  env: (name) => (name === 'STAGE' ? 'test' : undefined),
  readFile: (path) => (files[path] === undefined ? null : Buffer.from(files[path])),
  directories: { instance: '/gw', config: '/gw/config', temp: '/gw/tmp' },
};

/** Evaluates `${name}`, and refuses what it does not know. */
function evaluate(text: string, constants: ReadonlyMap<string, JsonValue>): JsonValue {
  const name = /^\$\{(\w+)\}$/.exec(text)?.[1] ?? '';
  if (name === 'config') return '/gw/config';
  const value = constants.get(name);
  if (value === undefined) throw new ValueProblem('expression', `has no ${name}`, 'look again');
  return value;
}

function read(raw: JsonValue | undefined, parent: PropertySet | null = null, reach = operator) {
  const problems: Problem[] = [];
  const sources = { reach, files: new Map(), instanceUrl: null, allowed: new Map() };
  const set = readProperties(raw, { parent, sources, evaluate }, (problem) => problems.push(problem));
  return { set, values: Object.fromEntries(set.values), problems };
}

describe('properties', () => {
  it('see the ones before them, as tokens and in expressions', () => {
    const { set, values, problems } = read({
      name: 'shop',
      port: { $int: '&{port.default|8080}' },
      url: 'http://&{name}:&{port}/&{stage}',
      copy: { nested: ['${port}', { deep: '${url}' }] },
      again: '&{copy.nested}',
    });
    expect(problems).toEqual([]);
    expect(values).toEqual({
      name: 'shop',
      port: 8080,
      url: 'http://shop:8080/test',
      copy: { nested: [8080, { deep: 'http://shop:8080/test' }] },
      again: '[8080,{"deep":"http://shop:8080/test"}]',
    });
    expect([set.token('port'), set.token('copy'), set.token('absent')]).toEqual(['8080', undefined, undefined]);
  });

  it('do not see the ones after them', () => {
    const { problems } = read({ a: '&{b}', c: '${b}', b: '1' });
    expect(problems).toEqual([
      expect.objectContaining({ code: 'token', path: ['properties', 'a'] }),
      { code: 'expression', severity: 'error', path: ['properties', 'c'], message: 'has no b', hint: 'look again' },
    ]);
  });

  it('inherit those of the parents', () => {
    const top = read({ a: '1', b: { c: '2', d: '3' } }).set;
    const { set, values, problems } = read({ e: '&{a}&{b.c}', f: '${a}', b: { c: '9' } }, top);
    expect(problems).toEqual([]);
    expect(values).toEqual({ e: '12', f: '1', b: { c: '9' } });
    expect([set.token('a'), set.token('b.c'), set.token('b.d')]).toEqual(['1', '9', '3']);
    expect(Object.fromEntries(set.all())).toEqual({ a: '1', b: { c: '9' }, e: '12', f: '1' });
    expect(set.tokenNames()).toEqual(['e', 'f', 'b.c', 'a', 'b.c', 'b.d']);
  });

  it.each([[undefined], [null], [{}]])('may be absent: %j', (raw) => {
    expect(read(raw)).toMatchObject({ values: {}, problems: [] });
  });

  it('keep odd names to themselves', () => {
    const { set, problems } = read({ ['__proto__']: { a: 'x' }, b: '&{__proto__.a}' });
    expect([set.token('b'), problems]).toEqual(['x', []]);
  });
});

describe('files of properties', () => {
  it.each<[JsonValue, JsonValue]>([
    [{ p: { $location: 'ports.json' } }, { p: { http: 80, https: 443, name: 'shop' } }],
    [{ p: { $location: '/gw/config/list.json' } }, { p: [1, 2] }],
    [{ p: { $location: 'file:///gw/config/list.json' } }, { p: [1, 2] }],
    [
      { dir: '${config}', p: { $location: '&{dir}/list.json' } },
      { dir: '/gw/config', p: [1, 2] },
    ],
    [{ p: [{ q: { $location: 'list.json' } }] }, { p: [{ q: [1, 2] }] }],
    [
      { $location: 'ports.json', p: '&{http}' },
      { http: 80, https: 443, name: 'shop', p: '80' },
    ],
    [
      { p: { $location: 'my.properties' }, m: '&{p.mail.host}' },
      { p: { user: 'bob', 'mail.host': 'mx' }, m: 'mx' },
    ],
  ])('are read from %j', (raw, values) => {
    const result = read(raw, read({ name: 'shop' }).set);
    expect([result.values, result.problems]).toEqual([values, []]);
  });

  it.each<[JsonValue, JsonValue[], string]>([
    [
      { p: { $location: 'absent.json' } },
      ['p', '$location'],
      'names a file that cannot be read: /gw/config/absent.json',
    ],
    [{ p: { $location: 'x.yaml' } }, ['p', '$location'], 'must name a .json or .properties file, not x.yaml'],
    [{ p: { $location: 'https://a/b.json' } }, ['p', '$location'], 'must name a file, not https://a/b.json'],
    [{ p: { $location: 'file://host/b.json' } }, ['p', '$location'], 'is not a URL of a file: file://host/b.json'],
    [{ p: { $location: 5 } }, ['p', '$location'], 'must be the name of a file and not a number'],
    [
      { p: { $location: 'bad.json' } },
      ['p', '$location'],
      'names a file with a problem: /gw/config/bad.json:1:8: has a trailing comma',
    ],
    [
      { p: { $location: 'bad.properties' } },
      ['p', '$location'],
      'names a file with a problem: /gw/config/bad.properties:1:1: has \\u without four hexadecimal digits',
    ],
    [{ p: { $location: 'list.json', a: 1 } }, ['p'], 'has $location and other keys'],
    [{ $location: 'list.json' }, ['$location'], 'names a file that does not hold an object'],
    [{ $location: 'again.json' }, ['$location'], 'names a file that has a $location itself'],
  ])('are refused: %j', (raw, path, message) => {
    expect(read(raw).problems).toEqual([
      { code: 'property', severity: 'error', path: ['properties', ...path], message },
    ]);
  });

  it('do not load files that load files', () => {
    expect(read({ p: { $location: 'inner.json' } }).problems).toMatchObject([
      { code: 'transformation', path: ['properties', 'p', 'x'] },
    ]);
  });

  it('are not for tenants', () => {
    const tenant = { ...operator, origin: 'tenant' as const, readFile: () => Buffer.from('{}') };
    expect(read({ p: { $location: 'ports.json' } }, null, tenant).problems).toMatchObject([
      { code: 'not-allowed', path: ['properties', 'p', '$location'] },
    ]);
  });
});

describe('a problem', () => {
  it('is reported for properties that are not an object', () => {
    expect(read('x').problems).toMatchObject([{ code: 'property', path: ['properties'] }]);
  });

  it('is reported for a token that two properties define', () => {
    expect(read({ a: { b: 1 }, 'a.b': 2 }).problems).toMatchObject([
      { code: 'property', path: ['properties', 'a.b'], message: "defines the token 'a.b' a second time" },
    ]);
  });

  it('has the path of the value', () => {
    expect(read({ a: [{ $int: 'x' }, '&{no}'] }).problems).toMatchObject([
      { code: 'token', path: ['properties', 'a', 1] },
      { code: 'transformation', path: ['properties', 'a', 0] },
    ]);
  });

  it('is a token of the operator in a document of a tenant', () => {
    const top = read({ secret: 's' }).set;
    const result = read({ a: '1', b: '&{a}', c: '&{secret}', d: '&{stage|x}' }, top, { ...noReach });
    expect(result.values).toMatchObject({ a: '1', b: '1' });
    expect(result.problems).toMatchObject([
      { code: 'not-allowed', path: ['properties', 'c'] },
      { code: 'not-allowed', path: ['properties', 'd'] },
    ]);
  });
});
