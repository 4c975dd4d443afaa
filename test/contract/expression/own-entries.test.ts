import { describe, expect, it } from 'vitest';
import { compileTarget } from '../../../contract/expression/target.ts';
import { EvaluationError } from '../../../contract/expression/value.ts';
import { describedExchange } from '../../../dataplane/dry-run/described-exchange.ts';
import { evaluated, testLanguage } from '../../support/programs/evaluation.ts';

class Foreign {
  readonly secret = 'x';
  method(): string {
    return this.secret;
  }
}

const constants = { plain: { a: 1 }, list: [1], map: new Map([['a', 1]]), foreign: new Foreign() };

describe('reading', () => {
  it.each([
    'plain.constructor',
    'plain.__proto__',
    'plain.toString',
    "plain['hasOwnProperty']",
    'list.length',
    'list.constructor',
    "list['__proto__']",
    'map.size',
    'map.constructor',
    "'abc'.length",
    "'abc'.constructor",
    'foreign.secret',
    'foreign.method',
    'request.constructor',
    'request.__proto__',
    'request.target',
    'request.verb',
    'request.headers.constructor',
    "request.headers['__proto__']",
    'contexts.constructor',
    'contexts.origin',
    'contexts.__proto__',
    'attributes.__proto__',
    'attributes.size',
    'toJson(\'{"__proto__":{"x":1},"constructor":1}\').__proto__',
  ])('%s evaluates to null', (source) => {
    expect(evaluated(`\${${source}}`, { constants })).toBe(null);
  });

  it('reaches no method of a foreign object', () => {
    expect(() => evaluated('${foreign.method()}', { constants })).toThrow(EvaluationError);
  });
});

describe('assigning', () => {
  it.each([
    '${attributes.__proto__}',
    "${attributes['constructor']}",
    '${attributes.plain.__proto__}',
    '${attributes.plain.constructor}',
    "${attributes.plain['prototype']}",
    '${attributes.plain.__proto__.polluted}',
    '${attributes.list.constructor}',
    '${attributes.plain.toString.polluted}',
  ])('to %s fails and changes nothing for others', (source) => {
    const exchange = describedExchange({});
    exchange.attributes.set('plain', {});
    exchange.attributes.set('list', []);
    expect(() => compileTarget(source, testLanguage()).assign(exchange, null, 'x')).toThrow(EvaluationError);
    expect(Reflect.get({}, 'polluted')).toBe(undefined);
    expect(Object.getPrototypeOf(exchange.attributes.get('plain'))).toBe(Object.prototype);
  });
});
