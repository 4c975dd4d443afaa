import { expect, it, onTestFinished } from 'vitest';
import { temporaryFileLimit } from '../../../dataplane/engine/wire/temporary-file-limit.ts';
import { namedMemory } from '../../../dataplane/heap/shared-memory.ts';
import { SpillingStorage } from '../../../dataplane/services/spilling-storage.ts';
import { TEMPORARY_FILES_MEMORY, TemporaryFiles } from '../../../dataplane/services/temporary-files.ts';
import { eachRequest, plainAnswer, ScriptedBackend } from '../../support/backends/scripted-backend.ts';
import { untilTrue } from '../../support/clients/event-loop.ts';
import { RawClient } from '../../support/clients/raw-client.ts';
import { serve } from '../../support/gateways/served.ts';
import { watchedDirectory } from '../../support/state/temporary-files.ts';

function limitedTo(bytes: number): void {
  const { bytes: before } = temporaryFileLimit;
  onTestFinished(() => void (temporaryFileLimit.bytes = before));
  temporaryFileLimit.bytes = bytes;
}

it('temporary files of all units have one limit, in whole pages', () => {
  limitedTo(8 * 4096);
  const take = namedMemory();
  const [one, other] = [0, 1].map((unit) => new TemporaryFiles(take('files', TEMPORARY_FILES_MEMORY), unit));
  expect(one!.grow(0, 4 * 4096 + 1)).toBe(true);
  expect(other!.grow(0, 3 * 4096 + 1)).toBe(false);
  expect(other!.grow(0, 3 * 4096)).toBe(true);
  expect(other!.grow(3 * 4096, 3 * 4096 + 1)).toBe(false);
  expect(one!.grow(4 * 4096 + 1, 5 * 4096)).toBe(true);
  expect(one!.bytes).toBe(8 * 4096);
  other!.shrink(3 * 4096);
  expect(one!.bytes).toBe(5 * 4096);
});

it('a unit that replaces a dead one does not count the files of the dead one', () => {
  const take = namedMemory();
  const [dead, alive] = [0, 0].map((unit) => new TemporaryFiles(take('files', TEMPORARY_FILES_MEMORY), unit));
  dead!.grow(0, 5000);
  alive!.begin();
  expect(alive!.bytes).toBe(0);
});

it('a buffer whose file does not fit fails, and its space is free again', async () => {
  limitedTo(100_000);
  const directory = watchedDirectory();
  const files = new TemporaryFiles(namedMemory()('files', TEMPORARY_FILES_MEMORY), 0);
  const storage = new SpillingStorage({ memoryLimit: 10, limit: 1 << 20, directory: directory.path, files });
  const first = storage.open();
  const second = storage.open();
  await first.write(Buffer.alloc(60_000));
  await expect(second.write(Buffer.alloc(60_000))).rejects.toThrow('100000');
  await second.release();
  await first.release();
  expect(files.bytes).toBe(0);
  const third = storage.open();
  await third.write(Buffer.alloc(60_000));
  await storage.close();
  expect(directory.open()).toBe(0);
});

it('requests get 503 with a log line while the temporary files of the data plane are full', async () => {
  const { bytes: before } = temporaryFileLimit;
  onTestFinished(() => void (temporaryFileLimit.bytes = before));
  const app = await ScriptedBackend.start(eachRequest(() => plainAnswer('ok')));
  onTestFinished(() => app.close());
  const directory = watchedDirectory();
  const storage = { type: 'TemporaryStorage', config: { memoryLimit: 1000, directory: directory.path } };
  const config = { asyncBehavior: 'non_streaming', temporaryStorage: storage };
  const gateway = await serve({ type: 'ReverseProxyHandler', config }, [], { limits: { temporaryFileBytes: 500_000 } });
  const clients = await Promise.all([0, 1, 2].map(() => RawClient.connect(gateway.port)));
  const [first, second, third] = clients;
  const head = `POST / HTTP/1.1\r\nHost: 127.0.0.1:${app.port}\r\nConnection: close\r\nContent-Length: 300000\r\n\r\n`;
  const body = Buffer.alloc(300_000, 'x');
  first!.send(head);
  first!.send(body.subarray(1));
  await untilTrue(() => directory.open() === 1 && gateway.gauges !== null && first!.socket.writableLength === 0);
  second!.send(head);
  second!.send(body);
  expect(await second!.untilClosed()).toMatch(/^HTTP\/1\.1 503 .*"storage-full"/s);
  expect(gateway.logged).toContainEqual(expect.objectContaining({ refusal: 'storage-full' }));
  first!.send('x');
  expect(await first!.untilClosed()).toMatch(/^HTTP\/1\.1 200 /);
  await untilTrue(() => directory.open() === 0);
  third!.send(head);
  third!.send(body);
  expect(await third!.untilClosed()).toMatch(/^HTTP\/1\.1 200 /);
});
