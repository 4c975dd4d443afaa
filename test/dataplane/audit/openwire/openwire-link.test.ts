import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BrokerRefusal } from '../../../../dataplane/audit/openwire/broker-refusal.ts';
import { TYPE, wireFormat } from '../../../../dataplane/audit/openwire/commands.ts';
import { OpenwireLink, type OpenwireTerms, type Outgoing } from '../../../../dataplane/audit/openwire/openwire-link.ts';
import { OpenwireBroker } from '../../../support/brokers/openwire-broker.ts';

const TERMS: OpenwireTerms = {
  connection: 'ID:test-1:1',
  clientId: 'ID:test-1:1-client',
  credentials: { userName: null, password: null },
  destination: { kind: 'topic', name: 'audit' },
  openTimeout: 60_000,
};

const persistent = (text: string): Outgoing => ({ text, isPersistent: true, isAnswered: true, timestamp: 0 });
const nonPersistent = (text: string): Outgoing => ({ text, isPersistent: false, isAnswered: false, timestamp: 0 });

async function linked(broker: OpenwireBroker, terms: Partial<OpenwireTerms> = {}): Promise<OpenwireLink> {
  const socket = connect(broker.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return new OpenwireLink(socket, { ...TERMS, ...terms });
}

async function opened(broker: OpenwireBroker, terms: Partial<OpenwireTerms> = {}): Promise<OpenwireLink> {
  const link = await linked(broker, terms);
  await link.open();
  return link;
}

describe('OpenwireLink', () => {
  it('registers a connection, a session and a producer, and sends messages in order', async () => {
    const broker = await OpenwireBroker.start();
    const link = await opened(broker);
    await Promise.all([
      link.send(persistent('{"n":1}')),
      link.send(nonPersistent('{"n":2}')),
      link.send(persistent('{"n":3}')),
    ]);
    expect(broker.commands.map(({ type, isAsked }) => [type, isAsked])).toEqual([
      [TYPE.connection, true],
      [TYPE.session, true],
      [TYPE.producer, true],
      [TYPE.textMessage, true],
      [TYPE.textMessage, false],
      [TYPE.textMessage, true],
    ]);
    expect(broker.texts).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
    await link.close(60_000);
    await broker.until(() => broker.commands.at(-1)?.type === TYPE.shutdown);
    expect(broker.commands.at(-2)?.type).toBe(TYPE.remove);
    expect((await link.closed).message).toBe('the connection was closed');
    await expect(link.send(persistent('late'))).rejects.toThrow('closed');
    await expect(link.send(nonPersistent('late'))).rejects.toThrow('closed');
  });

  it('waits for the broker with a persistent message, however the frames are cut', async () => {
    const broker = await OpenwireBroker.start();
    let answer: (() => void) | null = null;
    const link = await opened(broker);
    broker.answers = ({ command, type }, socket) => {
      if (type !== TYPE.textMessage) return true;
      const frame = Buffer.alloc(14);
      frame.writeInt32BE(10, 0);
      frame[4] = TYPE.response;
      frame.writeInt32BE(command, 10);
      answer = (): void => {
        for (const byte of frame) socket.write(Buffer.of(byte));
      };
      return false;
    };
    let isDone = false;
    const sending = link.send(persistent('x')).then(() => (isDone = true));
    await broker.until(() => answer !== null);
    expect([isDone, link.unconfirmed]).toEqual([false, 1]);
    answer!();
    await sending;
    expect(link.unconfirmed).toBe(0);
  });

  it('tells what the broker rejects: wrong credentials, and a message', async () => {
    const broker = await OpenwireBroker.start();
    const exception = 'java.lang.SecurityException';
    broker.answers = ({ type }) =>
      type === TYPE.connection ? { exception, message: 'User name [x] or password is invalid.' } : true;
    const link = await linked(broker, { credentials: { userName: 'x', password: 'secret' } });
    const refused = await link.open().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(BrokerRefusal);
    expect(refused).toMatchObject({ exception, message: 'User name [x] or password is invalid.' });
    broker.answers = ({ type }) => (type === TYPE.textMessage ? { exception: 'full', message: 'no space' } : true);
    const other = await opened(broker);
    await expect(other.send(persistent('x'))).rejects.toThrow('no space');
    broker.answers = () => true;
    await other.send(persistent('y')); // a refused message does not end the link
  });

  it.each([
    ['answers HTTP', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['greets with another magic', Buffer.from('0000000e0142726f6b656e4d510000000c00', 'hex')],
    ['ends its greeting early', Buffer.from('00000005014163746976', 'hex')],
    ['sends a frame of 2 GB', Buffer.from('7fffffff01', 'hex')],
    ['speaks a version that is too old', Buffer.from('0000000e014163746976654d510000000900', 'hex')],
    ['answers before it greets', Buffer.from('0000000a1e000000000000000001', 'hex')],
  ])('fails with a reason where the other side %s', async (_, greeting) => {
    const broker = await OpenwireBroker.start();
    broker.greeting = greeting;
    const link = await linked(broker);
    await expect(link.open()).rejects.toThrow(/OpenWire|greeting|ends before/);
    await link.closed;
  });

  it('fails where the broker says nothing in time', async () => {
    const broker = await OpenwireBroker.start();
    broker.greeting = Buffer.alloc(0);
    const link = await linked(broker, { openTimeout: 50 });
    await expect(link.open()).rejects.toThrow('did not answer within 50 ms');
  });

  it('rejects what is not confirmed when the connection is lost', async () => {
    const broker = await OpenwireBroker.start();
    const link = await opened(broker);
    broker.answers = () => false;
    const sending = [link.send(persistent('a')), link.send(persistent('b'))];
    await broker.until(() => broker.texts.length === 2);
    for (const socket of broker.sockets) socket.destroy();
    const results = await Promise.allSettled(sending);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect((await link.closed).message).toBe('the broker closed the connection');
  });

  it('refuses a message that is larger than the broker accepts, and sends the next', async () => {
    const broker = await OpenwireBroker.start();
    broker.greeting = wireFormat({ MaxFrameSize: 2000n });
    const link = await opened(broker);
    const large = link.send(persistent('x'.repeat(2000)));
    await expect(large).rejects.toThrow(/^the message has \d+ bytes, and the broker accepts 2000$/);
    await link.send(persistent('small'));
    expect(broker.texts).toEqual(['small']);
  });

  it('keeps the id of a message that another connection sent before', async () => {
    const broker = await OpenwireBroker.start();
    const first = await opened(broker);
    const id = first.nextId();
    const second = await opened(broker, { connection: 'ID:test-1:2' });
    await second.send({ ...persistent('again'), id });
    const { frame } = broker.commands.at(-1)!;
    expect(frame.toString('latin1').split('ID:test-1:1')).toHaveLength(2);
    expect(frame.toString('latin1').split('ID:test-1:2')).toHaveLength(2);
  });

  it('rejects what is not confirmed when it is closed and the broker does not answer in time', async () => {
    const broker = await OpenwireBroker.start();
    const link = await opened(broker);
    broker.answers = () => false;
    const sending = link.send(persistent('a'));
    const rejected = expect(sending).rejects.toThrow('the connection was closed');
    await link.close(10);
    await rejected;
  });

  it('keeps an idle connection alive, and answers the broker', async () => {
    const broker = await OpenwireBroker.start();
    broker.inactivity = 300n;
    const link = await opened(broker, { inactivity: 300 });
    await broker.until(() => broker.commands.filter(({ type }) => type === TYPE.keepAlive).length >= 2);
    for (const socket of broker.sockets) socket.write(Buffer.from('000000060a0000004d01', 'hex'));
    await broker.until(() => broker.commands.some(({ type, command }) => type === TYPE.keepAlive && command === 77));
    await link.close(60_000);
  });

  it('fails where a broker that promised to speak is silent', async () => {
    const broker = await OpenwireBroker.start();
    // a greeting with a short delay and a short duration
    broker.greeting = wireFormat({ MaxInactivityDuration: 100n, MaxInactivityDurationInitalDelay: 1n });
    const link = await opened(broker);
    expect((await link.closed).message).toBe('the broker was silent for 100 ms');
  });
});
