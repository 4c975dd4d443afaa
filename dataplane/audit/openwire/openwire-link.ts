import type { Duplex } from 'node:stream';
import {
  type Credentials,
  connectionInfo,
  type Destination,
  keepAlive,
  MAGIC,
  type ProducerPath,
  producerInfo,
  removeConnection,
  response,
  sessionInfo,
  shutdownInfo,
  type TextMessage,
  TYPE,
  textMessage,
  wireFormat,
} from './commands.ts';
import { FrameReader, MalformedFrame } from './frame-reader.ts';
import { type Primitive, readPrimitives } from './primitive-map.ts';

/** Longest frame of a broker: it says nothing but answers. */
const LONGEST_FRAME = 1 << 20;
const PREFIX = 4;
/** Milliseconds of silence that both sides allow, and before silence is judged at all. */
const INACTIVITY = 30_000;
const INITIAL_DELAY = 10_000;
/** Part of the allowed silence after which something is sent. */
const BEATS = 3;

export interface OpenwireTerms {
  /** Unique among the connections of the broker, such as `ID:host-1234:1`. */
  readonly connection: string;
  readonly clientId: string;
  readonly credentials: Credentials;
  readonly destination: Destination;
  /** Milliseconds for the greeting and the registration as a producer. */
  readonly openTimeout: number;
  /** Milliseconds of silence after which the broker is taken for dead. */
  readonly inactivity?: number;
}

/** The broker rejected a command. Its message may contain names, but no password. */
export class BrokerRefusal extends Error {
  /** Class of the exception in the broker. */
  readonly exception: string;

  constructor(exception: string, message: string | null) {
    super(message ?? exception);
    this.name = 'BrokerRefusal';
    this.exception = exception;
  }
}

interface Waiting {
  resolve(): void;
  reject(error: Error): void;
}

/** One connection to a broker with one session and one producer. It is used until it fails, and then replaced. */
export class OpenwireLink {
  /** Resolves with the reason once the link is closed, whoever closed it. */
  readonly closed: Promise<Error>;
  private readonly stream: Duplex;
  private readonly terms: OpenwireTerms;
  private readonly path: ProducerPath;
  private readonly waiting = new Map<number, Waiting>();
  private readonly settle: (reason: Error) => void;
  private greeted: Waiting | null = null;
  private reason: Error | null = null;
  private rest: Buffer = Buffer.alloc(0);
  private commands = 0;
  private sequence = 0;
  private receivedAt = performance.now();
  private sentAt = performance.now();
  private beat: NodeJS.Timeout | null = null;

  constructor(stream: Duplex, terms: OpenwireTerms) {
    const { promise, resolve } = Promise.withResolvers<Error>();
    this.closed = promise;
    this.settle = resolve;
    this.stream = stream;
    this.terms = terms;
    this.path = { connection: terms.connection, session: 1, producer: 1 };
    stream.on('data', (bytes: Buffer) => this.receive(bytes));
    stream.on('error', (error) => this.fail(error));
    stream.on('close', () => this.fail(new Error('the broker closed the connection')));
  }

  /** Number of messages that the broker has not confirmed yet. */
  get unconfirmed(): number {
    return this.waiting.size;
  }

  /** Whether the connection takes more without buffering; otherwise wait for `drained`. */
  get isWritable(): boolean {
    return this.reason === null && !this.stream.writableNeedDrain;
  }

  /** Resolves when the connection takes more, or is closed. */
  async drained(): Promise<void> {
    if (this.isWritable || this.reason !== null) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.stream.once('drain', resolve);
    await Promise.race([promise, this.closed]);
    this.stream.off('drain', resolve);
  }

  /** Greets the broker and registers as a producer. Rejects with BrokerRefusal where the broker does not allow that. */
  async open(): Promise<void> {
    const { connection, clientId, credentials, destination, openTimeout } = this.terms;
    const overdue = (): void => this.fail(new Error(`the broker did not answer within ${openTimeout} ms`));
    const timer = setTimeout(overdue, openTimeout).unref();
    try {
      await this.greet();
      await this.ask((command) => connectionInfo(command, connection, clientId, credentials));
      await this.ask((command) => sessionInfo(command, this.path));
      await this.ask((command) => producerInfo(command, this.path, destination));
    } catch (error) {
      this.fail(error as Error);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Sends a message. A persistent one resolves when the broker has it; another one resolves when it was written, and may
   * be lost with the connection.
   */
  send(text: string, isPersistent: boolean): Promise<void> {
    const message: TextMessage = {
      producer: this.path,
      destination: this.terms.destination,
      sequence: ++this.sequence,
      text,
      isPersistent,
      timestamp: Date.now(),
    };
    if (isPersistent) return this.ask((command) => textMessage(command, true, message));
    if (this.reason !== null) return Promise.reject(this.reason);
    this.write(textMessage(++this.commands, false, message));
    return Promise.resolve();
  }

  /** Signs off and closes. What is not confirmed yet is rejected. */
  async close(): Promise<void> {
    if (this.reason !== null) return;
    try {
      await this.ask((command) => removeConnection(command, this.terms.connection));
      this.write(shutdownInfo(++this.commands));
    } catch {
      // it is gone already
    }
    this.stream.end();
    this.fail(new Error('the connection was closed'));
  }

  private greet(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.greeted = { resolve, reject };
      this.write(
        wireFormat({
          TcpNoDelayEnabled: true,
          SizePrefixDisabled: false,
          StackTraceEnabled: false,
          CacheEnabled: false,
          TightEncodingEnabled: false,
          MaxInactivityDuration: BigInt(this.terms.inactivity ?? INACTIVITY),
          // the missing letter is part of the protocol
          MaxInactivityDurationInitalDelay: BigInt(INITIAL_DELAY),
        }),
      );
    });
  }

  private ask(frame: (command: number) => Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.reason !== null) {
        reject(this.reason);
        return;
      }
      const command = ++this.commands;
      this.waiting.set(command, { resolve, reject });
      this.write(frame(command));
    });
  }

  private write(frame: Buffer): void {
    this.sentAt = performance.now();
    this.stream.write(frame);
  }

  private receive(bytes: Buffer): void {
    this.receivedAt = performance.now();
    this.rest = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    try {
      let at = 0;
      for (;;) {
        const left = this.rest.length - at;
        const length = left < PREFIX ? 0 : this.rest.readInt32BE(at);
        if (length < 0 || length > LONGEST_FRAME) throw new MalformedFrame('the other side does not speak OpenWire');
        if (left < PREFIX + length || left < PREFIX) break;
        this.take(this.rest.subarray(at + PREFIX, at + PREFIX + length));
        at += PREFIX + length;
        if (this.reason !== null) return;
      }
      this.rest = this.rest.subarray(at);
    } catch (error) {
      this.fail(error as Error);
    }
  }

  private take(frame: Buffer): void {
    const reader = new FrameReader(frame);
    const type = reader.byte();
    if (type === TYPE.wireFormat) {
      this.welcome(reader);
      return;
    }
    if (this.greeted !== null) throw new MalformedFrame('the broker sent no greeting');
    const command = reader.int();
    const isAsked = reader.flag();
    if (type === TYPE.response) this.answered(reader.int(), null);
    else if (type === TYPE.exceptionResponse) this.answered(reader.int(), refusalIn(reader));
    else if (type === TYPE.connectionError) this.fail(refusalIn(reader));
    else if (type === TYPE.shutdown) this.fail(new Error('the broker shut down'));
    else if (type === TYPE.keepAlive && isAsked) this.write(keepAlive(command));
    else if (isAsked) this.write(response(++this.commands, command));
  }

  private answered(command: number, refusal: BrokerRefusal | null): void {
    const waiting = this.waiting.get(command);
    this.waiting.delete(command);
    if (refusal === null) waiting?.resolve();
    else waiting?.reject(refusal);
  }

  private welcome(reader: FrameReader): void {
    if (reader.raw(MAGIC.length).toString('latin1') !== MAGIC || this.greeted === null) {
      throw new MalformedFrame('the other side does not speak OpenWire');
    }
    reader.int(); // its version: what a producer sends is the same in all of them
    const block = reader.block();
    const properties = block === null ? new Map<string, Primitive>() : readPrimitives(new FrameReader(block));
    const silence = smaller(properties.get('MaxInactivityDuration'), this.terms.inactivity ?? INACTIVITY);
    const delay = smaller(properties.get('MaxInactivityDurationInitalDelay'), INITIAL_DELAY);
    if (silence > 0) this.watch(silence, performance.now() + delay + silence);
    this.greeted.resolve();
    this.greeted = null;
  }

  private watch(silence: number, judgedFrom: number): void {
    const interval = Math.max(1, silence / (2 * BEATS));
    this.beat = setInterval(() => {
      const now = performance.now();
      if (now > judgedFrom && now - this.receivedAt > silence) {
        this.fail(new Error(`the broker was silent for ${silence} ms`));
      } else if (now - this.sentAt >= silence / BEATS - interval) this.write(keepAlive(++this.commands));
    }, interval).unref();
  }

  private fail(reason: Error): void {
    if (this.reason !== null) return;
    this.reason = reason;
    if (this.beat !== null) clearInterval(this.beat);
    if (!this.stream.writableEnded) this.stream.destroy();
    this.greeted?.reject(reason);
    this.greeted = null;
    for (const { reject } of this.waiting.values()) reject(reason);
    this.waiting.clear();
    this.settle(reason);
  }
}

function refusalIn(reader: FrameReader): BrokerRefusal {
  if (!reader.flag()) return new BrokerRefusal('unknown', null);
  return new BrokerRefusal(reader.text() ?? 'unknown', reader.text());
}

/** The smaller one of two times; 0 where the broker allows any silence. */
function smaller(told: Primitive | undefined, own: number): number {
  return typeof told === 'bigint' || typeof told === 'number' ? Math.min(Number(told), own) : 0;
}
