import { readFileSync } from 'node:fs';
import { foreignFunctions, signature } from '../../platform/foreign-functions.ts';

/** The number of madvise(2); called by number, with four arguments, because `readv` must stay the only call with three. */
const MADVISE: Partial<Record<NodeJS.Architecture, bigint>> = { x64: 28n, arm64: 233n };
const NOT_NEEDED = 4n;
const SMALL_PAGES = 15n;

/** A line of smaps(5) that begins a private mapping which nobody can write: where it is, and of which file it is. */
const MAPPING = /^([0-9a-f]+)-([0-9a-f]+) [r-]-[x-]p [0-9a-f]+ \S+ \d+ +(.*)$/;
/**
 * A private mapping has none of these when all its pages are those of its file: who changes such a page gets a copy of it
 * that belongs to no file. Pages that are dirty are of a file that was just written.
 */
const CHANGES = ['Anonymous', 'Swap', 'Locked'];

interface Mapping {
  readonly start: bigint;
  readonly length: bigint;
}

/**
 * Lets go of the pages of Node.js itself that a start has read: most are never looked at again, and the others come back,
 * from memory, when they are. Nothing is lost: only pages are named that nobody can write and that are as they are in the
 * file. Without it every process counts 50 MB that it shares with all others of its node.
 *
 * They come back in small pages only. A file system may keep the program in pages of 2 MB, and an idle thread looks at some
 * bytes in most of them. A busy thread is no slower without.
 */
export function letGoOfProgram(): void {
  const call = MADVISE[process.arch];
  if (process.platform !== 'linux' || call === undefined) return;
  try {
    const untouched = untouchedPages(readFileSync('/proc/self/smaps', 'latin1'), process.execPath);
    const ffi = foreignFunctions();
    if (ffi === null) return;
    const library = ffi.dlopen(null, { syscall: signature('int64', 'int64', 'uint64', 'uint64', 'int64') });
    const { syscall } = library.functions;
    for (const { start, length } of untouched) {
      for (const advice of [SMALL_PAGES, NOT_NEEDED]) syscall!(call, start, length, advice);
    }
    library.close();
  } catch {
    // a system that hides its mappings, or a Node.js without such calls: the pages stay
  }
}

/** The mappings of a file, in a text as smaps(5) has it, that nobody can write and of which no page was changed. */
export function untouchedPages(mappings: string, file: string): readonly Mapping[] {
  const blocks = mappings.split(/\n(?=[0-9a-f]+-[0-9a-f]+ )/);
  return blocks.flatMap((block) => {
    const [head = '', ...lines] = block.split('\n');
    const [, start, end, path] = MAPPING.exec(head) ?? [];
    if (path !== file) return [];
    const sizes = new Map(lines.map((line) => line.split(/:\s+/, 2) as [string, string]));
    if (!CHANGES.every((name) => sizes.get(name) === '0 kB')) return [];
    return [{ start: BigInt(`0x${start}`), length: BigInt(`0x${end}`) - BigInt(`0x${start}`) }];
  });
}
