import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../contract/document/json-value.ts';
import { LONGEST_SUBSTITUTED, MOST_TOKEN_NESTING, substituteTokens } from '../../../contract/document/tokens.ts';
import { type Problem, ValueProblem } from '../../../contract/problem.ts';

const known: Readonly<Record<string, string>> = {
  host: 'app.example',
  port: '8080',
  stage: 'test',
  'db.test.host': 'db-1',
  token: '&{host}',
  empty: '',
  brace: 'a}b',
  secret: 'hunter2',
};

function resolve(name: string): string | undefined {
  if (name === 'forbidden') throw new ValueProblem('not-allowed', 'has a token that is not allowed');
  return Object.hasOwn(known, name) ? known[name] : undefined;
}

function substituted(value: JsonValue): { value: JsonValue; problems: Problem[] } {
  const problems: Problem[] = [];
  const report = (problem: Problem): void => void problems.push(problem);
  return { value: substituteTokens(value, resolve, report, ['top'], () => Object.keys(known)), problems };
}

describe('tokens', () => {
  it.each([
    ['&{host}', 'app.example'],
    ['http://&{host}:&{port}/', 'http://app.example:8080/'],
    ['&{absent|8443}', '8443'],
    ['&{absent|}', ''],
    ['&{empty|default}', ''],
    ['&{absent|a|b}', 'a|b'],
    ['&{absent|http://&{host}/}', 'http://app.example/'],
    ['&{absent|&{missing|&{port}}}', '8080'],
    ['&{db.&{stage}.host}', 'db-1'],
    ['&{db.&{absent|test}.host|none}', 'db-1'],
    ['&{absent|{"a": {"b": 1}}}', '{"a": {"b": 1}}'],
    ["&{absent|${env['X']}}", "${env['X']}"],
    ['&{port|{}}', '8080'],
    ['\\&{host}', '&{host}'],
    ['\\&{host} &{port}', '&{host} 8080'],
    ['&{absent|\\&{host}}', '&{host}'],
    ['\\&{a&{port}}', '&{a8080}'],
    ['&{token}', '&{host}'],
    ['&{brace}', 'a}b'],
    ['& { } | \\ &x ${a}', '& { } | \\ &x ${a}'],
    ['&{port|&{forbidden}}', '8080'],
  ])('are replaced in %s', (text, result) => {
    expect(substituted(text)).toEqual({ value: result, problems: [] });
  });

  it('are replaced in every text of a document, and other values are kept', () => {
    const value = { a: ['&{port}', 1, null, true, { b: '&{host}' }], c: { d: 'x' }, ['__proto__']: '&{port}' };
    const result = substituted(value);
    expect(result.problems).toEqual([]);
    expect(JSON.stringify(result.value)).toBe(
      '{"a":["8080",1,null,true,{"b":"app.example"}],"c":{"d":"x"},"__proto__":"8080"}',
    );
  });

  it('leave a document without tokens unchanged', () => {
    const value = { a: [{ b: 'x' }] };
    expect(substituted(value).value).toBe(value);
  });
});

describe('a problem', () => {
  it.each([
    [
      '&{ab.sent}',
      'has the token &{ab.sent}, which has no value and no default',
      'give it a value with -Dab.sent=… or the variable AB_SENT, or a default: &{ab.sent|…}',
    ],
    ['&{a b}', 'has the token &{a b}, which has no value and no default', 'give it a default: &{a b|…}'],
    ['&{hots}', 'has the token &{hots}, which has no value and no default', "did you mean 'host'?"],
    ['x &{host', 'has a token that is not closed: &{host', 'write \\&{ for the characters'],
    ['&{absent|{}', 'has a token that is not closed: &{absent|{}', 'write \\&{ for the characters'],
    ['&{absent|&{port}', 'has a token that is not closed: &{absent|&{port}', 'write \\&{ for the characters'],
    ['&{}', 'has a token without a name', undefined],
    ['&{ |x}', 'has a token without a name', undefined],
  ])('is reported for %s', (text, message, hint) => {
    expect(substituted([text])).toEqual({
      value: [text],
      problems: [{ code: 'token', severity: 'error', path: ['top', 0], message, ...(hint && { hint }) }],
    });
  });

  it('is that of the resolver', () => {
    expect(substituted({ a: '&{forbidden|x}' }).problems).toMatchObject([{ code: 'not-allowed', path: ['top', 'a'] }]);
  });

  it('is reported for every text', () => {
    const { problems } = substituted({ a: '&{x}', b: ['&{y}'] });
    expect(problems.map(({ path }) => path)).toEqual([
      ['top', 'a'],
      ['top', 'b', 0],
    ]);
  });

  it('never contains the value of a token', () => {
    const { problems } = substituted(['&{secret}&{absent}', '&{absent.&{secret}}', '&{a|&{secret}']);
    expect(problems).toHaveLength(3);
    expect(JSON.stringify(problems)).not.toContain(known['secret']);
  });

  it('is a warning for a token in a key, which stays', () => {
    expect(substituted({ '&{host}': 1 })).toEqual({
      value: { '&{host}': 1 },
      problems: [
        {
          code: 'no-effect',
          severity: 'warning',
          path: ['top', '&{host}'],
          message: 'is a key, and tokens in keys are not substituted',
        },
      ],
    });
  });

  it('is too much nesting', () => {
    const nested = (depth: number) => '&{a|'.repeat(depth) + '}'.repeat(depth);
    expect(substituted(nested(MOST_TOKEN_NESTING)).problems).toEqual([]);
    expect(substituted(nested(MOST_TOKEN_NESTING + 1)).problems).toMatchObject([{ code: 'token' }]);
  });

  it('is a text that becomes too long', () => {
    const long = 'x'.repeat(LONGEST_SUBSTITUTED / 4);
    const problems: Problem[] = [];
    const result = substituteTokens(
      '&{a}'.repeat(5),
      () => long,
      (problem) => problems.push(problem),
    );
    expect([result, problems.length]).toEqual(['&{a}'.repeat(5), 1]);
    expect(substituteTokens('&{a}'.repeat(3), () => long, fail)).toHaveLength(3 * long.length);
  });
});

function fail(problem: Problem): void {
  throw new Error(problem.message);
}
