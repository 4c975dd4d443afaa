import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../../controller/cluster/api/api-error.ts';
import { readWatch, type WatchEvent } from '../../../../controller/cluster/api/watch-stream.ts';
import { systemClock } from '../../../../platform/clock.ts';

async function read(pieces: Iterable<Buffer>, limit = 1000): Promise<{ events: WatchEvent[]; fault: string | null }> {
  const events: WatchEvent[] = [];
  const reading = readWatch({
    stream: Readable.from(pieces),
    clock: systemClock,
    silence: 10_000,
    limit,
    heard: () => {},
    take: (some) => void events.push(...some),
  });
  const fault = await reading.then(
    () => null,
    (error: unknown) => (error instanceof ApiError ? error.reason : String(error)),
  );
  return { events, fault };
}

const event = (text: string): WatchEvent => ({ type: 'ADDED', object: { metadata: {}, spec: { text } } });
const line = (text: string): string => `${JSON.stringify(event(text))}\n`;

describe('a watch is read', () => {
  it('wherever it is cut into pieces', async () => {
    const bytes = Buffer.from(`${line('grün')}\r\n\n${line('€')}`);
    for (let at = 0; at <= bytes.length; at++) {
      const { events, fault } = await read([bytes.subarray(0, at), bytes.subarray(at)]);
      expect({ at, events, fault }).toEqual({ at, events: [event('grün'), event('€')], fault: null });
    }
    const single = [...bytes].map((byte) => Buffer.of(byte));
    expect((await read(single)).events).toEqual([event('grün'), event('€')]);
  });

  it.each<[string, string, string | null]>([
    ['nothing', '', null],
    ['only line breaks', '\n\n', null],
    ['half of an event at the end', line('a') + line('b').slice(0, 20), 'Malformed'],
    ['an event without a line break at the end', line('a') + line('b').trim(), 'Malformed'],
    ['a line that is not JSON', `${line('a')}{"type":\n${line('b')}`, 'Malformed'],
    ['a line that is not an object', `${line('a')}"ADDED"\n`, 'Malformed'],
    ['null', `${line('a')}null\n`, 'Malformed'],
    ['a type that is not a text', `${line('a')}{"type":1,"object":{}}\n`, 'Malformed'],
    ['an event without an object', `${line('a')}{"type":"ADDED"}\n`, 'Malformed'],
    ['a long event', line('a') + line('b'.repeat(1000)), 'TooLong'],
    ['a long beginning of an event', line('a') + line('b'.repeat(1000)).slice(0, 1010), 'TooLong'],
  ])('up to the invalid part: %s', async (_, text, reason) => {
    const { events, fault } = await read([Buffer.from(text)]);
    expect(fault).toBe(reason);
    expect(events).toEqual(text.startsWith('{') ? [event('a')] : []);
  });

  it('without quoting the invalid part', async () => {
    const reading = readWatch({
      stream: Readable.from([Buffer.from('{"object":{"data":{"password":"aHVudGVyMg=="\n')]),
      clock: systemClock,
      silence: 10_000,
      heard: () => {},
      take: () => {},
    });
    await expect(reading).rejects.toSatisfy((error: Error) => !`${error.stack}${error.cause}`.includes('aHV'));
  });
});
