import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { MOST_EVENT_BYTES, ringMemory } from '../../../../dataplane/audit/link/ring-layout.ts';
import { RingProducer } from '../../../../dataplane/audit/link/ring-producer.ts';
import { RingConsumer } from '../../../../dataplane/audit/writer/ring-consumer.ts';
import { fillerEvent, type RingFilling } from '../../../support/audit/ring-filler.ts';

const SEED = 2_654_435;
const FILLER = new URL('../../../support/audit/ring-filler.ts', import.meta.url);

interface Read {
  readonly service: number;
  readonly topic: number;
  readonly json: string;
}

function readAll(ring: RingConsumer, most = Number.POSITIVE_INFINITY): Read[] {
  const found: Read[] = [];
  ring.read((service, topic, bytes, start, end) => {
    found.push({ service, topic, json: bytes.toString('utf8', start, end) });
    return true;
  }, most);
  return found;
}

/** Reads until so many records came, sleeping when there are none. */
async function readRecords(ring: RingConsumer, count: number): Promise<Read[]> {
  const found: Read[] = [];
  while (found.length < count) {
    found.push(...readAll(ring));
    if (found.length < count) await ring.sleep();
  }
  return found;
}

function filler(filling: RingFilling): Worker {
  return new Worker(FILLER, { workerData: filling });
}

function expected(count: number): Read[] {
  return Array.from({ length: count }, (_, n) => ({ service: n % 7, topic: n % 3, json: fillerEvent(n, SEED) }));
}

describe('the ring between a unit and the audit writer', () => {
  it('carries records of all sizes between two threads, in order and unchanged, over many rounds', async () => {
    const memory = ringMemory(64 << 10);
    const worker = filler({ memory, events: 5000, seed: SEED });
    const reported = once(worker, 'message') as Promise<[{ timesFull: number }]>;

    const found = await readRecords(new RingConsumer(memory), 5000);

    expect(found).toEqual(expected(5000));
    await reported;
    await worker.terminate();
  });

  it('holds a whole record or none when the thread that writes is ended', async () => {
    const memory = ringMemory(64 << 10);
    const ring = new RingConsumer(memory);
    const worker = filler({ memory, seed: SEED });
    const found = await readRecords(ring, 200);

    await worker.terminate();
    found.push(...readAll(ring));

    expect(found).toEqual(expected(found.length));
    expect(ring.isEmpty).toBe(true);
  });

  it('refuses a record for which there is no room, and takes it when the reader made some', () => {
    const memory = ringMemory(4096);
    const producer = new RingProducer(memory);
    const consumer = new RingConsumer(memory);
    const event = JSON.stringify('e'.repeat(500));
    let count = 0;
    while (producer.write(1, 0, event) === 'written') count++;

    expect(count).toBe(7);
    expect(readAll(consumer, 2)).toHaveLength(2);
    expect(producer.write(1, 0, event)).toBe('written');
    expect(readAll(consumer)).toHaveLength(6);
    expect(consumer.isEmpty).toBe(true);
  });

  it('keeps every record whole at every place of the ring', () => {
    const memory = ringMemory(1024);
    const producer = new RingProducer(memory);
    const consumer = new RingConsumer(memory);
    for (let round = 0; round < 3000; round++) {
      const json = 'ü'.repeat(round % 120);
      expect(producer.write(round, 0, json)).toBe('written');
      expect(readAll(consumer)).toEqual([{ service: round, topic: 0, json }]);
    }
  });

  it('refuses an event that is larger than the limit, counted in bytes', () => {
    const producer = new RingProducer(ringMemory());

    expect(producer.write(1, 0, 'a'.repeat(MOST_EVENT_BYTES))).toBe('written');
    expect(producer.write(1, 0, 'a'.repeat(MOST_EVENT_BYTES + 1))).toBe('too-large');
    expect(producer.write(1, 0, 'ü'.repeat(MOST_EVENT_BYTES / 2))).toBe('written');
    expect(producer.write(1, 0, 'ü'.repeat(MOST_EVENT_BYTES / 2 + 1))).toBe('too-large');
  });

  it('gives a record again that the reader did not take', () => {
    const memory = ringMemory(4096);
    new RingProducer(memory).write(3, 1, '{}');
    const consumer = new RingConsumer(memory);

    expect(consumer.read(() => false, 10)).toBe(0);
    expect(readAll(consumer)).toEqual([{ service: 3, topic: 1, json: '{}' }]);
  });

  it('ends the sleep of its reader without a record when it is told to', async () => {
    const consumer = new RingConsumer(ringMemory(4096));
    const slept = consumer.sleep();
    consumer.wake();

    await slept;
    expect(consumer.isEmpty).toBe(true);
  });

  it('begins anew when it is empty, so that a ring that is read in time uses little of its memory', () => {
    const memory = ringMemory(1 << 20);
    const producer = new RingProducer(memory);
    const consumer = new RingConsumer(memory);
    for (let round = 0; round < 500; round++) {
      for (let n = 0; n < 10; n++) producer.write(1, 0, `event ${round} ${n} ${'e'.repeat(1000)}`);
      expect(readAll(consumer).map(({ json }) => json.slice(0, 15).trim())).toEqual(
        Array.from({ length: 10 }, (_, n) => `event ${round} ${n} ${'e'.repeat(1000)}`.slice(0, 15).trim()),
      );
    }
    expect(Buffer.from(memory).lastIndexOf('e')).toBeLessThan(120 << 10);
  });

  it('lets a reader linger until much waits for it, so that records come in batches', async () => {
    const memory = ringMemory(64 << 10);
    const producer = new RingProducer(memory);
    const consumer = new RingConsumer(memory);
    const event = 'e'.repeat(1000);
    let isOver = false;
    const lingered = consumer.linger(600_000).then(() => {
      isOver = true;
    });
    for (let count = 0; count < 15; count++) producer.write(1, 0, event);
    await new Promise((resolve) => setImmediate(resolve));
    expect(isOver).toBe(false);
    for (let count = 0; count < 5; count++) producer.write(1, 0, event);

    await lingered;
    expect(readAll(consumer)).toHaveLength(20);
  });

  it('ends the time of a reader that lingers, also without a record', async () => {
    const consumer = new RingConsumer(ringMemory(4096));
    await consumer.linger(1);
    const lingered = consumer.linger(600_000);
    consumer.wake();
    await lingered;
    expect(consumer.isEmpty).toBe(true);
  });
});
