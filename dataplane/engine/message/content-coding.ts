import zlib from 'node:zlib';
import type { Headers } from '../head/headers.ts';
import { EntityTooLarge, EntityUndecodable } from './entity-fault.ts';

type Options = zlib.ZlibOptions | zlib.ZstdOptions;
type Decompress = (bytes: Buffer, options: Options, done: (error: Error | null, result: unknown) => void) => void;

/** Codings that one message may have on top of each other. */
const MOST_CODINGS = 4;
/** Content may grow by so much, and to `FREE_BYTES` in any case: whoever sends little must not make much of it. */
const MOST_GROWTH = 100;
const FREE_BYTES = 1 << 20;
/** The window that RFC 9659 allows: a longer one takes memory that no limit of the content bounds. */
const ZSTD = { params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 } };

const decoders: Readonly<Record<string, (bytes: Buffer, limit: number) => Promise<Buffer>>> = {
  gzip: (bytes, limit) => decompressed(zlib.gunzip as Decompress, bytes, limit),
  'x-gzip': (bytes, limit) => decompressed(zlib.gunzip as Decompress, bytes, limit),
  deflate: inflated,
  br: (bytes, limit) => decompressed(zlib.brotliDecompress as Decompress, bytes, limit),
  zstd: (bytes, limit) => decompressed(zlib.zstdDecompress as Decompress, bytes, limit, ZSTD),
};

/** The content codings of a message in the order in which they were applied, in lower case; empty where there are none. */
export function contentCodings(headers: Headers): string {
  if (!headers.has('content-encoding')) return '';
  return headers
    .get('content-encoding')!
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
    .join(',');
}

/**
 * Content without its codings, which are what `contentCodings` gives.
 * @throws EntityUndecodable when a coding is unknown or the content is not in it; EntityTooLarge beyond `limit`.
 */
export async function withoutCodings(
  content: Buffer,
  codings: string,
  limit: number,
  ofResponse: boolean,
): Promise<Buffer> {
  const names = codings.split(',').reverse();
  if (names.length > MOST_CODINGS) throw new EntityUndecodable('it has too many content codings', ofResponse);
  const unknown = names.find((name) => !Object.hasOwn(decoders, name));
  if (unknown !== undefined) throw new EntityUndecodable('its content coding is not known', ofResponse);
  const most = Math.min(limit, Math.max(FREE_BYTES, content.length * MOST_GROWTH));
  let bytes = content;
  for (const name of names) {
    try {
      bytes = await decoders[name]!(bytes, most);
    } catch (error) {
      if (isTooLarge(error)) throw new EntityTooLarge(most, ofResponse, 'entityBytes, after decoding');
      throw new EntityUndecodable(`it is not in the content coding ${name}`, ofResponse);
    }
  }
  return bytes;
}

/** All of it: what a decoder leaves over, another one may read. */
function decompressed(decompress: Decompress, bytes: Buffer, limit: number, options: Options = {}): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    decompress(bytes, { ...options, info: true, maxOutputLength: limit }, (error, result) => {
      if (error !== null) {
        reject(error);
        return;
      }
      const { buffer, engine } = result as { buffer: Buffer; engine: { readonly bytesWritten: number } };
      if (engine.bytesWritten === bytes.length) resolve(buffer);
      else reject(new Error('data follows the end of the content'));
    });
  });
}

/** `deflate` has the header of zlib (RFC 9110 §8.4.1.2), which some leave out. What can be read both ways is refused. */
async function inflated(bytes: Buffer, limit: number): Promise<Buffer> {
  const readings = await Promise.allSettled([
    decompressed(zlib.inflate as Decompress, bytes, limit),
    decompressed(zlib.inflateRaw as Decompress, bytes, limit),
  ]);
  const [only, ...others] = readings.filter((one) => one.status === 'fulfilled' || isTooLarge(one.reason));
  if (only === undefined || others.length > 0) throw new Error('its deflate data is ambiguous');
  if (only.status === 'rejected') throw only.reason;
  return only.value;
}

function isTooLarge(error: unknown): boolean {
  return error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}
