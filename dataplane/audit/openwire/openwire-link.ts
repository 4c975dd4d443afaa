import type { Duplex } from 'node:stream';
import { type BrokerRefusal, MessageTooLarge, refusalIn } from './broker-refusal.ts';
import {
  type Credentials,
  connectionInfo,
  type Destination,
  keepAlive,
  type MessageId,
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
import { FrameSplitter } from './frame-splitter.ts';
import { readGreeting } from './greeting.ts';

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
  /** Milliseconds of silence after which the broker is taken for dead; 0 for never. */
  readonly inactivity?: number;
  /** Milliseconds before silence is judged. */
  readonly initialDelay?: number;
}

/** A message as a sink has it. */
export interface Outgoing {
  readonly text: string;
  readonly isPersistent: boolean;
  /** Whether the broker confirms it. */
  readonly isAnswered: boolean;
  /** The id under which it was sent before, if it was. */
  readonly id?: MessageId | undefined;
  readonly isCompressed?: boolean;
  /** Milliseconds since 1970; 0 for none. */
  readonly timestamp: number;
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
  private readonly splitter = new FrameSplitter();
  private commands = 0;
  private sequence = 0;
  private longestFrame = Number.POSITIVE_INFINITY;
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

  /** Number of commands that the broker has not confirmed yet. */
  get unconfirmed(): number {
    return this.waiting.size;
  }

  /** Largest frame that the broker accepts, in bytes. */
  get maxFrame(): number {
    return this.longestFrame;
  }

  get isClosed(): boolean {
    return this.reason !== null;
  }

  /** Whether the connection takes more without buffering; otherwise wait for `drained`. */
  get isWritable(): boolean {
    return this.reason === null && !this.stream.writableNeedDrain;
  }

  /** Keeps what is sent until `uncork`, so that many messages are one write. */
  cork(): void {
    this.stream.cork();
  }

  uncork(): void {
    this.stream.uncork();
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

  /** Returns the id of a new message. */
  nextId(): MessageId {
    return { producer: this.path, sequence: ++this.sequence };
  }

  /**
   * Sends a message. With `isAnswered` it resolves when the broker has the message and all before it; otherwise when it
   * was written. Rejects with MessageTooLarge, BrokerRefusal, or the reason for which the link is closed.
   */
  send(message: Outgoing): Promise<void> {
    if (this.reason !== null) return Promise.reject(this.reason);
    const { isAnswered, id = this.nextId(), ...rest } = message;
    const command = this.commands + 1;
    const content: TextMessage = { ...rest, id, producer: this.path, destination: this.terms.destination };
    const frame = textMessage(command, isAnswered, content);
    if (frame.length > this.longestFrame) return Promise.reject(new MessageTooLarge(frame.length, this.longestFrame));
    this.commands = command;
    const sent = isAnswered ? this.answerTo(command) : Promise.resolve();
    this.write(frame);
    return sent;
  }

  /**
   * Signs off and closes. What is not confirmed yet is rejected.
   * @param patience milliseconds that the broker has for its answer
   */
  async close(patience: number): Promise<void> {
    if (this.reason !== null) return;
    const timer = setTimeout(() => this.fail(new Error('the connection was closed')), patience);
    try {
      await this.ask((command) => removeConnection(command, this.terms.connection));
      this.write(shutdownInfo(++this.commands));
      this.stream.end(() => this.stream.destroy());
    } catch {
      // it is gone already
    } finally {
      clearTimeout(timer);
    }
    this.fail(new Error('the connection was closed'));
  }

  /** Closes without a word, such as after a time-out. What is not confirmed yet is rejected with the reason. */
  destroy(reason: Error): void {
    this.fail(reason);
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
          MaxInactivityDurationInitalDelay: BigInt(this.terms.initialDelay ?? INITIAL_DELAY),
        }),
      );
    });
  }

  private ask(frame: (command: number) => Buffer): Promise<void> {
    if (this.reason !== null) return Promise.reject(this.reason);
    const command = ++this.commands;
    const answer = this.answerTo(command);
    this.write(frame(command));
    return answer;
  }

  private answerTo(command: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.set(command, { resolve, reject });
    });
  }

  private write(frame: Buffer): void {
    this.sentAt = performance.now();
    this.stream.write(frame);
  }

  private receive(bytes: Buffer): void {
    this.receivedAt = performance.now();
    try {
      this.splitter.push(bytes, (frame) => {
        this.take(frame);
        return this.reason === null;
      });
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
    if (this.greeted === null) throw new MalformedFrame('the broker sent a second greeting');
    const { silence, initialDelay, maxFrame } = readGreeting(reader, {
      silence: this.terms.inactivity ?? INACTIVITY,
      initialDelay: this.terms.initialDelay ?? INITIAL_DELAY,
    });
    this.longestFrame = maxFrame;
    if (silence > 0) this.watch(silence, performance.now() + initialDelay + silence);
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
