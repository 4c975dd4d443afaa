/** One block between its `BEGIN` and its `END`. */
export interface PemBlock {
  /** What it says it is, such as `CERTIFICATE`. */
  readonly label: string;
  /** The whole block, with its marks. */
  readonly text: string;
  /** The bytes that it holds. */
  readonly der: Buffer;
  /** How a message calls it: `block 2 (CERTIFICATE)`. */
  readonly name: string;
}

const BEGIN = /-----BEGIN ([A-Z0-9][A-Z0-9 ]*)-----/g;

/** The blocks of a text; what stands between them is for people. @throws when one has no end. */
export function pemBlocks(text: string): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  for (const { 0: mark, 1: label = '', index } of text.matchAll(BEGIN)) {
    const name = `block ${blocks.length + 1} (${label})`;
    const endMark = `-----END ${label}-----`;
    const end = text.indexOf(endMark, index);
    const body = text.slice(index + mark.length, end);
    if (end < 0 || body.includes('-----')) throw new Error(`${name} has no end`);
    blocks.push({ label, text: `${text.slice(index, end)}${endMark}\n`, der: Buffer.from(data(body), 'base64'), name });
  }
  return blocks;
}

/** What comes after the lines that older files have about how they are encrypted. */
function data(body: string): string {
  const lines = body.trim().split(/\r?\n/);
  return lines[0]?.includes(':') === true ? lines.slice(lines.indexOf('') + 1).join('') : lines.join('');
}
