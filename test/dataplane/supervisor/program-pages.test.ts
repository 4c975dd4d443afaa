import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { letGoOfProgram, untouchedPages } from '../../../dataplane/supervisor/program-pages.ts';

const FILE = '/usr/local/bin/node';

interface Given {
  readonly mode?: string;
  readonly path?: string;
  readonly changed?: Readonly<Record<string, string>>;
}

/** A mapping of eight kilobytes as smaps(5) prints it. */
function mapping(start: string, end: string, { mode = 'r-xp', path = FILE, changed = {} }: Given = {}): string {
  const sizes = { Size: '8 kB', Rss: '8 kB', Private_Clean: '8 kB', Shared_Dirty: '0 kB', Private_Dirty: '0 kB' };
  const all = {
    ...sizes,
    Referenced: '8 kB',
    Anonymous: '0 kB',
    Swap: '0 kB',
    SwapPss: '0 kB',
    Locked: '0 kB',
    ...changed,
  };
  const lines = Object.entries(all).map(([name, size]) => `${`${name}:`.padEnd(16)}${size.padStart(11)}\n`);
  return `${start}-${end} ${mode} 00002000 fe:00 247026                     ${path}\n${lines.join('')}VmFlags: rd ex mr mw me\n`;
}

describe('pages of a program that can come back', () => {
  it('are those of its file that nobody can write and nobody changed', () => {
    const text = mapping('00400000', '00402000', { mode: 'r--p' });
    const code = mapping('7f0000001000', '7f0000005000');
    const library = mapping('7f1000000000', '7f1000001000', { path: '/lib/libc.so.6' });
    const written = mapping('7f0000006000', '7f0000007000', {
      changed: { Private_Dirty: '4 kB', Shared_Dirty: '4 kB' },
    });
    expect(untouchedPages(text + library + code + written, FILE)).toEqual([
      { start: 0x400000n, length: 0x2000n },
      { start: 0x7f0000001000n, length: 0x4000n },
      { start: 0x7f0000006000n, length: 0x1000n },
    ]);
  });

  it.each<[string, Given]>([
    ['can be written', { mode: 'rw-p' }],
    ['are shared', { mode: 'r--s' }],
    ['belong to no file', { path: '' }],
    ['belong to a file that was replaced', { path: `${FILE} (deleted)` }],
    ['belong to a longer name', { path: `/mnt${FILE}` }],
    ['are copies that were changed', { changed: { Anonymous: '4 kB' } }],
    ['are such copies in the swap space', { changed: { Swap: '4 kB' } }],
    ['are locked', { changed: { Locked: '4 kB' } }],
  ])('are not those that %s', (_, given) => {
    expect(untouchedPages(mapping('400000', '402000', given), FILE)).toEqual([]);
  });

  it('are not those of a system that does not say what was changed', () => {
    const silent = mapping('400000', '402000').replace(/^Anonymous:.*\n/m, '');
    expect(untouchedPages(silent, FILE)).toEqual([]);
  });
});

it('a thread that let go of the program has less of it, and goes on', () => {
  const resident = (): number => {
    const blocks = readFileSync('/proc/self/smaps', 'latin1').split(/\n(?=[0-9a-f]+-[0-9a-f]+ )/);
    const ofProgram = blocks.filter((block) => block.split('\n', 1)[0]!.endsWith(` ${process.execPath}`));
    return ofProgram.reduce((all, block) => all + Number(/^Rss: +(\d+) kB$/m.exec(block)![1]), 0);
  };
  const before = resident();
  letGoOfProgram();
  expect(resident()).toBeLessThan(before / 2);
  expect(runInNewContext('JSON.stringify([..."déjà vu"].map((letter) => letter.normalize("NFD").length))')).toBe(
    '[1,2,1,2,1,1,1]',
  );
});
