import { readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SpoolSegment } from '../../../../dataplane/audit/spool/spool-segment.ts';
import { watchedDirectory } from '../../../support/state/temporary-files.ts';

/** Descriptors of this process that are open for a file. */
function openOnes(file: string): number {
  const links = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return ''; // the one that the list was read with
    }
  });
  return links.filter((link) => link === file).length;
}

it('a segment that cannot be begun on a full disk leaves no descriptor open', () => {
  const { path } = watchedDirectory();
  symlinkSync('/dev/full', `${path}/00000001.spool`);
  for (let attempt = 0; attempt < 20; attempt++) {
    expect(() => new SpoolSegment(path, { number: 1, sealed: null })).toThrow();
  }
  expect(openOnes('/dev/full')).toBe(0);
});
