import { expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { TYPE, wireFormat } from '../../../dataplane/audit/openwire/commands.ts';
import { AuditedGateway, numbers, pathsIn } from '../../support/audit/audited-gateway.ts';
import { OpenwireBroker } from '../../support/brokers/openwire-broker.ts';
import type { BrokerCommand } from '../../support/brokers/openwire-server.ts';
import { freePort } from '../../support/programs/server-program.ts';

/** Events that are under way at a time, at most. */
const BATCH = 500;

const isMessage = ({ type }: BrokerCommand): boolean => type === TYPE.textMessage;

const gatewayFor = (port: number, handler: JsonObject = {}): Promise<AuditedGateway> =>
  AuditedGateway.start({ url: `tcp://127.0.0.1:${port}`, topic: 'audit', handler });

it('keeps events while the broker is not there yet, and sends each once', async () => {
  const port = await freePort();
  const gateway = await gatewayFor(port);
  await gateway.ask(60);
  await gateway.accountsAre({ emitted: 60, delivered: 0, waiting: 60, dropped: 0 });
  const broker = await OpenwireBroker.start(port);
  await gateway.accountsAre({ emitted: 60, delivered: 60, waiting: 0, dropped: 0 });
  expect(pathsIn(broker)).toEqual(numbers(1, 60));
  expect(broker.messages).toHaveLength(60);
});

it('drops and counts what does not fit into the queue while the broker is away', async () => {
  const port = await freePort();
  const gateway = await gatewayFor(port, { queue: { maxEvents: 20, maxBytes: 1 << 20 } });
  await gateway.ask(60);
  await gateway.accountsAre({ emitted: 60, delivered: 0, waiting: 20, dropped: 40 });
  const broker = await OpenwireBroker.start(port);
  await gateway.accountsAre({ emitted: 60, delivered: 20, waiting: 0, dropped: 40 });
  expect(pathsIn(broker)).toHaveLength(20);
});

it('loses nothing when the broker goes and comes back while requests come', async () => {
  const first = await OpenwireBroker.start();
  const { port } = first;
  const gateway = await gatewayFor(port);
  const requests = gateway.ask(300);
  await first.until(() => first.commands.filter(isMessage).length >= 20);
  await first.close();
  await requests;
  await gateway.ask(50);
  const second = await OpenwireBroker.start(port);
  await gateway.accountsAre({ emitted: 350, delivered: 350, waiting: 0, dropped: 0 });
  const messages = [...first.messages, ...second.messages];
  expect(pathsIn({ messages })).toEqual(numbers(1, 350));
  expect(messages.length).toBeLessThanOrEqual(350 + BATCH);
});

it('answers requests while a slow broker confirms one event after the other', async () => {
  const broker = await OpenwireBroker.start();
  const held: BrokerCommand[] = [];
  broker.answers = (command) => {
    if (!isMessage(command)) return true;
    held.push(command);
    return false;
  };
  const gateway = await gatewayFor(broker.port);
  await gateway.ask(100);
  await broker.until(() => held.length > 0);
  await gateway.accountsAre({ emitted: 100, delivered: 0, waiting: 100, dropped: 0 });
  let confirmed = 0;
  const pace = setInterval(() => {
    const command = held.shift();
    if (command === undefined) return;
    broker.confirm(command);
    confirmed++;
  }, 1);
  try {
    await gateway.accountsAre({ emitted: 100, delivered: 100, waiting: 0, dropped: 0 });
  } finally {
    clearInterval(pace);
  }
  expect([confirmed, broker.messages.length]).toEqual([100, 100]);
});

it('waits for a full broker that confirms nothing, and sends nothing twice', async () => {
  const broker = await OpenwireBroker.start();
  broker.answers = (command) => !isMessage(command);
  const gateway = await gatewayFor(broker.port);
  await gateway.ask(80);
  await gateway.accountsAre({ emitted: 80, delivered: 0, waiting: 80, dropped: 0 });
  await broker.until(() => broker.commands.some(isMessage));
  broker.answers = () => true;
  for (const command of broker.commands.filter(isMessage)) broker.confirm(command);
  await gateway.accountsAre({ emitted: 80, delivered: 80, waiting: 0, dropped: 0 });
  expect(pathsIn(broker)).toEqual(numbers(1, 80));
  expect(broker.messages).toHaveLength(80);
});

it('keeps events while the broker does not let the user write, and says why', async () => {
  const broker = await OpenwireBroker.start();
  const denial = { exception: 'java.lang.SecurityException', message: 'User gateway is not authorized to write' };
  broker.answers = (command) => (isMessage(command) ? denial : true);
  const gateway = await gatewayFor(broker.port);
  await gateway.ask(40);
  await gateway.accountsAre({ emitted: 40, delivered: 0, waiting: 40, dropped: 0 });
  await gateway.logs(/User gateway is not authorized to write/);
  broker.answers = () => true;
  await gateway.accountsAre({ emitted: 40, delivered: 40, waiting: 0, dropped: 0 });
  expect(pathsIn(broker)).toEqual(numbers(1, 40));
});

it('keeps events while the broker does not let the user in, and says why', async () => {
  const broker = await OpenwireBroker.start();
  const denial = { exception: 'java.lang.SecurityException', message: 'User name [gateway] or password is invalid.' };
  broker.answers = ({ type }) => (type === TYPE.connection ? denial : true);
  const gateway = await gatewayFor(broker.port);
  await gateway.ask(40);
  await gateway.accountsAre({ emitted: 40, delivered: 0, waiting: 40, dropped: 0 });
  await gateway.logs(/User name \[gateway\] or password is invalid/);
  broker.answers = () => true;
  await gateway.accountsAre({ emitted: 40, delivered: 40, waiting: 0, dropped: 0 });
  expect(broker.messages).toHaveLength(40);
});

it('leaves a connection that is open on its own side only, and repeats what was under way with its message ids', async () => {
  const broker = await OpenwireBroker.start();
  broker.greeting = wireFormat({ MaxInactivityDuration: 300n, MaxInactivityDurationInitalDelay: 1n });
  broker.answers = (command) => !isMessage(command);
  const gateway = await gatewayFor(broker.port);
  await gateway.ask(30);
  await gateway.logs(/connection to the JMS broker lost/);
  await gateway.accountsAre({ emitted: 30, delivered: 0, waiting: 30, dropped: 0 });
  broker.greeting = null;
  broker.answers = () => true;
  await gateway.accountsAre({ emitted: 30, delivered: 30, waiting: 0, dropped: 0 });
  expect(pathsIn(broker)).toEqual(numbers(1, 30));
  expect(new Set(broker.messages.map(({ JMSMessageID }) => JMSMessageID)).size).toBe(30);
});
