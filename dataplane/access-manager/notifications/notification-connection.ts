import type { Logger } from 'pino';
import { PacedWarning } from '../../../platform/paced-warning.ts';
import type { Tunnel } from '../../engine/backend/tunnel.ts';
import { ClientSocket, type SocketListener } from '../../engine/websocket/client-socket.ts';
import type { JournalRecord } from './journal-record.ts';
import {
  type NotificationMessage,
  POLICY_TOPIC,
  readMessage,
  SESSION_TOPIC,
  SESSION_UID_TOPIC,
  type TokenTerms,
} from './notification-message.ts';

/** Most bytes of a message that is read where the configuration says nothing. */
export const LONGEST_MESSAGE = 1 << 20;

/** Times are in milliseconds; 0 for none. */
export interface ConnectionTerms {
  readonly tokens: TokenTerms;
  readonly longestMessage: number;
  /** Time for the confirmation of all subscriptions. */
  readonly confirmationTimeout: number;
  /** Time without a byte after which the connection is taken for dead; a PING is sent in the middle of it. */
  readonly silence: number;
}

/** Listener of a connection. */
export interface ConnectionOwner {
  /** All subscriptions are confirmed. */
  ready(connection: NotificationConnection): void;
  record(record: JournalRecord): void;
  /** Not called after `close`. */
  closed(connection: NotificationConnection, reason: string): void;
}

/** One WebSocket to the notification service: subscribes, reads events and notices when the other end is gone. */
export class NotificationConnection implements SocketListener {
  private readonly owner: ConnectionOwner;
  private readonly terms: ConnectionTerms;
  private readonly log: Logger;
  private readonly socket: ClientSocket;
  private readonly unconfirmed: Set<string>;
  private readonly unclear: PacedWarning;
  private confirmation: NodeJS.Timeout | null = null;
  private heartbeat: NodeJS.Timeout | null = null;
  private isOver = false;

  constructor(tunnel: Tunnel, terms: ConnectionTerms, owner: ConnectionOwner, log: Logger) {
    this.owner = owner;
    this.terms = terms;
    this.log = log;
    this.unconfirmed = new Set([SESSION_TOPIC, SESSION_UID_TOPIC, POLICY_TOPIC, terms.tokens.topic]);
    this.unclear = new PacedWarning(log, 'unreadable notification; caches that depend on events were cleared', {
      most: 1,
      interval: 10_000,
    });
    this.socket = new ClientSocket(tunnel, terms.longestMessage, this);
  }

  open(): void {
    const { confirmationTimeout, silence } = this.terms;
    const overdue = (): void => this.give('the access manager did not confirm the subscriptions in time');
    if (confirmationTimeout > 0) this.confirmation = setTimeout(overdue, confirmationTimeout).unref();
    this.socket.open();
    if (this.isOver) return;
    for (const topic of this.unconfirmed) {
      this.socket.send(JSON.stringify({ action: 'subscribe', topic, id: topic }));
    }
    if (silence > 0) this.heartbeat = setInterval(() => this.beat(), Math.max(1, silence / 4)).unref();
  }

  close(): void {
    this.end();
    this.socket.close();
  }

  text(message: string): void {
    this.take(readMessage(message, this.terms.tokens));
  }

  unreadable(reason: string): void {
    this.take({ kind: 'unclear', reason });
  }

  closed(reason: string): void {
    if (this.isOver) return;
    this.end();
    this.owner.closed(this, reason);
  }

  private take(message: NotificationMessage): void {
    if (message.kind === 'events') for (const record of message.records) this.owner.record(record);
    else if (message.kind === 'subscribed') this.confirmed(message.topic);
    else if (message.kind === 'error') this.refused(message.topic, message.error);
    else {
      this.unclear.give({ reason: message.reason });
      this.owner.record({ kind: 'unclear' });
    }
  }

  private confirmed(topic: string): void {
    if (!this.unconfirmed.delete(topic) || this.unconfirmed.size > 0) return;
    if (this.confirmation !== null) clearTimeout(this.confirmation);
    this.confirmation = null;
    this.owner.ready(this);
  }

  /** Older versions have no events by session id, and do without; the others must come. */
  private refused(topic: string | null, error: string): void {
    if (topic === SESSION_UID_TOPIC) this.confirmed(topic);
    else if (topic !== null && this.unconfirmed.has(topic)) {
      this.give(`the access manager refused the subscription to ${topic}: ${error.slice(0, 200)}`);
    } else this.log.warn({ error: error.slice(0, 200) }, 'the notification service rejected a message');
  }

  private beat(): void {
    const silent = performance.now() - this.socket.receivedAt;
    if (silent >= this.terms.silence) this.give('nothing was received for too long, not even the answer to a PING');
    else if (silent >= this.terms.silence / 2) this.socket.ping();
  }

  private give(reason: string): void {
    if (this.isOver) return;
    this.end();
    this.socket.abandon();
    this.owner.closed(this, reason);
  }

  private end(): void {
    this.isOver = true;
    if (this.confirmation !== null) clearTimeout(this.confirmation);
    if (this.heartbeat !== null) clearInterval(this.heartbeat);
  }
}
