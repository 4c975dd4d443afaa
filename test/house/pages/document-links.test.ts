import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readRepository, repositoryRoot } from '../source-file.ts';
import { linkBreaches } from './document-links.ts';

describe('links between documents lead somewhere', () => {
  it('in this repository', () => {
    expect(linkBreaches(readRepository(), (path) => existsSync(`${repositoryRoot}/${path}`))).toEqual([]);
  });

  it('is noticed when they do not', () => {
    const text = '[a](../a.md#part) [b](b.md) [web](https://example.com/) [part](#part)';
    const breaches = (...there: string[]) =>
      linkBreaches([{ path: 'docs/x.md', text }], (path) => there.includes(path));
    expect(breaches('a.md', 'docs/b.md')).toEqual([]);
    expect(breaches('a.md')).toEqual(['docs/x.md: b.md does not exist']);
  });
});
