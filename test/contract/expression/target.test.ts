import { describe, expect, it } from 'vitest';
import { compileExpression } from '../../../contract/expression/expression.ts';
import { compileTarget } from '../../../contract/expression/target.ts';
import { EvaluationError, type Value } from '../../../contract/expression/value.ts';
import { describedExchange } from '../../../dataplane/dry-run/described-exchange.ts';
import { Response } from '../../../dataplane/engine/message/response.ts';
import { evaluated, testLanguage, vectorRequest } from '../../support/programs/evaluation.ts';

const language = testLanguage({ constants: { property: new Map() } });

function assigned(source: string, value: Value, seen: string): Value {
  const exchange = describedExchange(vectorRequest);
  exchange.attributes.set('map', new Map());
  exchange.attributes.set('plain', {});
  exchange.attributes.set('list', ['a', 'b']);
  const response = new Response(200);
  compileTarget(source, language).assign(exchange, response, value);
  return compileExpression(seen, language, 'linear').evaluate(exchange, response);
}

it.each<[string, Value, string, Value]>([
  ['${attributes.user}', 'u', '${attributes.user}', 'u'],
  ["${attributes['a b']}", 5n, "${attributes['a b']}", 5n],
  ['${attributes.map.x}', true, '${attributes.map.x}', true],
  ['${attributes.plain.x}', null, '${attributes.plain.x}', null],
  ['${attributes.list[1]}', 'c', '${attributes.list}', ['a', 'c']],
  ["${attributes[request.headers['X-Str'][0]]}", 1, '${attributes.abc}', 1],
  ['#{attributes.user}', 'u', '${attributes.user}', 'u'],
  ['${request.method}', 'POST', '${request.method}', 'POST'],
  [
    '${request.uri}',
    'https://other.test:8443/x?y=1',
    '${request.uri.port}${request.uri}',
    '8443https://other.test:8443/x?y=1',
  ],
  ['${request.uri.path}', '/new path', '${request.uri.rawPath}', '/new%20path'],
  ['${request.uri.query}', null, '${request.uri.query}', null],
  ['${request.uri.port}', '81', '${request.uri.authority}', 'gw.test:81'],
  ["${request.headers['X-Str']}", 'new', "${request.headers['x-str']}", ['new']],
  ["${request.headers['X-Str']}", ['p', 'q'], "${request.headers['x-str']}", ['p', 'q']],
  ["${request.headers['X-Str']}", null, "${request.headers['x-str']}", null],
  ['${request.entity}', 'text', '${request.entity.string}', 'text'],
  ['${request.entity.json}', new Map([['a', 1n]]), '${request.entity.string}', '{"a":1}'],
  ['${response.status}', 404, '${response.status.code}', 404],
  ["${response.headers['A']}", 'b', '${response.headers.a[0]}', 'b'],
])('%s = %o makes %s evaluate to %o', (target, value, source, seen) => {
  expect(assigned(target, value, source)).toEqual(seen);
});

describe('a target', () => {
  it.each([
    ['${request.version}', true],
    ['${request.cookies["a"]}', true],
    ['${request.uri.userInfo}', true],
    ['${request.nothing}', true],
    ['${contexts.client.remoteAddress}', true],
    ['${requst.method}', true],
    ['${request.method}', false],
    ["${request.headers['a']}", false],
    ['${attributes.x.y}', false],
  ])('%s is read only: %s', (source, readOnly) => {
    expect(compileTarget(source, language).readOnly).toBe(readOnly);
  });

  it('that is read-only is not changed', () => {
    expect(assigned('${request.version}', 'HTTP/9', '${request.version}')).toBe('HTTP/1.1');
    expect(assigned("${request.queryParams['x']}", 'y', "${request.queryParams['x'][0]}")).toBe('1');
  });

  it.each([
    'plain',
    'x${attributes.a}',
    '${attributes.a}${attributes.b}',
    '${attributes}',
    '${1}',
    "${'a'.b}",
    '${request.getMethod()}',
    '${attributes.a + 1}',
    '${toJson("{}").a}',
    '${property.a}',
    '${session}',
  ])('is not %s', (source) => {
    expect(() => compileTarget(source, language)).toThrow(expect.objectContaining({ name: 'ValueProblem' }));
  });

  it.each<[string, Value]>([
    ['${attributes.nosuch.deep}', 1],
    ['${attributes.list[2]}', 1],
    ['${attributes.list.name}', 1],
    ['${attributes[null]}', 1],
    ['${request.method.name}', 1],
    ['${request.method}', 'not a method'],
    ['${request.uri}', 'not a uri'],
    ['${request.uri.port}', 99999],
    ['${request.uri.port}', 'many'],
    ["${request.headers['a']}", 'line\nbreak'],
    ["${request.headers['a b']}", 'x'],
    ['${response.status}', 42],
  ])('%s rejects %o', (source, value) => {
    expect(() => assigned(source, value, '${true}')).toThrow(EvaluationError);
  });

  it('of a response that does not exist yet fails', () => {
    const target = compileTarget('${response.status}', language);
    expect(() => target.assign(describedExchange({}), null, 404)).toThrow(EvaluationError);
    expect(evaluated('[${response}]')).toBe('[]');
  });
});
