import { describe, expect, it } from 'vitest';
import { readRepository, repositoryRoot } from './source-file.ts';
import { machinePathBreaches, unfinishedBreaches } from './unfinished.ts';

// Put together here, so that this file does not breach the rules it tests.
const later = ['TO', 'DO'].join('');
const home = ['', 'home', 'kim', 'gateway'].join('/');

describe('nothing is left for later', () => {
  it('in this repository', () => {
    expect(unfinishedBreaches(readRepository())).toEqual([]);
  });

  it('is noticed in any file, as a word of its own', () => {
    expect(unfinishedBreaches([{ path: 'docs/a.md', text: `fine\n${later}: more` }])).toEqual([
      `docs/a.md:2 '${later}' is a note of unfinished work`,
    ]);
    expect(unfinishedBreaches([{ path: 'docs/a.md', text: `${later.toLowerCase()} ${later}S` }])).toEqual([]);
  });
});

describe('no path of one machine', () => {
  it('in this repository', () => {
    expect(machinePathBreaches(readRepository(), repositoryRoot)).toEqual([]);
  });

  it('is noticed by its usual beginnings and by where the checkout lies', () => {
    const breaches = (text: string, checkout = '/srv/copy') => machinePathBreaches([{ path: 'a.ts', text }], checkout);
    expect(breaches(`open('${home}')`)).toHaveLength(1);
    expect(breaches('see /srv/copy/cli')).toHaveLength(1);
    expect(breaches('see /app/cli', '/app')).toEqual([]);
    expect(breaches('GET http://example.com/home/kim/x and /run/app.sock and /homework/kim')).toEqual([]);
  });
});
