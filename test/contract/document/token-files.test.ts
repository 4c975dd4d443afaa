import { describe, expect, it } from 'vitest';
import { readTokenFiles } from '../../../contract/document/token-files.ts';
import type { Problem } from '../../../contract/problem.ts';
import { noReach } from '../../../contract/reach.ts';

type Directories = Readonly<Record<string, Readonly<Record<string, string>>>>;

function read(directories: Directories, env: Record<string, string>, system: Record<string, string> = {}) {
  const problems: Problem[] = [];
  const reach = {
    ...noReach,
    origin: 'operator' as const,
    env: (name: string) => env[name],
    system: (name: string) => system[name],
    listDirectory: (path: string) => (directories[path] === undefined ? null : Object.keys(directories[path])),
    readFile(path: string) {
      const slash = path.lastIndexOf('/');
      const text = directories[path.slice(0, slash)]?.[path.slice(slash + 1)];
      return text === undefined || text === 'unreadable' ? null : Buffer.from(text);
    },
  };
  const tokens = readTokenFiles(reach, (problem) => problems.push(problem));
  return { tokens: Object.fromEntries(tokens), problems };
}

const DIRS = 'IG_ENVCONFIG_DIRS';

describe('token files', () => {
  it('are the JSON and properties files of the directories', () => {
    const directories = {
      '/a': {
        'one.json': '{"am": {"realm": "/", "port": 8443, "hosts": ["x", "y"], "tls": true, "none": null}}',
        'two.properties': 'db.host = db-1\ndb.port: 5432',
        'readme.txt': 'x=1',
      },
      '/b': { 'three.json': '{"c": 1.5}' },
    };
    expect(read(directories, { [DIRS]: '/a/, /b,' }, { 'ig.envconfig.dirs': '/elsewhere' })).toEqual({
      tokens: {
        'am.realm': '/',
        'am.port': '8443',
        'am.hosts': '["x","y"]',
        'am.tls': 'true',
        'db.host': 'db-1',
        'db.port': '5432',
        c: '1.5',
      },
      problems: [],
    });
  });

  it('are named by a system property where the environment does not', () => {
    expect(read({ '/b': { 'a.json': '{"c": "d"}' } }, {}, { 'ig.envconfig.dirs': '/b' }).tokens).toEqual({ c: 'd' });
    expect(read({}, {})).toEqual({ tokens: {}, problems: [] });
  });

  it.each<[string, Directories, string]>([
    [
      'two files with one token',
      { '/a': { 'b.json': '{"x": {"y": 1}}', 'c.properties': 'x.y=2' } },
      "the token 'x.y' is given by /a/b.json and by /a/c.properties",
    ],
    [
      'one file with a token twice',
      { '/a': { 'b.json': '{"x": {"y": 1}, "x.y": 2}' } },
      "the token 'x.y' is given by /a/b.json and by /a/b.json",
    ],
    ['a directory that is not there', {}, 'the directory of token files cannot be read: /a'],
    ['a file that cannot be read', { '/a': { 'b.json': 'unreadable' } }, 'the token file cannot be read: /a/b.json'],
    [
      'a file that is no JSON',
      { '/a': { 'b.json': '{\n"x": hunter2}' } },
      '/a/b.json:2: x must have a value here, not a word that JSON does not have',
    ],
    ['a file that is no object', { '/a': { 'b.json': '[]' } }, 'the token file must hold an object: /a/b.json'],
    [
      'a malformed escape',
      { '/a': { 'b.properties': 'x=\\u1' } },
      '/a/b.properties:1: has \\u without four hexadecimal digits',
    ],
    [
      'a key twice',
      { '/a': { 'b.properties': 'x=1\nx=2' } },
      '/a/b.properties:2: x is written twice: it is already in line 1',
    ],
  ])('report %s', (_, directories, message) => {
    expect(read(directories, { [DIRS]: '/a' }).problems).toMatchObject([{ severity: 'error', path: [], message }]);
  });
});
