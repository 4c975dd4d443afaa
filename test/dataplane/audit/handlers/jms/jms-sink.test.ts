import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../contract/document/json-value.ts';
import { TYPE, wireFormat } from '../../../../../dataplane/audit/openwire/commands.ts';
import { Undelivered } from '../../../../../dataplane/audit/writer/audit-sink.ts';
import type { OpenedSink, SinkWish } from '../../../../support/audit/built-sink.ts';
import { clientTlsOf } from '../../../../support/audit/client-tls.ts';
import { openSink } from '../../../../support/audit/opened-sink.ts';
import { accessEvent } from '../../../../support/audit/sink-events.ts';
import { type JmsWish, jmsConfigFor } from '../../../../support/brokers/jms-config.ts';
import { OpenwireBroker } from '../../../../support/brokers/openwire-broker.ts';
import type { BrokerCommand } from '../../../../support/brokers/openwire-server.ts';
import { certificateAuthority } from '../../../../support/identity/certificates.ts';
import { freePort } from '../../../../support/programs/server-program.ts';

const isMessage = ({ type }: BrokerCommand): boolean => type === TYPE.textMessage;
const eventsOf = (count: number, first = 0) => Array.from({ length: count }, (_, at) => accessEvent(`e${first + at}`));
const idsIn = (broker: OpenwireBroker): string[] =>
  broker.texts.map((text) => (JSON.parse(text) as { readonly _id: string })._id);

interface Wish extends JmsWish, Partial<Pick<SinkWish, 'objects' | 'context'>> {
  readonly config?: JsonObject;
}

function sinkFor(url: string, { config = {}, objects = {}, context = {}, ...wish }: Wish = {}): Promise<OpenedSink> {
  return openSink({ className: 'JmsAuditEventHandler', config: jmsConfigFor(url, config, wish), objects, context });
}

const urlOf = ({ port }: { readonly port: number }, options = ''): string => `tcp://127.0.0.1:${port}${options}`;

/** The reason and the count of a delivery that failed. */
async function failure(delivery: Promise<unknown>): Promise<{ delivered: number; message: string }> {
  const error = await delivery.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Undelivered)) throw new Error(`not undelivered: ${error}`);
  const { delivered, message } = error;
  return { delivered, message };
}

describe('a JMS sink', () => {
  it('sends each event as a text message with the event as body, and nothing else', async () => {
    const broker = await OpenwireBroker.start();
    const { sink } = await sinkFor(urlOf(broker), { context: { now: () => 1234 } });
    expect(await sink.deliver(eventsOf(3))).toEqual([]);
    expect(broker.messages[2]).toEqual({
      JMSMessageID: expect.stringMatching(/^ID:.+:1:1:1:3$/),
      JMSDestination: 'topic://audit',
      JMSDeliveryMode: 'PERSISTENT',
      JMSPriority: 4,
      JMSExpiration: 0,
      JMSTimestamp: 1234,
      JMSType: null,
      JMSCorrelationID: null,
      properties: {},
      text: accessEvent('e2').json,
      isCompressed: false,
    });
  });

  it('wraps events into the envelope of OpenIG where the configuration wants that', async () => {
    const broker = await OpenwireBroker.start();
    const { sink } = await sinkFor(urlOf(broker), { config: { envelope: true } });
    const event = accessEvent('e1', { note: 'é€😀\u0007"' });
    await sink.deliver([event]);
    expect(broker.texts).toEqual([`{"auditTopic":"access","event":${event.json}}`]);
  });

  it('waits for each persistent message, with many of them under way', async () => {
    const broker = await OpenwireBroker.start();
    const { sink } = await sinkFor(urlOf(broker));
    await sink.open!();
    broker.answers = (command) => !isMessage(command);
    let isDone = false;
    const delivery = sink.deliver(eventsOf(200)).then(() => {
      isDone = true;
    });
    await broker.until(() => broker.commands.filter(isMessage).length === 200);
    const held = broker.commands.filter(isMessage);
    expect(held.every(({ isAsked }) => isAsked)).toBe(true);
    for (const command of held.slice(1)) broker.confirm(command);
    await new Promise((resolve) => setImmediate(resolve));
    expect(isDone).toBe(false);
    broker.confirm(held[0]!);
    await delivery;
  });

  it('lets the broker confirm every hundredth and the last message that is not persistent', async () => {
    const broker = await OpenwireBroker.start();
    const { sink } = await sinkFor(urlOf(broker), { config: { deliveryMode: 'NON_PERSISTENT' } });
    await sink.deliver(eventsOf(250));
    const messages = broker.commands.filter(isMessage);
    expect(messages.flatMap(({ isAsked }, at) => (isAsked ? [at] : []))).toEqual([99, 199, 249]);
    expect(broker.messages.every(({ JMSDeliveryMode }) => JMSDeliveryMode === 'NON_PERSISTENT')).toBe(true);
  });

  it('says how many messages that are not persistent are safe when the connection is lost', async () => {
    const broker = await OpenwireBroker.start();
    const { sink } = await sinkFor(urlOf(broker), { config: { deliveryMode: 'NON_PERSISTENT' } });
    let confirmed = 0;
    broker.answers = (command, socket) => {
      if (!isMessage(command) || !command.isAsked) return true;
      if (++confirmed < 2) return true;
      socket.destroy();
      return false;
    };
    expect((await failure(sink.deliver(eventsOf(250)))).delivered).toBe(100);
  });

  it('repeats the message ids of events that are sent again', async () => {
    const broker = await OpenwireBroker.start();
    const { sink } = await sinkFor(urlOf(broker));
    const events = eventsOf(5);
    broker.answers = (command, socket) => {
      if (!isMessage(command)) return true;
      if (idsIn(broker).length < 5) return idsIn(broker).length <= 2;
      socket.destroy();
      return false;
    };
    const { delivered } = await failure(sink.deliver(events));
    expect(delivered).toBeLessThanOrEqual(2);
    broker.answers = () => true;
    const first = new Map(broker.messages.map(({ text, JMSMessageID }) => [text, JMSMessageID]));
    broker.commands.length = 0;
    await sink.deliver(events.slice(delivered));
    expect(broker.messages).toHaveLength(5 - delivered);
    for (const { text, JMSMessageID } of broker.messages) expect(JMSMessageID).toBe(first.get(text));
    broker.commands.length = 0;
    await sink.deliver(eventsOf(1, 9));
    expect([...first.values()]).not.toContain(broker.messages[0]!.JMSMessageID);
  });

  it('connects when the broker comes, and again when it comes back', async () => {
    const port = await freePort();
    const { sink, logged } = await sinkFor(urlOf({ port }));
    const away = await failure(sink.deliver(eventsOf(1)));
    expect(away).toEqual({ delivered: 0, message: expect.stringContaining(`connecting to 127.0.0.1:${port} failed`) });
    const first = await OpenwireBroker.start(port);
    await sink.deliver(eventsOf(2));
    await first.close();
    const second = await OpenwireBroker.start(port);
    for (let tries = 0; idsIn(second).length < 2; tries++) {
      if (tries > 5) throw new Error('the events did not arrive');
      await sink.deliver(eventsOf(2, 2)).catch((error: unknown) => expect(error).toBeInstanceOf(Undelivered));
    }
    expect([idsIn(first), idsIn(second)]).toEqual([
      ['e0', 'e1'],
      ['e2', 'e3'],
    ]);
    expect(logged.join('')).toContain('connection to the JMS broker lost');
  });

  it('goes on waiting while a full broker confirms nothing, and loses nothing', async () => {
    const broker = await OpenwireBroker.start();
    const other = await OpenwireBroker.start();
    const { sink } = await sinkFor(urlOf(broker));
    const { sink: unconcerned } = await sinkFor(urlOf(other));
    await sink.open!();
    broker.answers = (command) => !isMessage(command);
    const delivery = sink.deliver(eventsOf(3));
    await broker.until(() => broker.commands.filter(isMessage).length === 3);
    await unconcerned.deliver(eventsOf(3));
    broker.answers = () => true;
    for (const command of broker.commands.filter(isMessage)) broker.confirm(command);
    expect(await delivery).toEqual([]);
    expect([idsIn(broker), idsIn(other)]).toEqual([
      ['e0', 'e1', 'e2'],
      ['e0', 'e1', 'e2'],
    ]);
  });

  it('ends the connection when a confirmation takes longer than jms.sendTimeout', async () => {
    const broker = await OpenwireBroker.start();
    const { sink } = await sinkFor(urlOf(broker, '?jms.sendTimeout=50'));
    broker.answers = (command) => !isMessage(command);
    const { delivered, message } = await failure(sink.deliver(eventsOf(2)));
    expect([delivered, message]).toEqual([0, 'the broker did not confirm within 50 ms']);
  });

  it('notices a half-open connection by its silence', async () => {
    const broker = await OpenwireBroker.start();
    broker.greeting = wireFormat({ MaxInactivityDuration: 100n, MaxInactivityDurationInitalDelay: 1n });
    const { sink } = await sinkFor(urlOf(broker));
    broker.answers = (command) => !isMessage(command);
    expect(await failure(sink.deliver(eventsOf(1)))).toEqual({
      delivered: 0,
      message: 'the broker was silent for 100 ms',
    });
  });

  it.each([
    ['java.lang.SecurityException', 'User gateway is not authorized to write to: topic://audit', 'later'],
    ['jakarta.jms.ResourceAllocationException', 'Usage Manager Memory Limit reached', 'later'],
    ['javax.jms.MessageFormatException', 'Invalid message', 'never'],
  ])('tries again after %s, unless the broker will never take the message', async (exception, message, when) => {
    const broker = await OpenwireBroker.start();
    const { sink } = await sinkFor(urlOf(broker));
    broker.answers = (command) => (isMessage(command) && idsIn(broker).length === 2 ? { exception, message } : true);
    const delivery = sink.deliver(eventsOf(3));
    if (when === 'later') expect(await failure(delivery)).toEqual({ delivered: 1, message });
    else expect(await delivery).toEqual([{ at: 1, reason: message }]);
    expect(broker.sockets.size).toBe(1); // the connection stays
  });

  it('drops an event that is larger than the broker accepts, and delivers those around it', async () => {
    const broker = await OpenwireBroker.start();
    broker.greeting = wireFormat({ MaxFrameSize: 20_000n });
    const { sink } = await sinkFor(urlOf(broker), { config: { deliveryMode: 'NON_PERSISTENT' } });
    const large = accessEvent('large', { pad: 'x'.repeat(30_000) });
    const refused = await sink.deliver([accessEvent('a'), large, accessEvent('b'), large]);
    const reason = 'the event is larger than the broker accepts (20000 bytes)';
    expect(refused).toEqual([
      { at: 1, reason },
      { at: 3, reason },
    ]);
    expect(idsIn(broker)).toEqual(['a', 'b']);
  });

  it('reports an error that the broker tells a connection, and connects again', async () => {
    const broker = await OpenwireBroker.start();
    const { sink } = await sinkFor(urlOf(broker));
    await sink.open!();
    broker.answers = (command) => !isMessage(command);
    const delivery = sink.deliver(eventsOf(1));
    await broker.until(() => broker.commands.some(isMessage));
    broker.tellError('java.io.IOException', 'store is broken');
    expect(await failure(delivery)).toEqual({ delivered: 0, message: 'store is broken' });
    broker.answers = () => true;
    await sink.deliver(eventsOf(1));
  });

  it.each([
    ['garbage', Buffer.from('\u0000\u0000\u0000\u0003\u001e??', 'latin1')],
    ['a frame of 2 GB', Buffer.from('7fffffff1e', 'hex')],
    ['an answer that nobody waits for, and garbage', Buffer.from('0000000a1e0000000000000fffff00000001', 'hex')],
  ])('fails without a crash where the broker answers with %s', async (_, bytes) => {
    const broker = await OpenwireBroker.start();
    const { sink } = await sinkFor(urlOf(broker));
    await sink.open!();
    broker.answers = (command, socket: Socket) => {
      if (isMessage(command)) socket.end(bytes);
      return false;
    };
    expect((await failure(sink.deliver(eventsOf(1)))).delivered).toBe(0);
  });

  it('sends user name and password of context properties, of the URL, or of a secret store', async () => {
    const broker = await OpenwireBroker.start();
    const objects = { secretsProvider: { active: async (id: string) => ({ reveal: () => Buffer.from(`<${id}>`) }) } };
    const secrets = { usernameSecretId: 'the.user', passwordSecretId: 'the.password', secretsProvider: 'Secrets' };
    const wishes: [string, Wish][] = [
      ['', { properties: { userName: 'ada', password: 'lovelace' } }],
      ['?jms.userName=ada&jms.password=love%26lace', {}],
      ['', { config: secrets, objects: objects as never }],
    ];
    for (const [options, wish] of wishes) {
      const { sink } = await sinkFor(urlOf(broker, options), wish);
      await sink.open!();
    }
    const registrations = broker.commands.filter(({ type }) => type === TYPE.connection);
    const said = registrations.map(({ frame }) => frame.toString('latin1'));
    expect(said[0]).toMatch(/lovelace.*ada/s);
    expect(said[1]).toMatch(/love&lace.*ada/s);
    expect(said[2]).toMatch(/<the.password>.*<the.user>/s);
  });

  it('compresses bodies and leaves out timestamps where the URL says so', async () => {
    const broker = await OpenwireBroker.start();
    const { sink } = await sinkFor(urlOf(broker, '?jms.useCompression=true&jms.disableTimeStampsByDefault=true'));
    await sink.deliver(eventsOf(1));
    expect(broker.messages[0]).toMatchObject({ isCompressed: true, text: accessEvent('e0').json, JMSTimestamp: 0 });
  });

  it('sends to all topics of a composite name, and to a dynamic one', async () => {
    const broker = await OpenwireBroker.start();
    const { sink } = await sinkFor(urlOf(broker), { properties: { 'topic.audit': 'a?x=1,topic://b' } });
    const { sink: dynamic } = await sinkFor(urlOf(broker), { jndi: { topicName: 'dynamicTopics/c' } });
    await sink.deliver(eventsOf(1));
    await dynamic.deliver(eventsOf(1));
    expect(broker.messages.map(({ JMSDestination }) => JMSDestination)).toEqual(['topic://a,b', 'topic://c']);
  });

  it('uses the next broker of a failover list, in order, and prefers the first', async () => {
    const dead = await freePort();
    const [second, third] = [await OpenwireBroker.start(), await OpenwireBroker.start()];
    const list = [dead, second.port, third.port].map((port) => `tcp://127.0.0.1:${port}`).join(',');
    const { sink } = await sinkFor(`failover:(${list})?randomize=false`);
    await sink.deliver(eventsOf(1));
    expect([idsIn(second), idsIn(third)]).toEqual([['e0'], []]);
    await second.close();
    for (let tries = 0; idsIn(third).length === 0 && tries < 5; tries++)
      await sink.deliver(eventsOf(1, 1)).catch(() => {});
    expect(idsIn(third)).toEqual(['e1']);
    const preferred = `failover:(tcp://127.0.0.1:${dead},tcp://127.0.0.1:${third.port})?priorityBackup=true`;
    const { sink: other } = await sinkFor(preferred);
    await other.deliver(eventsOf(1, 2));
    expect(idsIn(third)).toEqual(['e1', 'e2']);
  });

  it('names every broker of a list that cannot be reached', async () => {
    const [one, two] = [await freePort(), await freePort()];
    const { sink } = await sinkFor(`failover:(tcp://127.0.0.1:${one},tcp://127.0.0.1:${two})?randomize=false`);
    const { message } = await failure(sink.deliver(eventsOf(1)));
    expect(message).toMatch(new RegExp(`127.0.0.1:${one} failed.*; .*127.0.0.1:${two} failed`));
  });

  it('connects to no address that the egress rule forbids, also in a failover list', async () => {
    const [forbidden, allowed] = [await OpenwireBroker.start(), await OpenwireBroker.start()];
    const context = { mayReach: (_: string, port: number) => port === allowed.port };
    const list = `failover:(tcp://localhost:${forbidden.port},tcp://127.0.0.1:${allowed.port})?randomize=false`;
    const { sink } = await sinkFor(list, { context });
    await sink.deliver(eventsOf(1));
    expect([forbidden.commands.length, idsIn(allowed)]).toEqual([0, ['e0']]);
    const { sink: lost } = await sinkFor(`tcp://localhost:${forbidden.port}`, { context });
    expect((await failure(lost.deliver(eventsOf(1)))).message).toContain('is not allowed (egress rule)');
  });

  it('speaks TLS with verified certificates, unless the URL turns the check of names off', async () => {
    const ca = certificateAuthority('brokers');
    const { chain: cert, key } = ca.issue({ names: ['broker.test'] });
    const broker = await OpenwireBroker.start(0, { cert, key });
    const wish: Wish = { config: { tls: 'BrokerTls' }, objects: { tlsOptions: clientTlsOf(ca) } as never };
    const url = `ssl://localhost:${broker.port}`;
    const { sink: strict } = await sinkFor(url, wish);
    expect((await failure(strict.deliver(eventsOf(1)))).message).toContain('localhost');
    const { sink: stranger } = await sinkFor(`${url}?socket.verifyHostName=false`);
    expect((await failure(stranger.deliver(eventsOf(1)))).message).toMatch(/certificate/);
    const { sink } = await sinkFor(`${url}?socket.verifyHostName=false&socket.enabledProtocols=TLSv1.2`, wish);
    await sink.deliver(eventsOf(1));
    expect(idsIn(broker)).toEqual(['e0']);
  });

  it('signs off when it is closed, and can be closed while a batch waits', async () => {
    const broker = await OpenwireBroker.start();
    const { sink } = await sinkFor(urlOf(broker, '?jms.closeTimeout=20'));
    await sink.open!();
    broker.answers = (command) => !isMessage(command);
    const delivery = failure(sink.deliver(eventsOf(1)));
    await broker.until(() => broker.commands.some(isMessage));
    await sink.close();
    expect((await delivery).message).toBe('the connection was closed');
    expect(broker.commands.some(({ type }) => type === TYPE.remove)).toBe(true);
    expect((await failure(sink.deliver(eventsOf(1)))).message).toBe('the handler is closed');
    await expect.poll(() => broker.sockets.size).toBe(0);
  });
});
