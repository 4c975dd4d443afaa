import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Connection, ConnectionOptions, Container, Delivery, EventContext, Message, Sender } from 'rhea';
import { errorText } from '../../../../platform/error-text.ts';
import { amqpFrameLimit } from './amqp-frames.ts';
import { BatchLedger, type BatchOutcome, type BrokerConnection, type JmsMessage } from './broker-connection.ts';
import type { BrokerAddress, BrokerSettings } from './broker-settings.ts';

export interface AmqpOptions {
  readonly settings: BrokerSettings;
  readonly address: BrokerAddress;
  /** Unique among the connections of the broker. */
  readonly connection: string;
  readonly topic: string;
  readonly isPersistent: boolean;
  now(): number;
}

/** Annotations with which JMS clients of AMQP make a `TextMessage` for a topic of a message. */
const TEXT_MESSAGE = 5;
const TOPIC = 1;
/** More than the fields around the body take, in bytes. */
const MESSAGE_MARGIN = 2048;
/** Conditions under which the same message would be rejected again. */
const LASTING = new Set(['amqp:link:message-size-exceeded', 'amqp:decode-error', 'amqp:invalid-field']);
const NO_MECHANISM =
  "no SASL mechanism can be used: 'amqp.saslMechanisms' allows neither PLAIN with a user name and a password nor ANONYMOUS";

/** A connection that speaks AMQP 1.0. A message is safe when the broker has accepted it. */
export class AmqpConnection implements BrokerConnection {
  readonly closed: Promise<Error>;
  private readonly settle: (reason: Error) => void;
  private readonly socket: Socket;
  private readonly options: AmqpOptions;
  private readonly container: Container;
  private readonly link: Connection;
  private readonly places = new Map<Delivery, number>();
  private sender: Sender | null = null;
  private target = '';
  private ledger: BatchLedger | null = null;
  private reason: Error | null = null;
  /** Ends the wait for credit or for outcomes. */
  private wake: (() => void) | null = null;

  private constructor(socket: Socket, options: AmqpOptions, container: Container) {
    const { promise, resolve } = Promise.withResolvers<Error>();
    this.closed = promise;
    this.settle = resolve;
    this.socket = socket;
    this.options = options;
    this.container = container;
    socket.on('close', () => this.fail(new Error('the broker closed the connection')));
    const limit = amqpFrameLimit();
    // before the listener of the library, which collects a frame of any length
    socket.on('data', (bytes: Buffer) => {
      try {
        limit.take(bytes);
      } catch (error) {
        this.fail(error as Error);
      }
    });
    this.link = container.connect(this.connectionOptions());
    this.link.on('protocol_error', (error: Error) => this.fail(error));
    this.link.on('error', (error: Error) => this.fail(error));
    this.link.on('connection_error', ({ connection }: EventContext) =>
      this.fail(problemOf(connection.get_error() ?? connection.error)),
    );
    this.link.on('connection_close', () => this.fail(new Error('the broker closed the connection')));
    this.link.on('session_error', ({ session }: EventContext) => this.fail(problemOf(session?.error)));
    this.link.on('session_close', () => this.fail(new Error('the broker closed the session')));
    this.link.on('disconnected', ({ error }: EventContext) =>
      this.fail(error === undefined ? new Error('the connection ended') : problemOf(error)),
    );
  }

  /** Registers as a producer over an open socket. Rejects with the reason; the socket is closed then. */
  static async open(socket: Socket, options: AmqpOptions): Promise<AmqpConnection> {
    // loaded here, because most handlers do not need it
    const { create_container } = (await import('rhea')).default;
    if (socket.destroyed) throw new Error('the broker closed the connection');
    const { settings, connection } = options;
    const container = create_container({ id: settings.clientId ?? connection });
    const made = new AmqpConnection(socket, options, container);
    await made.register();
    return made;
  }

  get isClosed(): boolean {
    return this.reason !== null;
  }

  async deliver(batch: readonly JmsMessage[]): Promise<BatchOutcome> {
    const ledger = new BatchLedger(batch.length);
    this.ledger = ledger;
    const { sendTimeout } = this.options.settings;
    const overdue = (): void => this.fail(new Error(`the broker did not confirm within ${sendTimeout} ms`));
    const timer = sendTimeout > 0 ? setTimeout(overdue, sendTimeout) : null;
    const limit = this.sender?.max_message_size || Number.POSITIVE_INFINITY;
    for (const [at, message] of batch.entries()) {
      if (isTooLarge(message.text, limit)) {
        ledger.refuse(at, `the event is larger than the broker accepts (${limit} bytes)`);
        continue;
      }
      await this.until(() => this.sender!.sendable() && !this.socket.writableNeedDrain);
      if (this.reason !== null) break;
      this.places.set(this.sender!.send(this.messageOf(message)), at);
    }
    await this.until(() => this.places.size === 0);
    if (timer !== null) clearTimeout(timer);
    if (this.reason !== null) ledger.fail(errorText(this.reason));
    this.ledger = null;
    return ledger.outcome();
  }

  async close(patience: number): Promise<void> {
    if (this.reason !== null) return;
    const timer = setTimeout(() => this.fail(new Error('the connection was closed')), patience);
    this.link.close();
    await this.closed;
    clearTimeout(timer);
  }

  destroy(reason: Error): void {
    this.fail(reason);
  }

  private connectionOptions(): ConnectionOptions {
    const { address } = this.options;
    const { host, port, inactivity, maxFrame, virtualHost } = address;
    return {
      host,
      port,
      hostname: virtualHost ?? host,
      // the socket is open: TLS and egress rules are ours
      connect: (_port: number, _host: string, _options: unknown, connected: () => void) => {
        setImmediate(connected);
        return this.socket;
      },
      reconnect: false, // the delivery does that
      sasl_mechanisms: this.mechanisms(),
      ...(inactivity > 0 ? { idle_time_out: inactivity } : {}),
      ...(maxFrame === null ? {} : { max_frame_size: maxFrame }),
    } as ConnectionOptions;
  }

  private mechanisms(): unknown {
    const { userName, password } = this.options.settings;
    const allowed = this.options.address.mechanisms;
    const allows = (name: string): boolean => allowed === null || allowed.includes(name);
    const mechanisms = this.container.sasl.client_mechanisms();
    const hasPassword = userName !== null && password !== null;
    if (hasPassword && allows('PLAIN')) mechanisms.enable_plain(userName, password);
    else if (!hasPassword && allows('ANONYMOUS')) mechanisms.enable_anonymous(userName ?? 'anonymous');
    else throw new Error(NO_MECHANISM);
    return mechanisms;
  }

  private async register(): Promise<void> {
    const { openTimeout, topicPrefix } = this.options.settings;
    const overdue = (): void => this.fail(new Error(`the broker did not answer within ${openTimeout} ms`));
    const timer = setTimeout(overdue, openTimeout);
    let isOpen = false;
    let isAttached = false;
    this.link.once('connection_open', () => {
      isOpen = true;
      this.wake?.();
    });
    await this.until(() => isOpen);
    if (this.reason === null) {
      // brokers that need a prefix announce it
      const announced: unknown = this.link.properties?.['topic-prefix'];
      const prefix = topicPrefix === '' && typeof announced === 'string' ? announced : topicPrefix;
      this.target = prefix + this.options.topic;
      this.sender = this.attach(() => {
        isAttached = true;
      });
      await this.until(() => isAttached);
    }
    clearTimeout(timer);
    if (this.reason !== null) throw this.reason;
  }

  private attach(attached: () => void): Sender {
    const sender = this.link.open_sender({ target: { address: this.target, capabilities: ['topic'] } });
    const settled = (outcome: (at: number, ledger: BatchLedger, delivery: Delivery) => void) => {
      return ({ delivery }: EventContext): void => {
        const at = this.places.get(delivery!);
        if (at === undefined) return;
        this.places.delete(delivery!);
        if (this.ledger !== null) outcome(at, this.ledger, delivery!);
        if (this.places.size === 0) this.wake?.();
      };
    };
    sender.on('sender_open', () => {
      // brokers that refuse a link open it without a target, and close it with the reason
      if (sender.target?.address === undefined || sender.target.address === null) return;
      attached();
      this.wake?.();
    });
    sender.on('sendable', () => this.wake?.());
    sender.on('sender_error', () => this.fail(problemOf(sender.error)));
    sender.on('sender_close', () => this.fail(new Error('the broker closed the link')));
    sender.on(
      'accepted',
      settled((at, ledger) => ledger.confirm(at)),
    );
    sender.on(
      'released',
      settled((_, ledger) => ledger.fail('the broker released the message')),
    );
    sender.on(
      'modified',
      settled((_, ledger) => ledger.fail('the broker did not take the message')),
    );
    sender.on(
      'rejected',
      settled((at, ledger, { remote_state: state }) => {
        const error = (state as { readonly error?: unknown } | undefined)?.error;
        if (LASTING.has(conditionOf(error))) ledger.refuse(at, problemOf(error).message);
        else ledger.fail(problemOf(error).message);
      }),
    );
    return sender;
  }

  private messageOf({ eventId, text }: JmsMessage): Message {
    const { isPersistent, now, settings } = this.options;
    const { wrap_byte } = this.container.types;
    return {
      message_id: `ID:${eventId === '' ? randomUUID() : eventId}`,
      to: this.target,
      durable: isPersistent,
      ...(settings.hasTimestamps ? { creation_time: new Date(now()) } : {}),
      message_annotations: {
        'x-opt-jms-msg-type': wrap_byte(TEXT_MESSAGE),
        'x-opt-jms-dest': wrap_byte(TOPIC),
      },
      body: text,
    };
  }

  /** Resolves when a condition holds, or the connection is closed. */
  private async until(holds: () => boolean): Promise<void> {
    while (this.reason === null && !holds()) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        if (this.socket.writableNeedDrain) this.socket.once('drain', resolve);
      });
    }
    this.wake = null;
  }

  private fail(reason: Error): void {
    if (this.reason !== null) return;
    this.reason = reason;
    this.places.clear();
    this.socket.destroy(reason); // with an error, so that rhea ends its timers
    this.settle(reason);
    this.wake?.();
  }
}

function isTooLarge(text: string, limit: number): boolean {
  if (3 * text.length + MESSAGE_MARGIN <= limit) return false;
  return Buffer.byteLength(text) + MESSAGE_MARGIN > limit;
}

function conditionOf(error: unknown): string {
  return String((error as { readonly condition?: unknown } | null | undefined)?.condition ?? '');
}

/** An error of AMQP with its condition. */
function problemOf(error: unknown): Error {
  const { description, message } = (error ?? {}) as { readonly description?: unknown; readonly message?: unknown };
  const text = String(description ?? message ?? 'the broker gave no reason');
  const condition = conditionOf(error);
  return new Error(condition === '' ? text : `${text} (${condition})`);
}
