import type { IncomingMessage } from 'node:http';

/** True for a request with a body, read or not. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** Reads the body of a request. @returns null when it has more than so many bytes, of which no more are read then */
export async function readBody(request: IncomingMessage, most: number): Promise<Buffer | null> {
  if (Number(request.headers['content-length'] ?? 0) > most) return null;
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > most) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Most bytes and milliseconds that a client gets to send the rest of a body that nobody wants. */
const MOST_DISCARDED = 64 << 20;
const LONGEST_DISCARD = 5000;

/**
 * Reads and drops the rest of a body. A connection that is closed before is reset by the kernel, and the client may lose
 * the answer with it.
 */
export async function discardBody(request: IncomingMessage): Promise<void> {
  const until = AbortSignal.timeout(LONGEST_DISCARD);
  const done = Promise.withResolvers<void>();
  let size = 0;
  const count = (piece: Buffer): void => {
    size += piece.length;
    if (size > MOST_DISCARDED) done.resolve();
  };
  request.on('data', count).once('close', done.resolve).once('end', done.resolve).once('error', done.resolve).resume();
  until.addEventListener('abort', () => done.resolve());
  await done.promise;
  request.off('data', count);
}
