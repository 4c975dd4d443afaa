import { type FrameReader, MalformedFrame } from './frame-reader.ts';
import { FrameWriter } from './frame-writer.ts';
import { modifiedUtf8 } from './modified-utf8.ts';

/** Values of a map: whole numbers are of 32 bits, and bigints of 64. */
export type Primitive = boolean | number | bigint | string | null;

/** Tags of values. */
const TAG = { null: 0, flag: 1, byte: 2, char: 3, short: 4, int: 5, long: 6, text: 9, longText: 13 } as const;
/** Bytes of a text from which on its length has four bytes. */
const LONG_TEXT = 8191;
/** More than any broker says. */
const MOST_ENTRIES = 1000;

/** Writes a map with names as keys, such as the properties of a message. */
export function writePrimitives(entries: Readonly<Record<string, Primitive>>): Buffer {
  const writer = new FrameWriter(0);
  const names = Object.keys(entries);
  writer.int(names.length);
  for (const name of names) writePrimitive(writer.plainText(name), entries[name]!);
  return writer.content();
}

function writePrimitive(writer: FrameWriter, value: Primitive): void {
  if (value === null) writer.byte(TAG.null);
  else if (typeof value === 'boolean') writer.byte(TAG.flag).flag(value);
  else if (typeof value === 'number') writer.byte(TAG.int).int(value);
  else if (typeof value === 'bigint') writer.byte(TAG.long).long(value);
  else {
    const bytes = modifiedUtf8(value);
    if (bytes.length < LONG_TEXT) writer.byte(TAG.text).plainText(value);
    else writer.byte(TAG.longText).int(bytes.length).raw(bytes);
  }
}

/** Reads such a map. @throws MalformedFrame for values that no broker says in its greeting */
export function readPrimitives(reader: FrameReader): ReadonlyMap<string, Primitive> {
  const count = reader.int();
  if (count < 0 || count > MOST_ENTRIES) throw new MalformedFrame(`a map has ${count} entries`);
  const entries = new Map<string, Primitive>();
  for (let left = count; left > 0; left--) entries.set(reader.plainText(), readPrimitive(reader));
  return entries;
}

function readPrimitive(reader: FrameReader): Primitive {
  const tag = reader.byte();
  switch (tag) {
    case TAG.null:
      return null;
    case TAG.flag:
      return reader.flag();
    case TAG.byte:
      return reader.byte();
    case TAG.char:
    case TAG.short:
      return reader.short();
    case TAG.int:
      return reader.int();
    case TAG.long:
      return reader.long();
    case TAG.text:
      return reader.plainText();
    case TAG.longText:
      return reader.raw(reader.int()).toString('utf8');
    default:
      throw new MalformedFrame(`a map has a value of the unknown type ${tag}`);
  }
}
