import type { Socket } from 'node:net';
import { errorText } from '../../../../platform/error-text.ts';
import { BrokerRefusal, MessageTooLarge } from '../../openwire/broker-refusal.ts';
import type { MessageId } from '../../openwire/commands.ts';
import { modifiedUtf8 } from '../../openwire/modified-utf8.ts';
import { OpenwireLink } from '../../openwire/openwire-link.ts';
import { BatchLedger, type BatchOutcome, type BrokerConnection, type JmsMessage } from './broker-connection.ts';
import type { BrokerAddress, BrokerSettings } from './broker-settings.ts';

/** Every how many messages the broker confirms those that it need not confirm one by one. */
const CONFIRMED_EVERY = 100;
/** More than the fields around the body take, in bytes. */
const FRAME_MARGIN = 2048;
/** Exceptions of a broker that the same message would get again. */
const LASTING = /(?:MessageFormat|MaxFrameSizeExceeded|MessageNotWriteable)/;

/** More ids than batches that wait have: the rest is of events that were given up. */
const MOST_KNOWN_IDS = 10_000;

/** Message ids of events that were sent and not confirmed, so that the next connection repeats them. */
export type KnownIds = Map<string, MessageId>;

export interface OpenwireOptions {
  readonly settings: BrokerSettings;
  readonly address: BrokerAddress;
  /** Unique among the connections of the broker. */
  readonly connection: string;
  readonly topic: string;
  readonly isPersistent: boolean;
  readonly knownIds: KnownIds;
  now(): number;
}

/** A connection that speaks OpenWire. */
export class OpenwireConnection implements BrokerConnection {
  private readonly link: OpenwireLink;
  private readonly options: OpenwireOptions;
  private readonly confirmsEach: boolean;

  private constructor(link: OpenwireLink, options: OpenwireOptions) {
    this.link = link;
    this.options = options;
    this.confirmsEach = options.isPersistent || options.settings.confirmsEach;
  }

  /** Registers as a producer over an open socket. Rejects with the reason; the socket is closed then. */
  static async open(socket: Socket, options: OpenwireOptions): Promise<OpenwireConnection> {
    const { settings, address, connection, topic } = options;
    const link = new OpenwireLink(socket, {
      connection,
      clientId: settings.clientId ?? connection,
      credentials: { userName: settings.userName, password: settings.password },
      destination: { kind: 'topic', name: topic },
      openTimeout: settings.openTimeout,
      inactivity: address.inactivity,
      initialDelay: address.initialDelay,
    });
    await link.open();
    return new OpenwireConnection(link, options);
  }

  get closed(): Promise<Error> {
    return this.link.closed;
  }

  get isClosed(): boolean {
    return this.link.isClosed;
  }

  async deliver(batch: readonly JmsMessage[]): Promise<BatchOutcome> {
    const ledger = new BatchLedger(batch.length);
    const { sendTimeout } = this.options.settings;
    const overdue = (): void => this.link.destroy(new Error(`the broker did not confirm within ${sendTimeout} ms`));
    const timer = sendTimeout > 0 ? setTimeout(overdue, sendTimeout) : null;
    try {
      await this.sendAll(batch, ledger);
    } finally {
      if (timer !== null) clearTimeout(timer);
    }
    const outcome = ledger.outcome();
    for (const { eventId } of batch.slice(0, outcome.settled)) this.options.knownIds.delete(eventId);
    return outcome;
  }

  close(patience: number): Promise<void> {
    return this.link.close(patience);
  }

  destroy(reason: Error): void {
    this.link.destroy(reason);
  }

  private async sendAll(batch: readonly JmsMessage[], ledger: BatchLedger): Promise<void> {
    const limit = Math.min(this.link.maxFrame, this.options.address.maxFrame ?? Number.POSITIVE_INFINITY);
    const places: number[] = [];
    batch.forEach(({ text }, at) => {
      if (isTooLarge(text, limit)) ledger.refuse(at, `the event is larger than the broker accepts (${limit} bytes)`);
      else places.push(at);
    });
    const { link } = this;
    const answers: Promise<void>[] = [];
    link.cork();
    for (const [count, at] of places.entries()) {
      const isAnswered = this.confirmsEach || count === places.length - 1 || (count + 1) % CONFIRMED_EVERY === 0;
      answers.push(this.sendOne(batch[at]!, at, isAnswered, ledger));
      if (!link.isWritable) {
        link.uncork();
        await link.drained();
        link.cork();
      }
      if (link.isClosed) break;
    }
    link.uncork();
    await Promise.all(answers);
  }

  private async sendOne(message: JmsMessage, at: number, isAnswered: boolean, ledger: BatchLedger): Promise<void> {
    const { settings, isPersistent, knownIds, now } = this.options;
    const { eventId, text } = message;
    const id = knownIds.get(eventId) ?? this.link.nextId();
    if (knownIds.size >= MOST_KNOWN_IDS) knownIds.clear();
    if (eventId !== '') knownIds.set(eventId, id);
    try {
      const { isCompressed, hasTimestamps } = settings;
      const timestamp = hasTimestamps ? now() : 0;
      await this.link.send({ text, isPersistent, isAnswered, id, isCompressed, timestamp });
      if (this.confirmsEach) ledger.confirm(at);
      else if (isAnswered) ledger.confirmUpTo(at);
    } catch (error) {
      if (isLasting(error)) ledger.refuse(at, errorText(error));
      else ledger.fail(errorText(error));
    }
  }
}

function isTooLarge(text: string, limit: number): boolean {
  if (3 * text.length + FRAME_MARGIN <= limit) return false;
  return modifiedUtf8(text).length + FRAME_MARGIN > limit;
}

function isLasting(error: unknown): boolean {
  return error instanceof MessageTooLarge || (error instanceof BrokerRefusal && LASTING.test(error.exception));
}
