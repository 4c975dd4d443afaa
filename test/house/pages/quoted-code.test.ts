import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readRepository, repositoryRoot } from '../source-file.ts';
import { quoteBreaches } from './quoted-code.ts';

describe('code that a document quotes from a file is in that file', () => {
  it('in this repository', () => {
    const read = (path: string) =>
      existsSync(`${repositoryRoot}/${path}`) ? readFileSync(`${repositoryRoot}/${path}`, 'utf8') : null;
    expect(quoteBreaches(readRepository(), read)).toEqual([]);
  });

  it('is noticed when it is not', () => {
    const text = '```ts\n// a.ts\n  one();\n```\n\n```ts\nanything();\n```\n\n```ts\n// b.ts\ntwo();\n```\n';
    const breaches = (files: Record<string, string>) =>
      quoteBreaches([{ path: 'docs/x.md', text }], (path) => files[path] ?? null);
    expect(breaches({ 'a.ts': 'zero();\n  one();\n', 'b.ts': 'two();\n' })).toEqual([]);
    expect(breaches({ 'a.ts': 'one();\n', 'b.ts': 'two();\nthree();\n' })).toEqual([
      'docs/x.md: a.ts does not hold what is quoted',
    ]);
    expect(breaches({ 'a.ts': '  one();\n' })).toEqual(['docs/x.md: b.ts does not exist']);
  });
});
