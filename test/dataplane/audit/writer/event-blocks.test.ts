import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AuditEvent } from '../../../../dataplane/audit/writer/audit-event.ts';
import type { AuditSink } from '../../../../dataplane/audit/writer/audit-sink.ts';
import { EventBlocks } from '../../../../dataplane/audit/writer/event-blocks.ts';
import { HandlerAccounts } from '../../../../dataplane/audit/writer/handler-accounts.ts';
import { Overflow } from '../../../../dataplane/audit/writer/overflow.ts';
import { QueueBudget } from '../../../../dataplane/audit/writer/queue-budget.ts';
import { WrittenService } from '../../../../dataplane/audit/writer/written-service.ts';
import { handlerSettings } from '../../../support/audit/audit-unit.ts';

/** Events of many sizes; some are larger than any block. */
const texts = Array.from({ length: 300 }, (_, n) => {
  const size = n % 97 === 96 ? 100_000 : n * 7;
  return JSON.stringify({ text: 'ü'.repeat(size), _id: `${n}` });
});

/** A copy of each, as a ring hands them out: in memory that is used again. */
function keptIn(blocks: EventBlocks, all: readonly string[]) {
  const ring = Buffer.alloc(300_000);
  return all.map((text) => {
    const start = 16;
    const end = start + ring.write(text, start);
    const event = blocks.keep(ring, start, end);
    ring.fill(0);
    return event;
  });
}

describe('blocks of events', () => {
  it('keep every event as it was, whatever its size, and whatever follows it', () => {
    const events = keptIn(new EventBlocks('access'), texts);

    expect(events.map(({ json }) => json)).toEqual(texts);
    expect(events.map(({ id }) => id)).toEqual(texts.map((_, n) => `${n}`));
    expect(events.map(({ bytes }) => bytes.toString())).toEqual(texts);
    expect(events.map(({ size }) => size)).toEqual(texts.map((text) => Buffer.byteLength(text)));
  });

  it('are shared by events that follow each other', () => {
    const events = keptIn(new EventBlocks('access'), texts.slice(0, 20));
    const memory = new Set(events.map(({ bytes }) => bytes.buffer));

    expect(memory.size).toBeLessThan(10);
  });

  it('are used again once nobody has their events', () => {
    const blocks = new EventBlocks('access');
    const memory = (): Set<ArrayBufferLike> =>
      new Set(keptIn(blocks, texts.slice(0, 60)).map(({ bytes }) => bytes.buffer));
    const first = memory();
    blocks.reset();
    const second = memory();

    expect(second.isSubsetOf(first)).toBe(true);
    blocks.reset();
    expect(keptIn(blocks, texts).map(({ json }) => json)).toEqual(texts);
  });

  it('are not used again while a handler has events, whoever delivered them already', async () => {
    const batches: AuditEvent[][] = [];
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const sink = (isSlow: boolean): AuditSink => ({
      batch: { events: 100, bytes: 1 << 20 },
      async deliver(batch) {
        if (!isSlow) return [];
        batches.push([...batch]);
        await held;
        return [];
      },
      async close() {},
    });
    const handlers = ['fast', 'slow'].map((name) => handlerSettings({ name }));
    const service = new WrittenService({
      settings: { identity: 'main', name: 'main', realm: '', topics: ['access'], handlers, queryHandler: null },
      log: pino({ level: 'silent' }),
      accounts: () => new HandlerAccounts(),
      openSink: ({ name }) => sink(name === 'slow'),
      budget: new QueueBudget(),
      spoolOpened() {},
    });
    const offer = (text: string): void => {
      const bytes = Buffer.from(text);
      service.offer(0, bytes, 0, bytes.length);
      service.flush();
    };
    offer('{"_id":"first"}');
    await expect.poll(() => service.deliveries.map(({ isIdle }) => isIdle)).toEqual([true, false]);
    await expect.poll(() => batches.length).toBe(1);
    for (const n of [2, 3, 4]) offer(`{"_id":"later ${n}"}`);

    expect(batches[0]!.map(({ json }) => json)).toEqual(['{"_id":"first"}']);
    release();
    await expect.poll(() => batches.flat().map(({ bytes }) => bytes.toString())).toHaveLength(4);
    await service.close(1000, () => {});
  });

  it('are not held by the events of a queue that is more than half full', () => {
    const settings = { queue: { maxEvents: 10, maxBytes: 1 << 20 }, spool: null, whenFull: 'DROP' as const };
    const log = pino({ level: 'silent' });
    const held = new Overflow({ settings, accounts: new HandlerAccounts(), log, refuse() {} });
    const events = keptIn(new EventBlocks('access'), texts.slice(0, 10));
    for (const event of events) held.add(event);
    const queued = held.batch({ events: 10, bytes: 1 << 20 });

    expect(queued.map(({ json }) => json)).toEqual(texts.slice(0, 10));
    expect(queued.map((event, at) => event === events[at])).toEqual([...Array(5).fill(true), ...Array(5).fill(false)]);
  });

  it('are kept in a bounded number however many events come before they are used again', () => {
    const blocks = new EventBlocks('access');
    const text = JSON.stringify({ text: 'x'.repeat(1500) });
    for (let round = 0; round < 3; round++) {
      const events = keptIn(blocks, Array(2000).fill(text));
      expect(blocks.kept).toBeLessThanOrEqual(32);
      expect(new Set(events.map(({ json }) => json))).toEqual(new Set([text]));
      blocks.reset();
    }
  });

  it.each([
    ['dropped', null],
    ['spooled', 64 << 20],
  ])('hold no events that were %s while a destination is away', async (_, maxSize) => {
    const directory = mkdtempSync(join(tmpdir(), 'gatewarden-blocks-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const { promise: away, resolve: back } = Promise.withResolvers<void>();
    const delivered: string[] = [];
    const accounts = new HandlerAccounts();
    const handler = handlerSettings({
      queue: { maxEvents: 10, maxBytes: 1 << 20 },
      spool: maxSize === null ? null : { directory, maxSize },
    });
    const service = new WrittenService({
      settings: { identity: 'a', name: 'a', realm: '', topics: ['access'], handlers: [handler], queryHandler: null },
      log: pino({ level: 'silent' }),
      accounts: () => accounts,
      openSink: () => ({
        batch: { events: 100, bytes: 1 << 20 },
        async deliver(batch) {
          await away;
          delivered.push(...batch.map(({ id }) => id));
          return [];
        },
        async close() {},
      }),
      budget: new QueueBudget(),
      spoolOpened() {},
    });
    const count = 20_000;
    for (let n = 0; n < count; n++) {
      const bytes = Buffer.from(JSON.stringify({ text: 'x'.repeat(1000), _id: `${n}` }));
      service.offer(0, bytes, 0, bytes.length);
      if (n % 100 === 99) service.flush();
    }
    expect(service.keptBlocks).toBeLessThan(10);

    back();
    const expected = maxSize === null ? 10 : count;
    await expect.poll(() => accounts.delivered, { timeout: 60_000 }).toBe(expected);
    expect(delivered).toEqual(Array.from({ length: expected }, (_, n) => `${n}`));
    expect(accounts).toMatchObject({ emitted: count, droppedInAll: count - expected, waiting: 0 });
    await service.close(1000, () => {});
  });
});
