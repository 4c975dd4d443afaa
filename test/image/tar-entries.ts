/** An entry of a tar archive as its header describes it. */
export interface TarEntry {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'unknown';
  readonly mode: number;
  readonly owner: number;
  readonly group: number;
  readonly ownerName: string;
  readonly time: number;
  readonly target: string;
  readonly content: Buffer;
}

const KINDS = new Map<string, TarEntry['kind']>([
  ['0', 'file'],
  ['2', 'link'],
  ['5', 'folder'],
]);

/** Reads an archive in the way in which the format describes it, whatever wrote it. */
export function tarEntries(archive: Buffer): readonly TarEntry[] {
  const entries: TarEntry[] = [];
  for (let at = 0; archive[at] !== 0; ) {
    const text = (from: number, length: number): string =>
      archive.toString('utf8', at + from, at + from + length).replace(/\0.*$/s, '');
    const octal = (from: number, length: number): number => Number.parseInt(text(from, length).trim() || '0', 8);
    const size = octal(124, 12);
    const prefix = text(345, 155);
    entries.push({
      path: prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`,
      kind: KINDS.get(text(156, 1)) ?? 'unknown',
      mode: octal(100, 8),
      owner: octal(108, 8),
      group: octal(116, 8),
      ownerName: text(265, 32) + text(297, 32),
      time: octal(136, 12),
      target: text(157, 100),
      content: archive.subarray(at + 512, at + 512 + size),
    });
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return entries;
}
