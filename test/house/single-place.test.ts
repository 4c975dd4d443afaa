import { describe, expect, it } from 'vitest';
import { copiedCode } from './single-place.ts';
import { readRepository } from './source-file.ts';

describe('code that has its place is not copied', () => {
  it('in this repository', () => {
    expect(copiedCode(readRepository())).toEqual([]);
  });

  it.each([
    ['error text', 'const reason = error instanceof Error ? error.message : String(error);'],
    ['error text over two lines', 'error instanceof Error\n  ? error.message\n  : text'],
    ['stacks', 'error instanceof Error ? (error.stack ?? error.message) : String(error)'],
    ['back-off', 'const wait = Math.min(LONGEST, FIRST * 2 ** Math.min(20, this.failures));'],
    ['error codes', "return error instanceof Error && 'code' in error ? error.code : null;"],
    ['rules about fields', '.check(({ value, issues }) => {'],
    ['rules about fields behind others', ".check(\n  needs('a', 'b'),\n  ({ value: { a }, issues }) => {"],
  ])('notices a copy of %s', (_, text) => {
    expect(copiedCode([{ path: 'controller/a.ts', text }])).toHaveLength(1);
    expect(copiedCode([{ path: 'test/a.ts', text }])).toEqual([]);
  });
});
