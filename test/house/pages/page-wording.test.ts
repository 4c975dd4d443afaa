import { describe, expect, it } from 'vitest';
import { readRepository } from '../source-file.ts';
import { wordingBreaches } from './page-wording.ts';

describe('pages use the words of docs/style.md', () => {
  it('in this repository', () => {
    expect(wordingBreaches(readRepository())).toEqual([]);
  });

  it('reports a replaced phrase with its line', () => {
    const page = (text: string, path = 'docs/x.md') => wordingBreaches([{ path, text }]);
    expect(page('A `reference product`, [a](#whoever).\n```\nWhoever\n```\n')).toEqual([]);
    expect(page('One.\nWhoever asks.')).toEqual(["docs/x.md:2: 'Whoever', write 'the user, client or part that acts'"]);
    expect(page('As the reference product does.')).toEqual(["docs/x.md:1: 'reference product', write 'OpenIG'"]);
    expect(page('Whoever asks.', 'docs/reference/X.md')).toEqual([]);
    expect(page('Whoever asks.', 'docs/style.md')).toEqual([]);
  });
});
