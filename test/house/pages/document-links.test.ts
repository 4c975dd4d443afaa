import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readRepository, repositoryRoot } from '../source-file.ts';
import { headingBreaches, linkBreaches } from './document-links.ts';

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

describe('links to headings', () => {
  it('find their heading in this repository', () => {
    expect(headingBreaches(readRepository())).toEqual([]);
  });

  it('are breaches if the heading is missing', () => {
    const page = {
      path: 'docs/x.md',
      text: '# A `b`, c\n[own](#a-b-c) [other](y.md#part-two) [web](https://x.org/#y)',
    };
    const other = (heading: string) => ({ path: 'docs/y.md', text: `## ${heading}\n` });
    expect(headingBreaches([page, other('Part two')])).toEqual([]);
    expect(headingBreaches([page, other('Part three')])).toEqual(['docs/x.md: y.md#part-two has no heading']);
  });
});
