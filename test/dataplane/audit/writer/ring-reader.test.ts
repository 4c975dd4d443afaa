import { afterEach, describe, expect, it } from 'vitest';
import { RING, ringMemory } from '../../../../dataplane/audit/link/ring-layout.ts';
import { RingProducer } from '../../../../dataplane/audit/link/ring-producer.ts';
import { RingReader } from '../../../../dataplane/audit/writer/ring-reader.ts';

let reader: RingReader | undefined;

afterEach(() => reader?.close());

/** A reader whose taker throws for the text `bad`, or whose owner throws after the text `sour`. */
function reading(memory: SharedArrayBuffer) {
  const taken: string[] = [];
  const failures: [string, number][] = [];
  reader = new RingReader(memory, {
    take(_service, _topic, bytes, start, end) {
      const text = bytes.toString('utf8', start, end);
      if (text === 'bad') throw new Error('bad');
      taken.push(text);
      return true;
    },
    taken() {
      if (taken.at(-1) === 'sour') throw new Error('sour');
    },
    unwritten() {},
    failed: (error, skipped) => void failures.push([(error as Error).message, skipped]),
  });
  reader.start();
  return { taken, failures };
}

describe('the reader of a ring', () => {
  it('skips a record that cannot be taken and goes on with the next', async () => {
    const memory = ringMemory(4096);
    const producer = new RingProducer(memory);
    for (const text of ['one', 'bad', 'two']) producer.write(1, 0, text);
    const { taken, failures } = reading(memory);

    await expect.poll(() => taken).toEqual(['one', 'two']);
    producer.write(1, 0, 'three');
    await expect.poll(() => taken).toEqual(['one', 'two', 'three']);
    expect(failures).toEqual([['bad', 1]]);
  });

  it('goes on when what follows the reading fails', async () => {
    const memory = ringMemory(4096);
    const producer = new RingProducer(memory);
    const { taken, failures } = reading(memory);
    producer.write(1, 0, 'sour');
    await expect.poll(() => failures).toEqual([['sour', 0]]);
    producer.write(1, 0, 'sweet');
    await expect.poll(() => taken).toEqual(['sour', 'sweet']);
  });

  it('skips a ring that is damaged and reads what the unit writes after it', async () => {
    const memory = ringMemory(4096);
    const producer = new RingProducer(memory);
    producer.write(1, 0, 'lost');
    new Int32Array(memory)[RING.words] = 1 << 30;
    const { taken, failures } = reading(memory);

    await expect.poll(() => failures.map(([message]) => message)).toEqual([expect.stringContaining('damaged')]);
    producer.write(1, 0, 'next');
    await expect.poll(() => taken).toEqual(['next']);
  });
});
