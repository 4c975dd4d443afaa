import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../../../contract/document/json-value.ts';
import type { OpenedSink, SinkWish } from '../../../../support/audit/built-sink.ts';
import { clientTlsOf } from '../../../../support/audit/client-tls.ts';
import { startHostileServer } from '../../../../support/audit/hostile-server.ts';
import { openSink } from '../../../../support/audit/opened-sink.ts';
import { accessEvent } from '../../../../support/audit/sink-events.ts';
import { undelivered } from '../../../../support/audit/undelivered.ts';
import { AmqpBroker } from '../../../../support/brokers/amqp-broker.ts';
import { jmsConfigFor } from '../../../../support/brokers/jms-config.ts';
import { certificateAuthority } from '../../../../support/identity/certificates.ts';

const eventsOf = (count: number, first = 0) => Array.from({ length: count }, (_, at) => accessEvent(`e${first + at}`));
const urlOf = ({ port }: AmqpBroker, options = ''): string => `amqp://127.0.0.1:${port}${options}`;
const idsIn = ({ messages }: AmqpBroker): unknown[] => messages.map(({ message_id: id }) => id);

/** Header of a layer of the protocol: 3 for SASL, 0 for AMQP. */
const header = (layer: number): readonly number[] => [...Buffer.from('AMQP'), layer, 1, 0, 0];
/** Frame of SASL that offers ANONYMOUS. */
const MECHANISMS = [0, 0, 0, 25, 2, 1, 0, 0, 0, 0x53, 0x40, 0xc0, 12, 1, 0xa3, 9, ...Buffer.from('ANONYMOUS')];
/** Frame of SASL that ends it with success. */
const AUTHENTICATED = [0, 0, 0, 16, 2, 1, 0, 0, 0, 0x53, 0x44, 0xc0, 3, 1, 0x50, 0];

interface Wish extends Partial<Pick<SinkWish, 'objects' | 'context'>> {
  readonly config?: JsonObject;
  readonly properties?: JsonObject;
}

function sinkFor(url: string, { config = {}, properties = {}, ...wish }: Wish = {}): Promise<OpenedSink> {
  return openSink({ className: 'JmsAuditEventHandler', config: jmsConfigFor(url, config, { properties }), ...wish });
}

describe('a JMS sink over AMQP', () => {
  it('sends each event as a message that JMS clients read as a text message', async () => {
    const broker = await AmqpBroker.start();
    const { sink } = await sinkFor(urlOf(broker), { context: { now: () => 1234 } });
    expect(await sink.deliver(eventsOf(3))).toEqual([]);
    expect(broker.targets).toEqual(['audit']);
    expect(idsIn(broker)).toEqual(['ID:e0', 'ID:e1', 'ID:e2']);
    expect(broker.messages[2]).toMatchObject({
      durable: true,
      to: 'audit',
      creation_time: new Date(1234),
      message_annotations: { 'x-opt-jms-msg-type': 5, 'x-opt-jms-dest': 1 },
      body: accessEvent('e2').json,
    });
  });

  it('survives a broker that resets connections at once', async () => {
    const server = createServer((socket) => socket.resetAndDestroy());
    onTestFinished(() => void server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const { sink } = await sinkFor(`amqp://127.0.0.1:${port}`);
    for (let attempt = 0; attempt < 5; attempt++) {
      await expect(sink.deliver(eventsOf(1))).rejects.toThrow(`127.0.0.1:${port}`);
    }
  });

  it.each([
    ['before it authenticated us', [...header(3)]],
    ['after it authenticated us', [...header(3), ...MECHANISMS, ...AUTHENTICATED, ...header(0)]],
  ])('closes the connection to a broker that announces an endless frame %s', async (_, bytes) => {
    const endless = [0x7f, 0xff, 0xff, 0xff, 2, 0, 0, 0];
    const repeats = Buffer.alloc(1 << 20);
    const server = await startHostileServer(Buffer.from([...bytes, ...endless]), { repeats, most: 256 << 20 });
    const { sink } = await sinkFor(`amqp://127.0.0.1:${server.port}`);
    await expect(sink.deliver(eventsOf(1))).rejects.toThrow('a message of 2147483647 bytes was announced');
    expect(server.sent).toBeLessThan(64 << 20);
  });

  it('sends messages that are not durable for NON_PERSISTENT', async () => {
    const broker = await AmqpBroker.start();
    const { sink } = await sinkFor(urlOf(broker), { config: { deliveryMode: 'NON_PERSISTENT' } });
    await sink.deliver(eventsOf(1));
    expect(broker.messages[0]!.durable ?? false).toBe(false);
  });

  it('puts the prefix before the topic that the broker announces, or the URL gives', async () => {
    const broker = await AmqpBroker.start({ properties: { 'topic-prefix': 'topic://' } });
    const { sink } = await sinkFor(urlOf(broker));
    await sink.deliver(eventsOf(1));
    const { sink: other } = await sinkFor(urlOf(broker, '?jms.topicPrefix=mine.'));
    await other.deliver(eventsOf(1));
    expect(broker.targets).toEqual(['topic://audit', 'mine.audit']);
  });

  it('waits until the broker has accepted every message', async () => {
    const broker = await AmqpBroker.start();
    broker.outcome = () => {};
    const { sink } = await sinkFor(urlOf(broker));
    let isDone = false;
    const delivery = sink.deliver(eventsOf(50)).then(() => {
      isDone = true;
    });
    await broker.until(() => broker.messages.length === 50);
    for (const one of broker.deliveries.slice(1)) one.accept();
    await new Promise((resolve) => setImmediate(resolve));
    expect(isDone).toBe(false);
    broker.deliveries[0]!.accept();
    await delivery;
  });

  it('sends no more than the broker gives credit for', async () => {
    const broker = await AmqpBroker.start({ credit: 0 });
    const { sink } = await sinkFor(urlOf(broker));
    await sink.open!();
    const delivery = sink.deliver(eventsOf(30));
    broker.receiver!.add_credit(5);
    await broker.until(() => broker.messages.length === 30);
    await delivery;
    expect(idsIn(broker)).toEqual(eventsOf(30).map(({ id }) => `ID:${id}`));
  });

  it('counts the messages before the first that was not accepted, and sends the rest again', async () => {
    const broker = await AmqpBroker.start();
    broker.outcome = (message, delivery) => {
      if (message.message_id === 'ID:e2') delivery.release();
      else delivery.accept();
    };
    const { sink } = await sinkFor(urlOf(broker));
    expect(await undelivered(sink.deliver(eventsOf(5)))).toMatchObject({
      delivered: 2,
      message: expect.stringContaining('released'),
    });
    broker.outcome = (_, delivery) => delivery.accept();
    expect(await sink.deliver(eventsOf(3, 2))).toEqual([]);
  });

  it('gives up a message that the broker rejects for its size, and keeps one that it rejects for want of room', async () => {
    const broker = await AmqpBroker.start();
    const rejecting =
      (condition: string): AmqpBroker['outcome'] =>
      (message, delivery) => {
        if (message.message_id === 'ID:e1') delivery.reject({ condition, description: 'no' });
        else setImmediate(() => delivery.accept()); // rhea merges outcomes of one turn that differ
      };
    broker.outcome = rejecting('amqp:link:message-size-exceeded');
    const { sink } = await sinkFor(urlOf(broker));
    expect(await sink.deliver(eventsOf(3))).toEqual([{ at: 1, reason: 'no (amqp:link:message-size-exceeded)' }]);
    broker.outcome = rejecting('amqp:resource-limit-exceeded');
    expect((await undelivered(sink.deliver(eventsOf(3)))).delivered).toBe(1);
  });

  it('does not send a message that is larger than the broker accepts', async () => {
    const broker = await AmqpBroker.start({ maxMessage: 10_000 });
    const { sink } = await sinkFor(urlOf(broker));
    const events = [accessEvent('e0'), accessEvent('e1', { note: 'x'.repeat(20_000) }), accessEvent('e2')];
    expect(await sink.deliver(events)).toEqual([{ at: 1, reason: expect.stringContaining('10000 bytes') }]);
    expect(idsIn(broker)).toEqual(['ID:e0', 'ID:e2']);
  });

  it('connects again after the broker went away in the middle of a batch, and loses nothing', async () => {
    const broker = await AmqpBroker.start();
    broker.outcome = () => {};
    const { sink } = await sinkFor(urlOf(broker));
    const delivery = sink.deliver(eventsOf(10));
    await broker.until(() => broker.messages.length === 10);
    const { port } = broker;
    await broker.close();
    expect(await undelivered(delivery)).toMatchObject({ delivered: 0 });
    expect((await undelivered(sink.deliver(eventsOf(10)))).message).toContain('ECONNREFUSED');
    const next = await AmqpBroker.start({}, port);
    expect(await sink.deliver(eventsOf(10))).toEqual([]);
    expect(idsIn(next)).toEqual(idsIn(broker));
  });

  it('says that the broker rejects the credentials, without the password', async () => {
    const broker = await AmqpBroker.start({ user: ['ada', 'right'] });
    const properties = { userName: 'ada', password: 'wrong-word' };
    const { sink, logged } = await sinkFor(urlOf(broker), { properties });
    const { message } = await undelivered(sink.deliver(eventsOf(1)));
    expect(message).toContain('Failed to authenticate');
    expect(message + logged.join('')).not.toContain('wrong-word');
    const { sink: known } = await sinkFor(urlOf(broker), { properties: { userName: 'ada', password: 'right' } });
    expect(await known.deliver(eventsOf(1))).toEqual([]);
  });

  it('says why the broker refuses the topic', async () => {
    const broker = await AmqpBroker.start({ refusesLinks: 'amqp:unauthorized-access' });
    const { sink } = await sinkFor(urlOf(broker));
    expect((await undelivered(sink.deliver(eventsOf(1)))).message).toContain('not here (amqp:unauthorized-access)');
  });

  it('gives up a broker that stays silent', async () => {
    const broker = await AmqpBroker.start();
    const { sink } = await sinkFor(urlOf(broker, '?amqp.idleTimeout=100'));
    await sink.open!();
    broker.outcome = () => {};
    const delivery = sink.deliver(eventsOf(1));
    await broker.until(() => broker.messages.length === 1);
    for (const socket of broker.sockets) socket.cork(); // heartbeats of the broker stay there
    expect((await undelivered(delivery)).delivered).toBe(0);
  });

  it('gives up a broker that does not confirm within the time of the URL', async () => {
    const broker = await AmqpBroker.start();
    broker.outcome = () => {};
    const { sink } = await sinkFor(urlOf(broker, '?jms.sendTimeout=50'));
    expect((await undelivered(sink.deliver(eventsOf(1)))).message).toBe('the broker did not confirm within 50 ms');
  });

  it('sends over TLS to a broker whose certificate is trusted and names it, and to no other', async () => {
    const authority = certificateAuthority('brokers');
    const { chain: cert, key } = authority.issue({ names: ['localhost'] });
    const broker = await AmqpBroker.start({ tls: { cert, key } });
    const url = (host: string): string => `amqps://${host}:${broker.port}`;
    const wish: Wish = { config: { tls: 'T' }, objects: { tlsOptions: clientTlsOf(authority) } as never };
    const { sink } = await sinkFor(url('localhost'), wish);
    expect(await sink.deliver(eventsOf(1))).toEqual([]);
    const { sink: stranger } = await sinkFor(url('localhost'));
    expect((await undelivered(stranger.deliver(eventsOf(1)))).message).toContain('certificate');
    const { sink: other } = await sinkFor(url('127.0.0.1'), wish);
    expect((await undelivered(other.deliver(eventsOf(1)))).message).toContain('127.0.0.1');
  });

  it('signs off when it is closed', async () => {
    const broker = await AmqpBroker.start();
    const { sink } = await sinkFor(urlOf(broker));
    await sink.deliver(eventsOf(1));
    await sink.close();
    await expect.poll(() => broker.sockets.size).toBe(0);
  });
});
