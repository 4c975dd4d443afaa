import { describe, expect, it } from 'vitest';
import { compileExpression } from '../../../contract/expression/expression.ts';
import type { Language } from '../../../contract/expression/language.ts';
import { testLanguage } from '../../support/programs/evaluation.ts';

const language = testLanguage({ constants: { host: 'a.example', nested: { port: 1 } } });
const compiled = (source: string) => compileExpression(source, language, 'linear');

describe('the analysis of an expression', () => {
  it.each([
    ['plain', true],
    ['\\${a}', true],
    ['a\\\\#{b}', true],
    ['${a}', false],
    ["${'a'}", false],
    ['\\${a}${b}', false],
  ])('%s is a literal: %s', (source, literal) => {
    expect(compiled(source).literal).toBe(literal);
  });

  it('lists its roots and unknown names', () => {
    const { roots, unknownRoots } = compiled("${request.method == host and requst.uri[attributes.x] == ''}");
    expect([...roots]).toEqual(['request', 'host', 'requst', 'attributes']);
    expect(unknownRoots).toEqual(['requst']);
  });

  it('are the replaced functions it calls, once each', () => {
    expect(compiled("${matches('a', 'a') or matches('b', 'b') or find('a', urlDecode('a'))}").deprecations).toEqual([
      { name: 'matches', replacement: 'find' },
      { name: 'urlDecode', replacement: 'formDecodeParameterNameOrValue' },
    ]);
  });

  it.each([
    ['${request.entity.string}', true],
    ["${request['entity']['json'].a}", true],
    ['${request.entity}', true],
    ['x${request}', true],
    ['${request[attributes.x]}', true],
    ['${request.getEntity().json}', true],
    ["${contains(request.entity.string, 'x') ? 1 : 2}", true],
    ['${attributes[request.entity.string]}', true],
    ["${'a'.concat(request.entity.string)}", true],
    ['${(true ? request : response).entity}', true],
    ['${request.method}', false],
    ['${request.getMethod()}', false],
    ["${request.headers['entity'][0]}", false],
    ['${request.uri.path.concat(response.entity.string)}', false],
    ["${'request.entity'}", false],
  ])('%s touches the entity of the request: %s', (source, touches) => {
    expect(compiled(source).touches('request.entity')).toBe(touches);
  });
});

describe('compiling', () => {
  it.each([
    ["${fnd('a', 'b')}", 'expression', "the function 'fnd' does not exist", "did you mean 'find'?"],
    ["${constructor('a')}", 'expression', "the function 'constructor' does not exist", undefined],
    ["${find('a')}", 'expression', "the function 'find' takes 2 arguments, not 1", undefined],
    ['${trim()}', 'expression', "the function 'trim' takes 1 argument, not 0", undefined],
    ["${find('a', '(')}", 'pattern', expect.any(String), undefined],
    ["${fn:trim('a')}", 'expression', "the function 'fn:trim' does not exist", expect.stringContaining('parentheses')],
    ["${read('/etc/passwd')}", 'not-allowed', expect.stringContaining("'read'"), undefined],
    ['${env.HOME}', 'not-allowed', expect.stringContaining("'env'"), undefined],
  ])('%s is refused', (source, code, message, hint) => {
    let problem: unknown;
    try {
      compiled(source);
    } catch (error) {
      problem = error;
    }
    expect(problem).toMatchObject({ code, message, hint });
  });

  it('holds patterns to the policy', () => {
    const source = "${find(request.uri.path, '^/(?!b)')}";
    expect(() => compileExpression(source, language, 'linear')).toThrow(expect.objectContaining({ code: 'pattern' }));
    expect(() => compileExpression(source, language, 'bounded')).not.toThrow();
  });

  it('evaluates constant parts only once', () => {
    let calls = 0;
    const counting: Language = {
      ...language,
      functions: new Map([['count', { takes: 'one', first: 'any', call: () => ++calls }]]),
    };
    const expression = compileExpression("a${count(1 + 2)}${count('x')}", counting, 'linear');
    expect([calls, expression.evaluate(null, null), expression.evaluate(null, null), calls]).toEqual([
      2,
      'a12',
      'a12',
      2,
    ]);
  });

  it('resolves configuration properties', () => {
    expect(compiled('${host}:${nested.port}').evaluate(null, null)).toBe('a.example:1');
  });

  it('evaluates an unknown name to null', () => {
    expect(compiled('[${nosuch}${empty nosuch.deep}]').evaluate(null, null)).toBe('[true]');
  });
});
