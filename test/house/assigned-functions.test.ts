import { describe, expect, it } from 'vitest';
import { assignedFunctions } from './assigned-functions.ts';
import { readRepository } from './source-file.ts';

describe('code of requests makes no function in the assignment to a property', () => {
  it('in this repository', () => {
    expect(assignedFunctions(readRepository())).toEqual([]);
  });

  it.each([
    ['an arrow function', 'run.onHeld = (milliseconds) => share.add(milliseconds);'],
    ['one with types', 'run.onHeld = (milliseconds: number, more: () => void): void => share.add(milliseconds);'],
    ['one with a bare parameter', 'this.outcome = result => resolve(result);'],
    ['an asynchronous one', 'this.#send = async () => {};'],
    ['a function expression', 'request.oncomplete = function (status) {};'],
    ['one for an item', 'handlers[at] = () => {};'],
    ['one for a property without a value', 'this.listener ??= () => {};'],
  ])('notices %s', (_, text) => {
    expect(assignedFunctions([{ path: 'dataplane/engine/a.ts', text }])).toHaveLength(1);
    expect(assignedFunctions([{ path: 'controller/a.ts', text }])).toEqual([]);
  });

  it.each([
    ['variables', 'const onHeld = () => {};'],
    ['fields of classes', '  onHeld: (milliseconds: number) => void = () => {};'],
    ['calls', 'this.timer = setInterval(() => this.look(), INTERVAL);'],
    ['conditions', 'this.next = next === null ? null : () => this.#pass(next);'],
    ['types', "const claim: Services['claim'] = (place) => claims.push(place);"],
    ['parameters', 'judge: (claims: Claims) => string[] = () => [],'],
    ['comparisons', 'if (this.length >= (a)) run();'],
  ])('accepts %s', (_, text) => {
    expect(assignedFunctions([{ path: 'dataplane/engine/a.ts', text }])).toEqual([]);
  });
});
