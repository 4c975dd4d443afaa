import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { AuditedGateway, numbers, pathsIn } from '../../../support/audit/audited-gateway.ts';
import type { OpenedSink } from '../../../support/audit/built-sink.ts';
import { clientTlsOf } from '../../../support/audit/client-tls.ts';
import { oneSecret } from '../../../support/audit/one-secret.ts';
import { openSink } from '../../../support/audit/opened-sink.ts';
import { accessEvent } from '../../../support/audit/sink-events.ts';
import { undelivered } from '../../../support/audit/undelivered.ts';
import { jmsConfigFor } from '../../../support/brokers/jms-config.ts';
import { type BrokerKind, BrokerProgram, type JavaReader, type ReaderWish } from './broker-program.ts';

/** How the gateway speaks to the broker in the cases. */
export interface Wire {
  readonly title: string;
  readonly plain: 'tcp' | 'amqp';
  readonly secure: 'ssl' | 'amqps';
  /** Options for a URL that notice a silent broker soon. */
  readonly impatience: string;
  /** Properties that a JMS consumer sees at messages; `any` where the broker adds its own. */
  readonly properties: readonly string[] | 'any';
  /** What the broker says about wrong credentials. */
  readonly refusal: RegExp;
  /** What the broker says where the user may not write. */
  readonly denial: RegExp;
  /** Whether a consumer of a queue gets the messages of a virtual topic. */
  readonly hasVirtualTopics: boolean;
}

/** Events that are under way at a time, at most. */
const BATCH = 500;
const LONG = 'x'.repeat(2000);

/** Tests with one broker, which is started once. */
export function brokerCases(kind: BrokerKind, wires: readonly Wire[]): void {
  describe(kind.title, () => {
    let broker: BrokerProgram;
    let topics = 0;

    beforeAll(async () => {
      broker = await BrokerProgram.start(kind);
    });
    afterAll(() => broker?.end());

    /** A topic of its own, below a name that has rules at the broker. */
    const newTopic = (below = 'audit'): string => `${below}.t${++topics}`;

    async function reader(destination: string, wish: ReaderWish = {}): Promise<JavaReader> {
      return broker.read(`r${++topics}`, destination, wish);
    }

    describe.each(wires)('over $title', (wire) => {
      const url = (options = ''): string => `${wire.plain}://127.0.0.1:${broker.port(wire.plain)}${options}`;

      function sinkFor(
        address: string,
        topic: string,
        more: JsonObject = {},
        password = broker.password,
      ): Promise<OpenedSink> {
        const config = {
          username: broker.user,
          passwordSecretId: 'broker.password',
          secretsProvider: 'S',
          tls: 'T',
          ...more,
        };
        return openSink({
          className: 'JmsAuditEventHandler',
          config: jmsConfigFor(address, config, { properties: { 'topic.audit': topic } }),
          objects: { secretsProvider: oneSecret(password), tlsOptions: clientTlsOf(broker.authority) },
        });
      }

      const gatewayFor = (topic: string, options = '', handler: JsonObject = {}): Promise<AuditedGateway> =>
        AuditedGateway.start({ url: url(options), topic, user: broker.user, password: broker.password, handler });

      it.each(
        ['PERSISTENT', 'NON_PERSISTENT'].flatMap((mode) =>
          ['AUTO', 'CLIENT', 'DUPS_OK'].map((session) => [mode, session]),
        ),
      )('gives JMS consumers the event as a text message: %s, %s', async (deliveryMode, sessionMode) => {
        const topic = newTopic();
        const consumer = await reader(topic);
        const { sink } = await sinkFor(url(), topic, { deliveryMode: deliveryMode!, sessionMode: sessionMode! });
        const events = [
          accessEvent('e1'),
          accessEvent('e2', { note: 'é€😀\u0000\u0007"' }),
          accessEvent('e3', { note: LONG }),
        ];
        expect(await sink.deliver(events)).toEqual([]);
        await consumer.has(3);
        expect(consumer.messages).toEqual(
          events.map(({ json }) => ({
            kind: 'TextMessage',
            mode: deliveryMode,
            priority: 4,
            isRedelivered: false,
            type: 'null',
            id: expect.stringMatching(/^ID:/),
            properties: wire.properties === 'any' ? expect.any(Array) : wire.properties,
            text: json,
          })),
        );
        await consumer.close();
      });

      it('gives JMS consumers the envelope of OpenIG where the configuration wants that', async () => {
        const topic = newTopic();
        const consumer = await reader(topic);
        const { sink } = await sinkFor(url(), topic, { envelope: true });
        const event = accessEvent('e1');
        await sink.deliver([event]);
        await consumer.has(1);
        expect(consumer.messages[0]!.text).toBe(`{"auditTopic":"access","event":${event.json}}`);
        await consumer.close();
      });

      it('sends over TLS to a broker whose certificate is trusted, and to no other', async () => {
        const topic = newTopic();
        const consumer = await reader(topic);
        const address = `${wire.secure}://localhost:${broker.port(wire.secure)}`;
        const { sink } = await sinkFor(address, topic);
        await sink.deliver([accessEvent('e1')]);
        await consumer.has(1);

        const { tls: _, ...config } = jmsConfigFor(address, {}, { properties: { 'topic.audit': topic } });
        const stranger = await openSink({ className: 'JmsAuditEventHandler', config });
        const { message } = await undelivered(stranger.sink.deliver([accessEvent('e2')]));
        expect(message).toContain('certificate');
        expect(consumer.messages).toHaveLength(1);
        await consumer.close();
      });

      const virtualTopics = async (): Promise<void> => {
        const name = newTopic('VirtualTopic.audit');
        const consumer = await reader(`Consumer.auditors.${name}`, { kind: 'queue' });
        const { sink } = await sinkFor(url(), name);
        await sink.deliver([accessEvent('e1'), accessEvent('e2')]);
        await consumer.has(2);
        expect(consumer.messages.map(({ text }) => text)).toEqual([accessEvent('e1').json, accessEvent('e2').json]);
        await consumer.close();
      };
      if (wire.hasVirtualTopics) it('reaches the consumers of queues through a virtual topic', virtualTopics);

      it('loses nothing when the gateway starts before the broker', async () => {
        const topic = newTopic();
        const consumer = await reader(topic, { kind: 'durable' });
        await broker.shutDown();
        const gateway = await gatewayFor(topic);
        await gateway.ask(200);
        await gateway.accountsAre({ emitted: 200, delivered: 0, waiting: 200, dropped: 0 });
        await broker.open();
        await gateway.accountsAre({ emitted: 200, delivered: 200, waiting: 0, dropped: 0 });
        await consumer.has(200);
        expect(pathsIn(consumer)).toEqual(numbers(1, 200));
        expect(consumer.messages).toHaveLength(200); // nothing was under way, so that nothing comes twice
        await consumer.close();
      });

      it('loses nothing when the broker restarts while requests come', async () => {
        const topic = newTopic();
        const consumer = await reader(topic, { kind: 'durable' });
        const gateway = await gatewayFor(topic);
        await gateway.ask(100);
        const requests = gateway.ask(400);
        await broker.shutDown();
        await requests;
        await gateway.ask(100);
        await broker.open();
        await gateway.ask(100);
        await gateway.accountsAre({ emitted: 700, delivered: 700, waiting: 0, dropped: 0 });
        await consumer.has(700);
        expect(pathsIn(consumer)).toEqual(numbers(1, 700));
        expect(consumer.messages.length).toBeLessThanOrEqual(700 + BATCH);
        await consumer.close();
      });

      it('loses nothing when the broker is killed and its data is used again', async () => {
        const topic = newTopic();
        const name = `r${++topics}`;
        const before = await broker.read(name, topic, { kind: 'durable' });
        const gateway = await gatewayFor(topic);
        await gateway.ask(100);
        const requests = gateway.ask(300);
        await before.has(1);
        await broker.kill();
        await requests;
        await broker.launch();
        const after = await broker.read(name, topic, { kind: 'durable' });
        await gateway.ask(100);
        await gateway.accountsAre({ emitted: 500, delivered: 500, waiting: 0, dropped: 0 });
        const all = (): { messages: JavaReader['messages'] } => ({ messages: [...before.messages, ...after.messages] });
        await expect.poll(() => pathsIn(all()), { interval: 50 }).toEqual(numbers(1, 500));
        await after.close();
      });

      it('keeps up with a broker that is slow, and requests do not wait for it', async () => {
        const topic = newTopic('full');
        const consumer = await reader(topic, { pause: 3 });
        const gateway = await gatewayFor(topic);
        await gateway.ask(600);
        await gateway.accountsAre({ emitted: 600, delivered: 600, waiting: 0, dropped: 0 });
        await consumer.has(600);
        expect(pathsIn(consumer)).toEqual(numbers(1, 600));
        expect(consumer.messages).toHaveLength(600);
        await consumer.close();
      });

      it.each([
        ['blocks producers (flow control)', 'full'],
        ['refuses messages for want of room', 'failing'],
      ])('keeps events while the broker is full and %s', async (_, below) => {
        const topic = newTopic(below);
        const consumer = await reader(topic, { isLate: true });
        const gateway = await gatewayFor(topic);
        await gateway.ask(600);
        await expect.poll(async () => (await gateway.accounts()).emitted).toBe(600);
        const { delivered, waiting, dropped } = await gateway.accounts();
        expect([delivered + waiting, dropped, waiting > 0]).toEqual([600, 0, true]);
        await gateway.ask(100);
        await consumer.resume();
        await gateway.accountsAre({ emitted: 700, delivered: 700, waiting: 0, dropped: 0 });
        await consumer.has(700);
        expect(pathsIn(consumer)).toEqual(numbers(1, 700));
        await consumer.close();
      });

      it('keeps events while the broker refuses the credentials, and sends them once it accepts', async () => {
        const topic = newTopic();
        const consumer = await reader(topic, { kind: 'durable' });
        await broker.shutDown();
        await broker.open('another');
        onTestFinished(() => broker.shutDown().then(() => broker.open()));
        const gateway = await gatewayFor(topic);
        await gateway.ask(50);
        await gateway.accountsAre({ emitted: 50, delivered: 0, waiting: 50, dropped: 0 });
        await gateway.logs(wire.refusal);
        expect(JSON.stringify(gateway.process.said)).not.toContain(broker.password);
        await broker.shutDown();
        await broker.open();
        await gateway.accountsAre({ emitted: 50, delivered: 50, waiting: 0, dropped: 0 });
        await consumer.has(50);
        expect(consumer.messages).toHaveLength(50);
        await consumer.close();
      });

      it('keeps events for a topic that the user may not write to, and says why', async () => {
        const gateway = await gatewayFor(newTopic('forbidden'));
        await gateway.ask(50);
        await gateway.accountsAre({ emitted: 50, delivered: 0, waiting: 50, dropped: 0 });
        await gateway.logs(wire.denial);
        await gateway.accountsAre({ emitted: 50, delivered: 0, waiting: 50, dropped: 0 });
      });

      it('loses nothing when the broker freezes with its connections open', async () => {
        const topic = newTopic();
        const consumer = await reader(topic, { kind: 'durable' });
        const gateway = await gatewayFor(topic, wire.impatience);
        await gateway.ask(50);
        await consumer.has(50);
        broker.freeze();
        try {
          await gateway.ask(200);
          await gateway.logs(/connection to the JMS broker lost/);
          await gateway.accountsAre({ emitted: 250, delivered: 50, waiting: 200, dropped: 0 });
        } finally {
          broker.thaw();
        }
        await gateway.accountsAre({ emitted: 250, delivered: 250, waiting: 0, dropped: 0 });
        await consumer.has(250);
        expect(pathsIn(consumer)).toEqual(numbers(1, 250));
        await consumer.close();
      });
    });
  });
}
