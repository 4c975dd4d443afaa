import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import type pg from 'pg';
import { FrameLimit, FrameTooLong } from '../connection/frame-limit.ts';

/** The part of a client that hands the bytes of a server to the parser of messages. */
interface Connected {
  readonly connection: { attachListeners(stream: EventEmitter): void };
}

/** Longest message of a server, in bytes: more than a row with an event. */
const LONGEST_MESSAGE = 16 << 20;
/** Bytes of a server for one statement: more than a page of results. */
const MOST_FOR_STATEMENT = 64 << 20;
/** Bytes before the body of a message: its kind, and its length without the kind. */
const PREFIX = 5;

/**
 * Has a client drop its connection when the parser throws, and when the server sends too much. The parser runs in a
 * listener of the socket: an exception there reaches nobody but the thread, and the thread delivers the events of all
 * tenants.
 */
export class GuardedMessages {
  private received = 0;

  constructor(client: pg.Client) {
    const { connection } = client as unknown as Connected;
    const attach = connection.attachListeners.bind(connection);
    connection.attachListeners = (stream) => {
      const parsed = new EventEmitter();
      const limit = new FrameLimit({
        prefix: PREFIX,
        lengthOf: (prefix) => prefix.readUInt32BE(1) + 1,
        longest: LONGEST_MESSAGE,
      });
      attach(parsed);
      stream.on('data', (bytes: Buffer) => {
        try {
          this.count(bytes.length);
          limit.take(bytes);
          parsed.emit('data', bytes);
        } catch (error) {
          parsed.removeAllListeners();
          (stream as Duplex).destroy(isLimit(error) ? error : new Error(INVALID, { cause: error }));
        }
      });
      stream.on('end', () => parsed.emit('end'));
    };
  }

  /** A statement begins: the server may send as much as for the one before it. */
  begin(): void {
    this.received = 0;
  }

  private count(bytes: number): void {
    this.received += bytes;
    if (this.received > MOST_FOR_STATEMENT) throw new AnswerTooLong();
  }
}

const INVALID = 'the server sent a message that is not valid';

class AnswerTooLong extends Error {
  constructor() {
    super(`the server sent more than ${MOST_FOR_STATEMENT} bytes for one statement`);
    this.name = 'AnswerTooLong';
  }
}

function isLimit(error: unknown): error is Error {
  return error instanceof FrameTooLong || error instanceof AnswerTooLong;
}
