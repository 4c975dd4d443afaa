import { describe, expect, it } from 'vitest';
import { EncodedLines } from '../../../../dataplane/engine/frames/encoded-lines.ts';
import { HpackDecoder, INITIAL_TABLE_SIZE } from '../../../../dataplane/engine/frames/hpack-decoder.ts';
import { HpackEncoder } from '../../../../dataplane/engine/frames/hpack-encoder.ts';
import { fieldsOf } from '../../../support/clients/hpack-blocks.ts';

const out = Buffer.alloc(65_536);
const texts = [
  'X-Forwarded-For: 192.0.2.1\r\nVia: 1.1 a\r\n\r\n',
  'X-Forwarded-For: 192.0.2.2\r\nVia: 1.1 a\r\n\r\n',
].map((text) => Buffer.from(text));

/** Encodes blocks with one table and decodes them with another. */
function pair() {
  const encoder = new HpackEncoder();
  const decoder = new HpackDecoder(INITIAL_TABLE_SIZE);
  const lines = new EncodedLines();
  return {
    encoder,
    send(text: Buffer, ...others: (readonly [string, string])[]): number {
      let at = encoder.begin(out, 0);
      for (const [name, value] of others) at = encoder.text(out, at, name, value);
      const end = lines.write(encoder, out, at, text);
      const expected = [...others, ...fieldsIn(text)];
      expect(fieldsOf(decoder, Buffer.from(out.subarray(0, end)))).toEqual(expected);
      return end - at;
    },
  };
}

function fieldsIn(text: Buffer): [string, string][] {
  const lines = text.toString().split('\r\n').filter(Boolean);
  return lines.map((line) => [line.split(': ')[0]!.toLowerCase(), line.split(': ')[1]!]);
}

describe('lines that are sent again and again', () => {
  it('become an index each', () => {
    const { send } = pair();
    const lengths = Array.from({ length: 6 }, () => send(texts[0]!));
    expect(lengths[0]).toBeGreaterThan(20);
    expect(lengths.slice(2)).toEqual([2, 2, 2, 2]);
  });

  it('stay valid when the table changes', () => {
    const { send, encoder } = pair();
    for (let i = 0; i < 2000; i++) {
      send(texts[i % 2]!, ['x-a', String(i % 7)], ['x-b', 'b'.repeat(i % 40)]);
      if (i % 300 === 299) encoder.tableSize(i % 600 === 299 ? 100 : 4096);
    }
    encoder.tableSize(0);
    for (const text of texts) send(text);
  });
});

describe('fields of every message', () => {
  it('do not evict each other from the table', () => {
    const encoder = new HpackEncoder();
    const fields = Array.from({ length: 24 }, (_, i) => [`x-field-${i}`, `value ${i}`] as const);
    const block = (): number => {
      let at = encoder.begin(out, 0);
      for (const [name, value] of fields) at = encoder.text(out, at, name, value);
      return at;
    };
    for (let i = 0; i < 50; i++) block();
    const { generation } = encoder;
    for (let i = 0; i < 50; i++) block();
    expect(encoder.generation).toBe(generation);
  });
});
