import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { noReach } from '../../../contract/reach.ts';
import { StorageOverflow, type TemporaryBuffer } from '../../../dataplane/heap/objects/temporary-storage.ts';
import { buildObject } from '../../support/gateways/built-object.ts';
import { checkConfigured } from '../../support/gateways/configured-gateway.ts';
import { operatorReach } from '../../support/gateways/operator-reach.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'gatewarden-test-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

async function contentOf(buffer: TemporaryBuffer): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of buffer.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** What the buffers of a storage may take together in memory where nobody says how much one may. */
const SPARE = 16 << 20;

function openFiles(): number {
  return readdirSync('/dev/fd').length;
}

describe('TemporaryStorage', () => {
  it.each([
    ['nothing', 0, 1],
    ['what fits into memory', 1000, 10],
    ['what just fits', 1024, 1],
    ['what does not', 1025, 1],
    ['much', 700_000, 999],
  ])('returns %s unchanged', async (_, length, pieces) => {
    const { object: storage } = buildObject('temporaryStorage', 'TemporaryStorage', {
      memoryLimit: 1024,
      directory: folder(),
    });
    const content = randomBytes(length);
    const buffer = storage.open();
    const step = Math.ceil(length / pieces) || 1;
    for (let at = 0; at < length; at += step) {
      const piece = Buffer.from(content.subarray(at, at + step));
      const written = buffer.write(piece);
      piece.fill(0); // a reader of bodies uses its memory again
      await written;
    }
    expect(buffer.length).toBe(length);
    expect((await contentOf(buffer)).equals(content)).toBe(true);
    await buffer.release();
  });

  it('reads a file in small pieces, because each slow reader holds one', async () => {
    const { object: storage } = buildObject('temporaryStorage', 'TemporaryStorage', {
      memoryLimit: 1024,
      directory: folder(),
    });
    const buffer = storage.open();
    await buffer.write(randomBytes(300_000));
    for await (const piece of buffer.read()) expect(piece.length).toBeLessThanOrEqual(65_536);
    await buffer.release();
  });

  it('keeps the order of writes that were not awaited', async () => {
    const { object: storage } = buildObject('temporaryStorage', 'TemporaryStorage', {
      memoryLimit: 3,
      directory: folder(),
    });
    const buffer = storage.open();
    await Promise.all([...'abcdefgh'].map((letter) => buffer.write(Buffer.from(letter))));
    expect((await contentOf(buffer)).toString()).toBe('abcdefgh');
  });

  it('leaves no name in the directory, and no file once it is released or closed', async () => {
    const directory = folder();
    const { object: storage, close } = buildObject('temporaryStorage', 'TemporaryStorage', {
      memoryLimit: 1,
      directory,
    });
    const before = openFiles();
    const [one, two] = [storage.open(), storage.open()];
    await one.write(Buffer.from('one'));
    await two.write(Buffer.from('two'));
    expect(readdirSync(directory)).toEqual([]);
    expect(openFiles()).toBe(before + 2);
    await one.release();
    await one.release();
    expect(openFiles()).toBe(before + 1);
    await expect(one.write(Buffer.from('more'))).rejects.toThrow('the buffer was released');
    await close();
    expect(openFiles()).toBe(before);
    expect(() => storage.open()).toThrow('the temporary storage is closed');
  });

  it('lends spare memory to the first users until they release it', async () => {
    const { object: storage } = buildObject('temporaryStorage', 'TemporaryStorage', { directory: folder() });
    const before = openFiles();
    const [large, small] = [storage.open(), storage.open()];
    await large.write(Buffer.alloc(65_536 + SPARE, 1));
    await small.write(Buffer.alloc(65_536, 2));
    expect(openFiles()).toBe(before);
    await small.write(Buffer.alloc(1, 2));
    expect(openFiles()).toBe(before + 1);
    await large.write(Buffer.alloc(1, 1));
    expect(openFiles()).toBe(before + 2);
    const third = storage.open();
    await third.write(Buffer.alloc(65_536 + SPARE));
    expect(openFiles()).toBe(before + 2);
    for (const buffer of [large, small, third]) await buffer.release();
    await storage.open().write(Buffer.alloc(65_536 + SPARE));
    expect(openFiles()).toBe(before);
  });

  it.each([
    [{ memoryLimit: 4, fileLimit: 8 }, 8],
    [{ memoryLimit: 8, fileLimit: 4 }, 8],
  ])('refuses more than %j allows', async (limits, limit) => {
    const { object: storage } = buildObject('temporaryStorage', 'TemporaryStorage', { ...limits, directory: folder() });
    const buffer = storage.open();
    await buffer.write(Buffer.alloc(limit, 1));
    await expect(buffer.write(Buffer.alloc(1))).rejects.toThrow(StorageOverflow);
    expect((await contentOf(buffer)).length).toBe(limit);
  });

  it('makes its directory, for itself alone', () => {
    const directory = join(folder(), 'a', 'b');
    buildObject('temporaryStorage', 'TemporaryStorage', { directory });
    expect(statSync(directory).mode & 0o777).toBe(0o700);
  });

  it('cannot be built where its directory cannot be', () => {
    const file = join(folder(), 'file');
    writeFileSync(file, '');
    const directory = join(file, 'a');
    expect(() => buildObject('temporaryStorage', 'TemporaryStorage', { directory })).toThrow(
      `its directory ${directory} cannot be made: ENOTDIR`,
    );
  });

  it('uses the temporary directory of the instance, once it needs a file', async () => {
    const instance = folder();
    const { object: storage } = buildObject(
      'temporaryStorage',
      'TemporaryStorage',
      {},
      operatorReach({}, {}, instance),
    );
    const buffer = storage.open();
    await buffer.write(Buffer.alloc(65_536 + SPARE));
    expect(readdirSync(instance)).toEqual([]);
    await buffer.write(Buffer.alloc(1));
    expect(readdirSync(instance)).toEqual(['tmp']);
  });

  it('rejects a write when there is no room for a file', async () => {
    const file = join(folder(), 'file');
    writeFileSync(file, '');
    const { object: storage, close } = buildObject(
      'temporaryStorage',
      'TemporaryStorage',
      {},
      operatorReach({}, {}, file),
    );
    const buffer = storage.open();
    await expect(buffer.write(Buffer.alloc(65_537 + SPARE))).rejects.toThrow('ENOTDIR');
    await expect(close()).resolves.toBeUndefined();
  });

  const heapWith = (config: object) => JSON.parse(JSON.stringify([{ name: 'x', type: 'TemporaryStorage', config }]));
  const handler = { type: 'StaticResponseHandler', config: { status: 200 } };

  it.each([
    [{ initialLength: 8192 }, 'warning', 'no-effect', 'initialLength'],
    [{ initialLength: 0 }, 'error', 'value', 'initialLength'],
    [{ memoryLimit: 0 }, 'error', 'value', 'memoryLimit'],
    [{ fileLimit: -1 }, 'error', 'value', 'fileLimit'],
    [{ fileLimit: 1.5 }, 'error', 'value', 'fileLimit'],
    [{ directory: 7 }, 'error', 'value', 'directory'],
    [{ limit: 1 }, 'error', 'unknown-field', 'limit'],
  ])('reports for %j: %s', (config, severity, code, field) => {
    expect(checkConfigured({ heap: heapWith(config), handler })).toContainEqual(
      expect.objectContaining({ severity, code, path: ['heap', 0, 'config', field] }),
    );
  });

  it('does not let a tenant set a directory', () => {
    const problems = checkConfigured({ heap: heapWith({ directory: '/tmp' }), handler }, noReach);
    expect(problems).toMatchObject([{ code: 'not-allowed', path: ['heap', 0, 'config', 'directory'] }]);
  });
});
