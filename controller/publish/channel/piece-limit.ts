import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Duplex } from 'node:stream';

/** Where Node tells of every stream that a client has opened, before anything of it is read. */
const STREAM_STARTED = 'http2.server.stream.start';
/** Pieces that a stream may come in whatever they hold: heartbeats of an hour, and more. */
const FREE_PIECES = 4_096;
/** Bytes that pay for one more: few messages are shorter. */
const BYTES_PER_PIECE = 64;

/**
 * Ends streams that come in far more pieces than they have content. The library of the channel keeps the pieces of a
 * message apart until it is whole: in frames of one byte it would take hundreds of times its length in memory, and no
 * limit on messages counts what is not yet one.
 * @returns what ends the watch
 */
export function limitPieces(): () => void {
  subscribe(STREAM_STARTED, watchStream);
  return () => void unsubscribe(STREAM_STARTED, watchStream);
}

function watchStream(message: unknown): void {
  const stream = typeof message === 'object' && message !== null && 'stream' in message ? message.stream : null;
  if (!(stream instanceof Duplex)) return;
  const push = stream.push.bind(stream);
  let left = FREE_PIECES;
  stream.push = (piece, encoding) => {
    left += piece instanceof Uint8Array ? piece.length / BYTES_PER_PIECE - 1 : 0;
    if (left >= 0) return push(piece, encoding);
    stream.destroy();
    return false;
  };
}
