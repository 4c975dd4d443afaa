import { put, putText } from '../wire/turn.ts';
import type { Wire } from '../wire/wire.ts';

/** Sends a piece of content, as a chunk where the length was not announced. */
export function putContent(wire: Wire, chunked: boolean, bytes: Buffer, start: number, end: number): void {
  if (chunked) putText(wire, `${(end - start).toString(16)}\r\n`);
  put(wire, bytes, start, end);
  if (chunked) putText(wire, '\r\n');
}

/** Marks the content as complete. */
export function putContentEnd(wire: Wire, chunked: boolean, trailers: string): void {
  if (chunked) putText(wire, `0\r\n${trailers}\r\n`);
}
