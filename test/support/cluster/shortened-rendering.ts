import { createHash } from 'node:crypto';

/** How many lines of one text a golden file shows of a rendered chart. */
const SHOWN = 80;

/** A rendering in which block texts of many lines, such as dashboards, are told by their hash only. */
export function shortened(rendering: string): string {
  const lines = rendering.split('\n');
  const kept: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]!;
    kept.push(line);
    const opening = /^( *)\S.*: [|>][-+]?\d?$/.exec(line);
    if (opening === null) continue;
    const length = blockLength(lines, at + 1, opening[1]!.length);
    if (length <= SHOWN) continue;
    const block = lines.slice(at + 1, at + 1 + length).join('\n');
    const hash = createHash('sha256').update(block).digest('hex').slice(0, 16);
    kept.push(`${opening[1]}  (${length} lines, SHA-256 ${hash}…)`);
    at += length;
  }
  return kept.join('\n');
}

/** How many lines from `first` on are deeper than the key. */
function blockLength(lines: readonly string[], first: number, depth: number): number {
  const end = lines.slice(first).findIndex((line) => line.trim() !== '' && /^ */.exec(line)![0].length <= depth);
  return end < 0 ? lines.length - first : end;
}
