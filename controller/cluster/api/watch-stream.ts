import type { JsonValue } from '../../../contract/document/json-value.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { ApiStream } from './api-client.ts';
import { ApiError, errorOfWire } from './api-error.ts';

/** Most bytes of one event: more than the largest object that an API server stores. */
const MOST_BYTES = 16 * 1024 * 1024;
const LINE_BREAK = 0x0a;

/** One line of a watch. */
export interface WatchEvent {
  readonly type: string;
  readonly object: JsonValue;
}

export interface WatchReading {
  readonly stream: ApiStream;
  readonly clock: Clock;
  /** How long nothing at all may come before the stream counts as dead, in milliseconds. */
  readonly silence: number;
  /** Most bytes of one event. */
  readonly limit?: number;
  /** Hears that something came, even if it is not whole. */
  heard(): void;
  /** Takes the events that came together. What it throws ends the reading. */
  take(events: readonly WatchEvent[]): void;
}

/**
 * Reads a watch until the server ends it between two events.
 * @throws ApiError `Silent` when nothing came for too long, `Malformed` for what is not an event and for half of one at
 * the end, `TooLong` for an event that is too long, `Unreachable` when the connection breaks
 */
export async function readWatch({ stream, clock, silence, limit, heard, take }: WatchReading): Promise<void> {
  const lines = new EventLines(limit ?? MOST_BYTES);
  const silent = (): void => void stream.destroy(fault('Silent', `no data for ${silence} ms`));
  let callOff = clock.after(silence, silent);
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      callOff();
      heard();
      const { events, broken } = lines.add(piece);
      if (events.length > 0) take(events);
      if (broken !== null) throw broken;
      callOff = clock.after(silence, silent);
    }
  } catch (error) {
    throw errorOfWire(error);
  } finally {
    callOff();
    stream.destroy();
  }
  if (lines.isInEvent) throw fault('Malformed', 'the watch stream ended inside an event');
}

/** Cuts a stream into events. */
class EventLines {
  private readonly limit: number;
  private readonly begun: Buffer[] = [];
  private size = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  private get tooLong(): ApiError {
    return fault('TooLong', `a watch event is longer than ${this.limit} bytes`);
  }

  get isInEvent(): boolean {
    return this.begun.some((piece) => piece.toString('latin1').trim() !== '');
  }

  /** @returns the events that are whole, up to the first thing that is none */
  add(piece: Buffer): { readonly events: readonly WatchEvent[]; readonly broken: ApiError | null } {
    const events: WatchEvent[] = [];
    let from = 0;
    for (let end = piece.indexOf(LINE_BREAK); end >= 0; end = piece.indexOf(LINE_BREAK, from)) {
      if (this.size + end - from > this.limit) return { events, broken: this.tooLong };
      const line = Buffer.concat([...this.begun, piece.subarray(from, end)]).toString('utf8');
      this.begun.length = 0;
      this.size = 0;
      from = end + 1;
      if (line.trim() === '') continue;
      const event = eventOf(line);
      if (event === null) return { events, broken: fault('Malformed', 'a line of the watch stream is not an event') };
      events.push(event);
    }
    this.size += piece.length - from;
    if (this.size > this.limit) return { events, broken: this.tooLong };
    if (from < piece.length) this.begun.push(piece.subarray(from));
    return { events, broken: null };
  }
}

/** What is wrong with a line is not quoted: it may hold secrets. */
function eventOf(line: string): WatchEvent | null {
  try {
    const { type, object } = JSON.parse(line) as { type?: unknown; object?: JsonValue };
    return typeof type === 'string' && typeof object === 'object' && object !== null ? { type, object } : null;
  } catch {
    return null;
  }
}

function fault(reason: string, message: string): ApiError {
  return new ApiError(message, { status: 0, reason });
}
