import type { ImageEntry } from './image-entry.ts';

const BLOCK = 512;
const LONGEST_SIZE = 0o77777777777;

/** The entries as a tar archive (ustar), in their order, owned by root, all of one time in seconds. */
export function tarArchive(entries: readonly ImageEntry[], time: number): Buffer {
  const parts: Uint8Array[] = [];
  for (const entry of entries) {
    const content = entry.kind === 'file' ? entry.content : new Uint8Array();
    parts.push(header(entry, content.length, time), content, new Uint8Array(-content.length & (BLOCK - 1)));
  }
  parts.push(new Uint8Array(2 * BLOCK));
  return Buffer.concat(parts);
}

function header(entry: ImageEntry, size: number, time: number): Buffer {
  if (size > LONGEST_SIZE) throw new Error(`${entry.path} is too large for a tar archive`);
  const [prefix, name] = splitPath(entry.kind === 'folder' ? `${entry.path}/` : entry.path);
  const block = Buffer.alloc(BLOCK);
  const octal = (number: number, at: number, width: number): void => {
    block.write(number.toString(8).padStart(width - 1, '0'), at, 'latin1');
  };
  block.write(name, 0);
  octal(entry.kind === 'link' ? 0o777 : entry.mode, 100, 8);
  octal(0, 108, 8); // the owner
  octal(0, 116, 8); // and its group
  octal(size, 124, 12);
  octal(time, 136, 12);
  block.write({ file: '0', link: '2', folder: '5' }[entry.kind], 156);
  if (entry.kind === 'link') {
    if (Buffer.byteLength(entry.target) > 100) throw new Error(`${entry.path} points too far for a tar archive`);
    block.write(entry.target, 157);
  }
  block.write('ustar\x0000', 257, 'latin1');
  octal(0, 329, 8);
  octal(0, 337, 8);
  block.write(prefix, 345);
  // the sum is taken as if its own field were blank
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

/** A path of more than 100 bytes is written in two fields, cut at a slash. */
function splitPath(path: string): readonly [prefix: string, name: string] {
  if (Buffer.byteLength(path) <= 100) return ['', path];
  for (let at = path.indexOf('/'); at >= 0 && at < path.length - 1; at = path.indexOf('/', at + 1)) {
    const prefix = path.slice(0, at);
    const name = path.slice(at + 1);
    if (Buffer.byteLength(name) <= 100 && Buffer.byteLength(prefix) <= 155) return [prefix, name];
  }
  throw new Error(`${path} is too long for a tar archive`);
}
