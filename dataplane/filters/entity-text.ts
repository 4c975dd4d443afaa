import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { type Entity, entityLimit } from '../http/entity.ts';
import type { Headers } from '../http/headers.ts';

type Decode = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const decoders: Readonly<Record<string, Decode>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/** The decoder of a charset, or null when there is no such charset. */
export function charsetDecoder(charset: string): TextDecoder | null {
  try {
    return new TextDecoder(charset);
  } catch {
    return null;
  }
}

/**
 * The content of a message as text, its content codings undone: in the charset given, in that of its Content-Type, or
 * in UTF-8. Null when a coding is unknown, or the content is not in it or too large without it.
 */
export async function entityText(
  headers: Headers,
  entity: Entity,
  charset: TextDecoder | null,
): Promise<string | null> {
  let bytes = await entity.bytes();
  const codings = (headers.get('content-encoding') ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim());
  for (const coding of codings.reverse()) {
    if (coding === '' || coding === 'identity' || bytes.length === 0) continue;
    if (!Object.hasOwn(decoders, coding)) return null;
    try {
      bytes = await decoders[coding]!(bytes, { maxOutputLength: entityLimit.bytes });
    } catch {
      return null;
    }
  }
  return (charset ?? declaredCharset(headers) ?? new TextDecoder()).decode(bytes);
}

function declaredCharset(headers: Headers): TextDecoder | null {
  const label = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(headers.get('content-type') ?? '')?.[1];
  return label === undefined ? null : charsetDecoder(label);
}
