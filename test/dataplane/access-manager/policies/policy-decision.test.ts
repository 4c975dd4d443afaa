import { describe, expect, it } from 'vitest';
import { readDecision, UnsoundDecision } from '../../../../dataplane/access-manager/policies/policy-decision.ts';

const R = 'http://app.test/a';
const NOW = Date.UTC(2026, 0, 1);

function read(text: string, resource = R) {
  return readDecision(Buffer.from(text, 'utf8'), resource);
}

/** A decision as the access manager writes it, with some members of its text replaced. */
function decision(more: Readonly<Record<string, string>> = {}): string {
  const members = { resource: JSON.stringify(R), actions: '{"GET":true}', attributes: '{}', advices: '{}', ...more };
  return `{${Object.entries(members)
    .map(([name, text]) => `"${name}":${text}`)
    .join(',')}}`;
}

describe('the decision in an answer', () => {
  it('is found by its resource, wherever it stands', () => {
    const other = decision({ resource: '"http://app.test/b"', actions: '{"GET":false}' });
    expect(read(`[${other},${decision()}]`).allows('GET')).toBe(true);
    expect(read(`[${decision()},${other}]`, 'http://app.test/b').allows('GET')).toBe(false);
  });

  it.each([
    ['is HTML', '<html><body>Sign in</body></html>'],
    ['is empty', ''],
    ['is an object', decision()],
    ['is a text', '"[]"'],
    ['is cut off', `[${decision()}`],
    ['has no decision', '[]'],
    ['has only a decision about another resource', `[${decision({ resource: '"http://app.test/b"' })}]`],
    ['has a resource that only looks alike', `[${decision({ resource: '"http://app.test/a/"' })}]`],
    ['has two decisions about the resource', `[${decision({ actions: '{"GET":false}' })},${decision()}]`],
    ['has no actions', `[{"resource":"${R}","attributes":{},"advices":{}}]`],
    ['has a list of actions', `[${decision({ actions: '["GET"]' })}]`],
    ['has null for actions', `[${decision({ actions: 'null' })}]`],
    ['has an action twice', `[${decision({ actions: '{"GET":false,"GET":true}' })}]`],
    ['has an action twice, one of them escaped', `[${decision({ actions: '{"GET":false,"\\u0047ET":true}' })}]`],
    ['has a text for attributes', `[${decision({ attributes: '"x"' })}]`],
    ['has advices without lists', `[${decision({ advices: '{"AuthLevelConditionAdvice":"5"}' })}]`],
    ['has advices that are numbers', `[${decision({ advices: '{"AuthLevelConditionAdvice":[5]}' })}]`],
    ['is nested too deep', `[${decision({ attributes: `{"a":${'['.repeat(50)}${']'.repeat(50)}}` })}]`],
  ])('is refused where the answer %s', (_, text) => {
    expect(() => read(text)).toThrow(UnsoundDecision);
  });

  it('is refused where the answer is not UTF-8', () => {
    const bytes = Buffer.from(`[${decision({ attributes: '{"a":["ÿ"]}' })}]`, 'latin1');
    expect(() => readDecision(bytes, R)).toThrow(UnsoundDecision);
  });

  it('cannot be changed, because requests share it', () => {
    const { context } = read(`[${decision({ attributes: '{"role":["gold"]}' })}]`);
    expect(() => Object.assign(context, { resource: 'x' })).toThrow(TypeError);
    expect(() => Object.assign(context.actions, { POST: true })).toThrow(TypeError);
    expect(() => (context.attributes['role'] as string[]).push('admin')).toThrow(TypeError);
  });
});

describe('a method', () => {
  it.each([
    ['{"GET":true}', 'GET', true],
    ['{"GET":false}', 'GET', false],
    ['{}', 'GET', false],
    ['{"GET":true}', 'HEAD', false],
    ['{"GET":true}', 'get', false],
    ['{"GET":"true"}', 'GET', false],
    ['{"GET":1}', 'GET', false],
    ['{"GET":null}', 'GET', false],
    ['{"GET":true}', 'constructor', false],
    ['{"GET":true}', '__proto__', false],
    ['{"GET":true}', 'toString', false],
    ['{"GET":true}', 'hasOwnProperty', false],
    ['{"__proto__":{"GET":true}}', 'GET', false],
  ])('with %s: %s passes: %s', (actions, method, isAllowed) => {
    expect(read(`[${decision({ actions })}]`).allows(method)).toBe(isAllowed);
  });
});

describe('the cache time of a decision', () => {
  const timeout = 60_000;

  it.each([
    ['no ttl', {}, NOW + timeout],
    ['the greatest long', { ttl: '9223372036854775807' }, NOW + timeout],
    ['a time beyond exact numbers', { ttl: '9007199254740993' }, NOW + timeout],
    ['an infinite number', { ttl: '1e999' }, NOW + timeout],
    ['a ttl that is a text', { ttl: '"1767225660000"' }, NOW + timeout],
    ['a ttl of null', { ttl: 'null' }, NOW + timeout],
    ['a ttl in the future', { ttl: String(NOW + 5) }, NOW + 5],
    ['a ttl in the past', { ttl: String(NOW - 5) }, NOW - 5],
    ['a ttl of zero', { ttl: '0' }, 0],
    ['a negative ttl', { ttl: '-1' }, -1],
    ['advices', { advices: '{"AuthLevelConditionAdvice":["5"]}', ttl: String(NOW + 5) }, 0],
    ['advices that nobody knows', { advices: '{"Strange":[]}' }, 0],
  ])('with %s', (_, more, until) => {
    expect(read(`[${decision(more)}]`).keepUntil(NOW, timeout)).toBe(until);
  });
});
