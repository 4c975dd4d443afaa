import type { FieldSink, HpackDecoder } from '../../../dataplane/engine/frames/hpack-decoder.ts';

/** A header field. */
export type Field = readonly [name: string, value: string];

/** Decodes a block. @returns its fields, or null when it is malformed. */
export function fieldsOf(decoder: HpackDecoder, block: Buffer): Field[] | null {
  const fields: Field[] = [];
  const sink: FieldSink = {
    field(bytes, start, nameLength, end) {
      const line = bytes.latin1Slice(start, end);
      if (line.slice(nameLength, nameLength + 2) !== ': ' || !line.endsWith('\r\n')) throw new Error('not a line');
      fields.push([line.slice(0, nameLength), line.slice(nameLength + 2, -2)]);
    },
  };
  return decoder.decode(block, 0, block.length, sink) ? fields : null;
}

/** A block with fields as plain literals that enter the table. */
export function blockOf(...fields: Field[]): Buffer {
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.from([0x40]), textOf(name), textOf(value)]));
}

function textOf(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  const length = bytes.length;
  if (length < 127) return Buffer.concat([Buffer.from([length]), bytes]);
  const rest = length - 127;
  const digits = [127];
  let left = rest;
  while (left >= 128) {
    digits.push((left & 127) | 128);
    left >>= 7;
  }
  digits.push(left);
  return Buffer.concat([Buffer.from(digits), bytes]);
}
