import { tmpdir } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { parseConfig } from '../../../contract/vocabulary/parse-config.ts';
import { retrying } from '../../../dataplane/backends/retries.ts';
import { retriesFields } from '../../../dataplane/backends/retry-fields.ts';
import { documentReading } from '../../../dataplane/routes/document-reading.ts';
import { SpillingStorage } from '../../../dataplane/services/spilling-storage.ts';
import { plainAnswer, type Script, ScriptedBackend } from '../../support/backends/scripted-backend.ts';
import { untilAnswers } from '../../support/clients/answers.ts';
import { untilTrue } from '../../support/clients/event-loop.ts';
import { RawClient } from '../../support/clients/raw-client.ts';
import { startGateway, type TestGateway } from '../../support/gateways/gateway.ts';
import { type ObjectParts, objectParts } from '../../support/gateways/object-parts.ts';
import { operatorReach } from '../../support/gateways/operator-reach.ts';
import { CountedStorage } from '../../support/state/counted-storage.ts';
import { HeldExecutor } from '../../support/state/held-executor.ts';

interface Setting extends ObjectParts {
  readonly app: ScriptedBackend;
  readonly gateway: TestGateway;
  readonly executor: HeldExecutor;
  readonly storage: CountedStorage;
}

/** Retries in front of a backend, with pauses that end when the test says so. */
async function start(script: Script, retries: JsonObject = {}): Promise<Setting> {
  const app = await ScriptedBackend.start(script);
  const executor = new HeldExecutor();
  const storage = new CountedStorage(new SpillingStorage({ memoryLimit: 100, limit: 1e6, directory: tmpdir() }));
  const built = objectParts({ executor });
  const reading = documentReading(operatorReach(), [], () => {});
  const config = parseConfig(retriesFields, retries, reading, []).value!;
  const gateway = await startGateway({
    backend: { destination: app.destination },
    handler: (next) => retrying(config, storage, built.parts, next),
  });
  onTestFinished(async () => {
    await gateway.close();
    await app.close();
  });
  return { ...built, app, gateway, executor, storage };
}

/** Answers the request of this number, from 0, and closes on those before. */
function answersAt(number: number): Script {
  return async (peer) => {
    await peer.request();
    if (peer.index < number) peer.close();
    else peer.send(plainAnswer('good'));
  };
}

const POST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\n\r\ncontent';

async function asks(gateway: TestGateway, bytes: string): Promise<RawClient> {
  const client = await RawClient.connect(gateway.port);
  onTestFinished(() => client.destroy());
  client.send(bytes);
  return client;
}

it('waits ten seconds before each of five retries', async () => {
  const { app, gateway, executor } = await start(answersAt(99));
  const client = await asks(gateway, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  for (let count = 1; count <= 5; count++) {
    await executor.until(count);
    expect(app.requests).toHaveLength(count);
    executor.run();
  }
  expect(await untilAnswers(client, 1)).toMatchObject([{ status: 502 }]);
  expect(executor.tasks.map(({ delay }) => delay)).toEqual(Array.from({ length: 5 }, () => 10_000));
  expect(app.requests).toHaveLength(6);
});

it('waits for the configured delay', async () => {
  const { gateway, executor } = await start(answersAt(1), { delay: '3 minutes' });
  const client = await asks(gateway, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await executor.until(1);
  executor.run();
  expect(await untilAnswers(client, 1)).toMatchObject([{ status: 200 }]);
  expect(executor.tasks.map(({ delay }) => delay)).toEqual([180_000]);
});

it('keeps a body for as long as it may be sent again', async () => {
  const { gateway, executor, storage } = await start(answersAt(2));
  const client = await asks(gateway, POST);
  for (let count = 1; count <= 2; count++) {
    await executor.until(count);
    expect([storage.opened, storage.left]).toEqual([1, 1]);
    executor.run();
  }
  expect(await untilAnswers(client, 1)).toMatchObject([{ status: 200 }]);
  await untilTrue(() => storage.left === 0);
});

it('keeps nothing for a request without a body', async () => {
  const { gateway, storage } = await start(answersAt(0));
  expect(await untilAnswers(await asks(gateway, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'), 1)).toHaveLength(1);
  expect(storage.opened).toBe(0);
});

it.each([
  ['a request', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['one with a body', POST],
])('a client that leaves while %s waits is not served any more', async (_case, request) => {
  const { app, gateway, executor, storage } = await start(answersAt(1));
  const client = await asks(gateway, request);
  await executor.until(1);
  client.socket.resetAndDestroy();
  await untilTrue(() => executor.tasks[0]!.cancelled);
  await untilTrue(() => storage.left === 0);
  expect(app.connections).toBe(1);
  expect(gateway.faults).toEqual([]);
});

it('a client that leaves in the middle of its body is not served any more', async () => {
  const { app, gateway, executor, storage } = await start(async (peer) => {
    await peer.until((text) => text.endsWith('cont'));
    peer.close();
  });
  const client = await asks(gateway, POST.slice(0, -3));
  await executor.until(1);
  client.destroy();
  await untilTrue(() => executor.tasks[0]!.cancelled);
  await untilTrue(() => storage.left === 0);
  expect(app.connections).toBe(1);
  expect(gateway.faults).toEqual([]);
});

it('pauses end when the handler is closed', async () => {
  const { app, gateway, executor, storage, close } = await start(answersAt(1));
  const client = await asks(gateway, POST);
  await executor.until(1);
  await close();
  expect(executor.tasks[0]!.cancelled).toBe(true);
  expect(await untilAnswers(client, 1)).toMatchObject([{ status: 499 }]);
  expect(app.connections).toBe(1);
  await untilTrue(() => storage.left === 0);
});
