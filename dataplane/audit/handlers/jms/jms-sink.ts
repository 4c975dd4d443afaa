import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { hostname } from 'node:os';
import { errorText } from '../../../../platform/error-text.ts';
import type { PortableTls } from '../../../heap/objects/tls.ts';
import type { AuditEvent } from '../../writer/audit-event.ts';
import {
  type AuditSink,
  type OpenSink,
  type RefusedEvent,
  type SinkContext,
  Undelivered,
} from '../../writer/audit-sink.ts';
import { AmqpConnection } from './amqp-connection.ts';
import type { BrokerConnection, JmsMessage } from './broker-connection.ts';
import type { BrokerAddress, BrokerSettings } from './broker-settings.ts';
import { dialBroker } from './dial-broker.ts';
import { type KnownIds, OpenwireConnection } from './openwire-connection.ts';

/** Options of the sink: plain data. */
export interface JmsSinkOptions {
  readonly broker: BrokerSettings;
  /** Null for the CA certificates of the platform. */
  readonly tls: PortableTls | null;
  readonly topic: string;
  readonly isPersistent: boolean;
  /** Whether bodies are `{"auditTopic", "event"}` in place of the event. */
  readonly hasEnvelope: boolean;
  readonly maxBatchedEvents: number;
}

const BATCH_BYTES = 4 * 1024 ** 2;
/** Milliseconds without a confirmation after which the log says so. */
const STALL = 30_000;

/** Opens the sink of a `JmsAuditEventHandler`. */
export const openJmsSink: OpenSink = (options, context) => new JmsSink(options as unknown as JmsSinkOptions, context);

/** Sends events as text messages to a topic. A message that is sent again has the id that it had before. */
class JmsSink implements AuditSink {
  readonly batch: AuditSink['batch'];
  private readonly options: JmsSinkOptions;
  private readonly context: SinkContext;
  private readonly knownIds: KnownIds = new Map();
  private readonly family = `ID:${hostname()}-${randomUUID()}`;
  private connections = 0;
  private current: BrokerConnection | null = null;
  private connecting: Promise<BrokerConnection> | null = null;
  private isClosing = false;

  constructor(options: JmsSinkOptions, context: SinkContext) {
    this.options = options;
    this.context = context;
    this.batch = { events: options.maxBatchedEvents, bytes: BATCH_BYTES };
  }

  async open(): Promise<void> {
    await this.connected();
  }

  async deliver(batch: readonly AuditEvent[]): Promise<readonly RefusedEvent[]> {
    const connection = await this.connected().catch((error: unknown) => {
      throw new Undelivered({ delivered: 0, message: errorText(error) });
    });
    const stall = this.watchStall();
    const outcome = await connection.deliver(batch.map((event) => this.messageOf(event)));
    stall();
    const { settled: delivered, refused, reason } = outcome;
    if (reason === null) return refused;
    throw new Undelivered({ delivered, refused, message: reason });
  }

  async close(): Promise<void> {
    this.isClosing = true;
    const open = this.current ?? (await this.connecting?.catch(() => null)) ?? null;
    await open?.close(this.options.broker.closeTimeout);
  }

  private messageOf({ topic, id, json }: AuditEvent): JmsMessage {
    const text = this.options.hasEnvelope ? `{"auditTopic":${JSON.stringify(topic)},"event":${json}}` : json;
    return { eventId: id, text };
  }

  private connected(): Promise<BrokerConnection> {
    if (this.current !== null && !this.current.isClosed) return Promise.resolve(this.current);
    this.connecting ??= this.connect().finally(() => {
      this.connecting = null;
    });
    return this.connecting;
  }

  private async connect(): Promise<BrokerConnection> {
    if (this.isClosing) throw new Error('the handler is closed');
    const { broker: settings, tls, topic } = this.options;
    const { mayReach, log } = this.context;
    const register = (socket: Socket, address: BrokerAddress): Promise<BrokerConnection> =>
      this.register(socket, address);
    const { connection, address } = await dialBroker({ settings, tls, mayReach, register });
    const broker = `${address.host}:${address.port}`;
    log.info({ broker, topic }, 'connected to the JMS broker');
    this.current = connection;
    void connection.closed.then((reason) => {
      if (this.isClosing) return;
      log.warn({ broker, reason: errorText(reason) }, 'connection to the JMS broker lost; events wait');
    });
    return connection;
  }

  private register(socket: Socket, address: BrokerAddress): Promise<BrokerConnection> {
    const { broker: settings, topic, isPersistent } = this.options;
    const { now } = this.context;
    const connection = `${this.family}:${++this.connections}`;
    if (settings.protocol === 'amqp') {
      return AmqpConnection.open(socket, { settings, address, connection, topic, isPersistent, now });
    }
    const { knownIds } = this;
    return OpenwireConnection.open(socket, { settings, address, connection, topic, isPersistent, knownIds, now });
  }

  /** Logs when a batch waits for long: brokers that are full confirm nothing. */
  private watchStall(): () => void {
    const { log } = this.context;
    let isStalled = false;
    const timer = setTimeout(() => {
      isStalled = true;
      log.warn({ seconds: STALL / 1000 }, 'the JMS broker does not confirm events; it may be full (flow control)');
    }, STALL);
    return () => {
      clearTimeout(timer);
      if (isStalled) log.info('the JMS broker confirms events again');
    };
  }
}
