import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { type AuditEvent, WrittenEvent } from '../../../../dataplane/audit/writer/audit-event.ts';
import type { AuditHandlerSettings } from '../../../../dataplane/audit/writer/audit-orders.ts';
import { type RefusedEvent, Undelivered } from '../../../../dataplane/audit/writer/audit-sink.ts';
import { Delivery } from '../../../../dataplane/audit/writer/delivery.ts';
import { type DropReason, HandlerAccounts } from '../../../../dataplane/audit/writer/handler-accounts.ts';
import { handlerSettings } from '../../../support/audit/audit-unit.ts';

const PROCESS = fileURLToPath(new URL('../../../support/audit/spooling-process.ts', import.meta.url));
const folders: string[] = [];
const open: Delivery[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((delivery) => delivery.close(0)));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'gatewarden-spool-'));
  folders.push(made);
  return made;
}

/** What a descriptor of this process leads to; empty for the one that lists them, which is gone. */
function linkOf(descriptor: string): string {
  try {
    return readlinkSync(join('/proc/self/fd', descriptor));
  } catch {
    return '';
  }
}

type Answer = (batch: readonly AuditEvent[]) => readonly RefusedEvent[];

/** A delivery to a destination that answers as told. */
function delivering(settings: Partial<AuditHandlerSettings>, answer: Answer = () => [], spoolPatience = 60_000) {
  const accounts = new HandlerAccounts();
  const delivered: string[] = [];
  const batches: number[] = [];
  const told = { answer, refuses: [] as boolean[] };
  const delivery = new Delivery({
    settings: handlerSettings(settings),
    service: 'main',
    accounts,
    log: pino({ level: 'silent' }),
    openSink: () => ({
      batch: { events: 4, bytes: 1 << 20 },
      async deliver(batch) {
        batches.push(batch.length);
        const refused = told.answer(batch);
        const out = new Set(refused.map(({ at }) => at));
        delivered.push(...batch.filter((_, at) => !out.has(at)).map(({ id }) => id));
        return refused;
      },
      async close() {},
    }),
    refuse: (refuses) => void told.refuses.push(refuses),
    backOff: { first: 1, longest: 5, jitter: 0 },
    spoolPatience,
  });
  open.push(delivery);
  return { delivery, accounts, delivered, batches, told };
}

const down: Answer = () => {
  throw new Undelivered({ delivered: 0, message: 'down' });
};

function offer(delivery: Delivery, from: number, to: number): void {
  for (let n = from; n <= to; n++) delivery.offer(new WrittenEvent('access', Buffer.from(`{"_id":"${n}"}`)));
  delivery.flush();
}

const names = (from: number, to: number): string[] => Array.from({ length: to - from + 1 }, (_, at) => `${from + at}`);
const dropped = (accounts: HandlerAccounts, reason: DropReason): number => accounts.dropped(reason);

describe('the delivery of a handler', () => {
  it('delivers in order and in batches within the limit of the sink', async () => {
    const { delivery, delivered, batches, accounts } = delivering({});
    offer(delivery, 1, 10);
    await delivery.drain(60_000);

    expect(delivered).toEqual(names(1, 10));
    expect(Math.max(...batches)).toBe(4);
    expect(accounts).toMatchObject({ emitted: 10, delivered: 10, waiting: 0 });
  });

  it('delivers again only the events after those that were safe', async () => {
    const { delivery, delivered, told, accounts } = delivering({}, (batch) => {
      told.answer = () => [];
      delivered.push(...batch.slice(0, 2).map(({ id }) => id));
      throw new Undelivered({ delivered: 2, message: 'reset' });
    });
    offer(delivery, 1, 4);
    await delivery.drain(60_000);

    expect(delivered).toEqual(names(1, 4));
    expect(accounts).toMatchObject({ emitted: 4, delivered: 4 });
  });

  it('counts refused events as dropped and does not deliver them again', async () => {
    const { delivery, delivered, accounts } = delivering({}, (batch) =>
      batch.flatMap(({ id }, at) => (id === '2' ? [{ at, reason: 'too old' }] : [])),
    );
    offer(delivery, 1, 3);
    await delivery.drain(60_000);

    expect(delivered).toEqual(['1', '3']);
    expect(accounts).toMatchObject({ emitted: 3, delivered: 2, waiting: 0 });
    expect(dropped(accounts, 'refused')).toBe(1);
  });

  it('drops the newest events when its queue is full, and delivers the others once the destination is back', async () => {
    const { delivery, delivered, told, accounts } = delivering({ queue: { maxEvents: 5, maxBytes: 1 << 20 } }, down);
    offer(delivery, 1, 8);
    expect(accounts).toMatchObject({ emitted: 8, waiting: 5 });
    told.answer = () => [];
    await delivery.drain(60_000);

    expect(delivered).toEqual(names(1, 5));
    expect(dropped(accounts, 'queue-full')).toBe(3);
    expect(told.refuses).toEqual([]);
  });

  it('refuses traffic before its queue is full, and accepts it once there is much room', async () => {
    const queue = { maxEvents: 10, maxBytes: 1 << 20 };
    const { delivery, told } = delivering({ queue, whenFull: 'REFUSE_TRAFFIC' }, down);
    offer(delivery, 1, 8);
    expect(told.refuses).toEqual([]);
    offer(delivery, 9, 9);
    expect(told.refuses).toEqual([true]);
    told.answer = () => [];
    await delivery.drain(60_000);

    expect(told.refuses).toEqual([true, false]);
  });

  it('holds few files of a large spool open, and delivers all of it', async () => {
    const directory = folder();
    const files = (): number =>
      readdirSync('/proc/self/fd').filter((fd) => {
        const target = linkOf(fd);
        return target.startsWith(directory) && target.endsWith('.spool');
      }).length;
    const spool = { directory, maxSize: 64 << 20 };
    const { delivery, told, accounts } = delivering({ queue: { maxEvents: 5, maxBytes: 1 << 20 }, spool }, down);
    const text = 'x'.repeat(60_000);
    const count = 600;
    for (let n = 1; n <= count; n++) {
      delivery.offer(new WrittenEvent('access', Buffer.from(`{"text":"${text}","_id":"${n}"}`)));
    }
    delivery.flush();
    expect(readdirSync(directory).filter((name) => name.endsWith('.spool')).length).toBeGreaterThan(3);
    expect(files()).toBeLessThanOrEqual(2);
    told.answer = () => [];
    await delivery.drain(60_000);
    expect(accounts).toMatchObject({ emitted: count, delivered: count, waiting: 0 });
  });

  it('keeps events in its spool when the queue is full and delivers all of them in order', async () => {
    const spool = { directory: folder(), maxSize: 1 << 20 };
    const { delivery, delivered, told, accounts } = delivering(
      { queue: { maxEvents: 5, maxBytes: 1 << 20 }, spool },
      down,
    );
    offer(delivery, 1, 100);
    offer(delivery, 101, 150);
    expect(accounts).toMatchObject({ emitted: 150, waiting: 150 });
    told.answer = () => [];
    await delivery.drain(60_000);
    offer(delivery, 151, 152);
    await delivery.drain(60_000);

    expect(delivered).toEqual(names(1, 152));
    expect(accounts).toMatchObject({ emitted: 152, delivered: 152, waiting: 0 });
    expect(readdirSync(spool.directory).filter((name) => name.endsWith('.spool'))).toEqual([]);
  });

  it('leaves events in its spool at a stop, and the next one goes on with them and with the accounts', async () => {
    const spool = { directory: folder(), maxSize: 1 << 20 };
    const first = delivering({ spool }, down);
    offer(first.delivery, 1, 20);
    await first.delivery.close(1000);
    expect(first.accounts).toMatchObject({ emitted: 20, waiting: 20 });

    const second = delivering({ spool });
    offer(second.delivery, 21, 22);
    await second.delivery.drain(60_000);

    expect(second.delivered).toEqual(names(1, 22));
    expect(second.accounts).toMatchObject({ emitted: 22, delivered: 22, droppedInAll: 0 });
  });

  it('goes on with a spool of many segments after a stop, in order', async () => {
    const spool = { directory: folder(), maxSize: 64 << 10 };
    const first = delivering({ spool, queue: { maxEvents: 2, maxBytes: 1 << 20 } }, down);
    offer(first.delivery, 1, 1000);
    await first.delivery.close(1000);
    const segments = readdirSync(spool.directory).filter((name) => name.endsWith('.spool'));
    expect(segments.filter((name) => /^\d{8}-\d+-\d+\.spool$/.test(name)).length).toBe(segments.length - 1);
    expect(segments.length).toBeGreaterThan(1);

    const second = delivering({ spool });
    await second.delivery.drain(60_000);
    expect(second.delivered).toEqual(names(1, 1000));
    expect(second.accounts).toMatchObject({ emitted: 1000, delivered: 1000, droppedInAll: 0 });
  });

  it.each([
    ['what its spool holds', 50, 0],
    ['how many events were in memory only', 3, 3],
  ])('knows after a SIGKILL %s', async (_what, events, lost) => {
    const directory = folder();
    const killed = spawn(process.execPath, [PROCESS, directory, `${events}`], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(killed.stdout, 'data');
    killed.kill('SIGKILL');
    await once(killed, 'exit');

    const { delivery, delivered, accounts } = delivering({ spool: { directory, maxSize: 1 << 20 } });
    await delivery.drain(60_000);

    expect(delivered).toEqual(names(1, events - lost));
    expect(accounts).toMatchObject({ emitted: events, delivered: events - lost, waiting: 0 });
    expect(dropped(accounts, 'process-killed')).toBe(lost);
  });

  it('cuts off a record that is not whole and delivers those before it', async () => {
    const spool = { directory: folder(), maxSize: 1 << 20 };
    const first = delivering({ spool }, down);
    offer(first.delivery, 1, 5);
    await first.delivery.close(1000);
    const [segment] = readdirSync(spool.directory).filter((name) => name.endsWith('.spool'));
    appendFileSync(join(spool.directory, segment!), Buffer.from([200, 0, 0, 0, 1, 2, 3, 4, 5]));

    const second = delivering({ spool });
    offer(second.delivery, 6, 6);
    await second.delivery.drain(60_000);

    expect(second.delivered).toEqual(names(1, 6));
    expect(second.accounts).toMatchObject({ emitted: 6, delivered: 6 });
  });

  it('drops and counts events when its spool is full, and never uses more disk than allowed', async () => {
    const spool = { directory: folder(), maxSize: 4096 };
    const { delivery, delivered, told, accounts } = delivering(
      { queue: { maxEvents: 2, maxBytes: 1 << 20 }, spool },
      down,
    );
    offer(delivery, 1, 500);
    const kept = accounts.waiting;
    expect(kept).toBeLessThan(200);
    expect(dropped(accounts, 'spool-full')).toBe(500 - kept);
    told.answer = () => [];
    await delivery.drain(60_000);

    expect(delivered).toEqual(names(1, kept));
    expect(accounts).toMatchObject({ emitted: 500, delivered: kept, waiting: 0 });
  });

  it('does not share a spool: the second keeps its events in memory', async () => {
    const spool = { directory: folder(), maxSize: 1 << 20 };
    const queue = { maxEvents: 2, maxBytes: 1 << 20 };
    const first = delivering({ spool, queue }, down);
    const second = delivering({ spool, queue }, down, 0);
    offer(first.delivery, 1, 10);
    offer(second.delivery, 1, 10);

    expect(first.accounts).toMatchObject({ waiting: 10 });
    expect(second.accounts).toMatchObject({ waiting: 2, droppedInAll: 8 });
  });

  it('delivers nothing while another one has its spool, and then what that left before its own', async () => {
    const spool = { directory: folder(), maxSize: 1 << 20 };
    const first = delivering({ spool }, down);
    offer(first.delivery, 1, 10);
    const second = delivering({ spool, queue: { maxEvents: 2, maxBytes: 1 << 20 } });
    offer(second.delivery, 11, 20);
    await first.delivery.drain(60_000); // ends at once: its events are left to the second
    expect(second.batches).toEqual([]);
    expect(second.accounts).toMatchObject({ waiting: 10, droppedInAll: 0 });
    await first.delivery.close(60_000);
    await second.delivery.drain(60_000);

    expect(second.delivered).toEqual(names(1, 20));
    expect(second.accounts).toMatchObject({ emitted: 20, delivered: 20, waiting: 0, droppedInAll: 0 });
  });

  it('delivers without its spool when another one keeps that, and takes it over once it is free', async () => {
    const spool = { directory: folder(), maxSize: 1 << 20 };
    const first = delivering({ spool }, down);
    offer(first.delivery, 1, 3);
    const second = delivering({ spool }, () => [], 1);
    offer(second.delivery, 4, 5);
    await expect.poll(() => second.delivered).toEqual(['4', '5']);
    await first.delivery.close(60_000);
    await expect.poll(() => second.delivered).toEqual(['4', '5', '1', '2', '3']);

    expect(second.accounts).toMatchObject({ emitted: 5, delivered: 5, waiting: 0, droppedInAll: 0 });
  });

  it('goes on in memory when the directory of its spool cannot be written', async () => {
    const file = join(folder(), 'file');
    writeFileSync(file, '');
    const directory = join(file, 'spool');
    const queue = { maxEvents: 2, maxBytes: 1 << 20 };
    const { delivery, delivered, told } = delivering({ spool: { directory, maxSize: 1 << 20 }, queue }, down);
    offer(delivery, 1, 3);
    told.answer = () => [];
    await delivery.drain(60_000);

    expect(delivered).toEqual(['1', '2']);
  });
});
