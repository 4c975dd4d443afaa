import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import rhea, { type Connection, type Delivery, type EventContext, type Message, type Receiver } from 'rhea';
import { onTestFinished } from 'vitest';

export interface AmqpBrokerWish {
  readonly tls?: { readonly cert: string; readonly key: string };
  /** User and password that it wants; without them anyone may connect. */
  readonly user?: readonly [string, string];
  /** Properties of its greeting. */
  readonly properties?: Readonly<Record<string, string>>;
  /** Largest message, in bytes. */
  readonly maxMessage?: number;
  /** Messages that it takes before it gives more credit. */
  readonly credit?: number;
  /** Refuses links with this condition. */
  readonly refusesLinks?: string;
}

/** An AMQP 1.0 peer that takes messages and does as it is told. It ends with the test. */
export class AmqpBroker {
  readonly messages: Message[] = [];
  readonly deliveries: Delivery[] = [];
  /** Addresses that links were opened for. */
  readonly targets: string[] = [];
  readonly sockets = new Set<Socket>();
  /** Settles a message, or leaves it unsettled. */
  outcome: (message: Message, delivery: Delivery) => void = (_, delivery) => delivery.accept();
  receiver: Receiver | null = null;
  connections = 0;
  private readonly server: Server;
  private heard: (() => void)[] = [];

  private constructor({ tls, user, properties = {}, maxMessage, credit = 100, refusesLinks }: AmqpBrokerWish) {
    const container = rhea.create_container({ id: 'double' });
    if (user !== undefined) {
      container.sasl_server_mechanisms.enable_plain(
        (name: string, word: string) => name === user[0] && word === user[1],
      );
    }
    container.on('receiver_open', ({ receiver }: EventContext) => {
      this.targets.push(String(receiver!.target.address));
      if (refusesLinks !== undefined) {
        receiver!.close({ condition: refusesLinks, description: 'not here' });
        return;
      }
      receiver!.set_target(receiver!.target);
      this.receiver = receiver!;
      receiver!.add_credit(credit);
    });
    container.on('message', ({ message, delivery, receiver }: EventContext) => {
      this.messages.push(message!);
      this.deliveries.push(delivery!);
      this.outcome(message!, delivery!);
      receiver!.add_credit(1);
      for (const wake of this.heard.splice(0)) wake();
    });
    for (const name of ['disconnected', 'connection_error', 'error', 'protocol_error']) container.on(name, () => {});
    const accept = (socket: Socket): void => {
      this.connections++;
      this.sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => this.sockets.delete(socket));
      const connection = container.create_connection({
        properties,
        receiver_options: {
          credit_window: 0,
          autoaccept: false,
          ...(maxMessage !== undefined && { max_message_size: maxMessage }),
        },
      } as never) as Connection & { accept(socket: Socket): void };
      connection.accept(socket);
    };
    this.server = tls === undefined ? createServer(accept) : createTlsServer(tls, accept);
  }

  static async start(wish: AmqpBrokerWish = {}, port = 0): Promise<AmqpBroker> {
    const broker = new AmqpBroker(wish);
    broker.server.listen(port, '127.0.0.1');
    await once(broker.server, 'listening');
    onTestFinished(() => broker.close());
    return broker;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Resolves once something is true, looked at after every message. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.heard.push(resolve));
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    if (!this.server.listening) return;
    this.server.close();
    await once(this.server, 'close');
  }
}
