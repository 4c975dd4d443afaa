import { describe, expect, it } from 'vitest';
import { type ImageEntry, textFile, withFolders } from '../../image/image-entry.ts';
import { tarArchive } from '../../image/tar-archive.ts';
import { runProgram } from '../support/programs/run-program.ts';
import { tarEntries } from './tar-entries.ts';

const long = `${'folder/'.repeat(20)}name-of-a-file`;

describe('a tar archive', () => {
  it('is listed correctly by another program', async () => {
    const archive = tarArchive(
      [
        { kind: 'folder', path: 'tmp', mode: 0o1777 },
        textFile('a.txt', 'content'),
        { kind: 'link', path: 'b', target: 'a.txt' },
        textFile(long, ''),
      ],
      86_400,
    );
    const listing = await runProgram('tar', ['--list', '--verbose', '--utc', '--numeric-owner', '-f', '-'], {
      input: archive.toString('latin1'),
    });
    expect(listing.stdout.split('\n').map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
      'drwxrwxrwt 0/0 0 1970-01-02 00:00 tmp/',
      '-rw-r--r-- 0/0 7 1970-01-02 00:00 a.txt',
      'lrwxrwxrwx 0/0 0 1970-01-02 00:00 b -> a.txt',
      `-rw-r--r-- 0/0 0 1970-01-02 00:00 ${long}`,
      '',
    ]);
  });

  it.each([0, 1, 511, 512, 513])('keeps a file of %i bytes', (size) => {
    const entries: readonly ImageEntry[] = [textFile('x', 'y'.repeat(size)), textFile('z', 'end')];
    expect(tarEntries(tarArchive(entries, 0)).map(({ content }) => String(content))).toEqual(['y'.repeat(size), 'end']);
  });

  it.each<[string, ImageEntry]>([
    ['a name', textFile('n'.repeat(101), '')],
    ['a path', textFile(`${'p/'.repeat(200)}q`, '')],
    ['a link', { kind: 'link', path: 'l', target: 't'.repeat(101) }],
  ])('refuses %s that is too long', (_, entry) => {
    expect(() => tarArchive([entry], 0)).toThrow(/too (?:long|far) for a tar archive/);
  });
});

describe('the entries of an image', () => {
  it('have their folders, in order', () => {
    const entries = withFolders([textFile('b/c/d', ''), { kind: 'folder', path: 'b', mode: 0o700 }, textFile('a', '')]);
    expect(entries.map(({ path, ...rest }) => [path, 'mode' in rest ? rest.mode : 0])).toEqual([
      ['a', 0o644],
      ['b', 0o700],
      ['b/c', 0o755],
      ['b/c/d', 0o644],
    ]);
  });

  it('are there once', () => {
    expect(() => withFolders([textFile('a', 'x'), textFile('a', 'y')])).toThrow('a would be in the image twice');
  });
});
