import { LOWER } from '../wire/bytes.ts';
import { isSoundField } from './field-rules.ts';

/** The static table of HPACK (RFC 7541 appendix A), in order: a name, and a value where there is one. */
const FIELDS =
  ':authority|:method GET|:method POST|:path /|:path /index.html|:scheme http|:scheme https|:status 200|:status 204|' +
  ':status 206|:status 304|:status 400|:status 404|:status 500|accept-charset|accept-encoding gzip, deflate|' +
  'accept-language|accept-ranges|accept|access-control-allow-origin|age|allow|authorization|cache-control|' +
  'content-disposition|content-encoding|content-language|content-length|content-location|content-range|content-type|' +
  'cookie|date|etag|expect|expires|from|host|if-match|if-modified-since|if-none-match|if-range|if-unmodified-since|' +
  'last-modified|link|location|max-forwards|proxy-authenticate|proxy-authorization|range|referer|refresh|retry-after|' +
  'server|set-cookie|strict-transport-security|transfer-encoding|user-agent|vary|via|www-authenticate';

/** How many entries there are; the first has index 1, the dynamic table follows the last. */
export const STATIC_ENTRIES = 61;

/** Where the lines of the table are: an entry with index `i` is `bytes[starts[i], ends[i])`. */
interface StaticLines {
  readonly bytes: Buffer;
  readonly starts: Uint16Array;
  readonly nameLengths: Uint8Array;
  readonly ends: Uint16Array;
  readonly sounds: Uint8Array;
}

/** The entries as whole lines, as the dynamic table has them. */
export const staticLines: StaticLines = makeLines();

function makeLines(): StaticLines {
  const starts = new Uint16Array(STATIC_ENTRIES + 1);
  const ends = new Uint16Array(STATIC_ENTRIES + 1);
  const nameLengths = new Uint8Array(STATIC_ENTRIES + 1);
  const sounds = new Uint8Array(STATIC_ENTRIES + 1);
  let text = '';
  FIELDS.split('|').forEach((field, i) => {
    const [name = '', ...words] = field.split(' ');
    starts[i + 1] = text.length;
    nameLengths[i + 1] = name.length;
    text += `${name}: ${words.join(' ')}\r\n`;
    ends[i + 1] = text.length;
  });
  const bytes = Buffer.from(text, 'latin1');
  for (let i = 1; i <= STATIC_ENTRIES; i++) {
    sounds[i] = isSoundField(bytes, starts[i]!, nameLengths[i]!, ends[i]!) ? 1 : 0;
  }
  return { bytes, starts, nameLengths, ends, sounds };
}

/** A hash of a name, whatever its case. */
export function hashName(bytes: Buffer, start: number, end: number): number {
  let hash = end - start;
  for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + LOWER[bytes[i]!]!) | 0;
  return hash;
}

const SLOTS = 256;
/** For each hash the first entry with that name, or 0; entries that collide lie behind it. */
const slots = makeSlots();

function slotOf(hash: number): number {
  return (hash ^ (hash >>> 9)) & (SLOTS - 1);
}

function makeSlots(): Uint8Array {
  const made = new Uint8Array(SLOTS);
  const { bytes, starts, nameLengths } = staticLines;
  for (let i = STATIC_ENTRIES; i > 0; i--) {
    let slot = slotOf(hashName(bytes, starts[i]!, starts[i]! + nameLengths[i]!));
    while (made[slot] !== 0 && !sameName(made[slot]!, bytes, starts[i]!, starts[i]! + nameLengths[i]!)) {
      slot = (slot + 1) & (SLOTS - 1);
    }
    made[slot] = i;
  }
  return made;
}

function sameName(index: number, bytes: Buffer, start: number, end: number): boolean {
  if (staticLines.nameLengths[index] !== end - start) return false;
  const from = staticLines.starts[index]!;
  for (let i = 0; i < end - start; i++) {
    if (staticLines.bytes[from + i] !== LOWER[bytes[start + i]!]) return false;
  }
  return true;
}

/** The first entry with this name, whatever its case, or 0. `hash` is that of the name. */
export function staticName(bytes: Buffer, start: number, end: number, hash: number): number {
  let slot = slotOf(hash);
  for (;;) {
    const index = slots[slot]!;
    if (index === 0 || sameName(index, bytes, start, end)) return index;
    slot = (slot + 1) & (SLOTS - 1);
  }
}

/** The entry with this name and value, or 0. `index` is the first entry with the name. */
export function staticField(index: number, bytes: Buffer, start: number, end: number): number {
  const { starts, ends, nameLengths, bytes: lines } = staticLines;
  const nameLength = nameLengths[index]!;
  for (let i = index; i <= STATIC_ENTRIES && nameLengths[i] === nameLength; i++) {
    const value = starts[i]! + nameLength + 2;
    if (ends[i]! - 2 - value !== end - start || value === ends[i]! - 2) continue;
    if (lines.compare(bytes, start, end, value, ends[i]! - 2) !== 0) continue;
    return sameName(index, lines, starts[i]!, starts[i]! + nameLength) ? i : 0;
  }
  return 0;
}
