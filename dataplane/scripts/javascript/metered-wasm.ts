/**
 * Rewrites a WebAssembly program so that every loop counts down a global and calls the host when it is used up.
 * QuickJS looks at its own deadline only between operations of a script, and one operation can take minutes.
 */

/** Name under which the rewritten program exports its count. */
export const FUEL = 'fuel';

/** Name under which it exports the table with the one function that it calls without fuel. */
export const CHECK = 'check';

/** Bytes that one unit of fuel copies or fills: a shift by 6. */
const COPY_SHIFT = 6;

const section = { type: 1, import: 2, function: 3, table: 4, global: 6, export: 7, code: 10 } as const;
const op = { loop: 0x03, if: 0x04, end: 0x0b, call: 0x10, indirect: 0x11, get: 0x23, set: 0x24, constant: 0x41 };
const I32 = 0x7f;
const FUNCREF = 0x70;
const NOTHING = 0x40;
const BULK = 0xfc;
/** The largest number: starting the program is not counted. */
const MOST = [0xff, 0xff, 0xff, 0xff, 0x07];
const bulk = { copy: 10, fill: 11 } as const;

/** A form of program that the rewriting does not know. */
export class UnknownProgram extends Error {}

/** Reads bytes, with numbers as WebAssembly writes them. */
class Reader {
  readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  byte(): number {
    const value = this.bytes[this.at++];
    if (value === undefined) throw new UnknownProgram('the program ends early');
    return value;
  }

  number(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }

  skipNumber(): void {
    while (this.byte() >= 0x80);
  }

  skip(length: number): void {
    this.at += length;
  }

  taken(length: number): Uint8Array {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
}

/** A number as WebAssembly writes it. */
function leb(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return [...bytes, rest];
}

/** The parts that the rewriting adds, by their numbers. */
interface Added {
  readonly fuel: number;
  /** Table of the function to call without fuel, and its type. */
  readonly check: number;
  readonly checkType: number;
  readonly copy: number;
  readonly fill: number;
}

/** Sets the fuel to the number on the stack, and calls the host if it is used up. */
function spending({ fuel, check, checkType }: Added): number[] {
  const place = leb(fuel);
  const less = [op.get, ...place, op.constant, 0, 0x48]; // i32.lt_s
  const call = [op.constant, 0, op.indirect, ...leb(checkType), ...leb(check)];
  return [op.set, ...place, ...less, op.if, NOTHING, ...call, op.end];
}

/** @returns the program with its count, which is exported as `fuel` */
export function meteredWasm(program: Uint8Array): Uint8Array<ArrayBuffer> {
  const sections = sectionsOf(program);
  const imported = importsOf(sections.get(section.import));
  const functions = countOf(sections, section.function);
  const types = countOf(sections, section.type);
  const first = imported.functions + functions;
  const added: Added = {
    fuel: imported.globals + countOf(sections, section.global),
    check: imported.tables + countOf(sections, section.table),
    checkType: types + 1,
    copy: first,
    fill: first + 1,
  };
  const changed = new Map<number, Uint8Array>([
    [section.type, extended(sections, section.type, 2, [0x60, 3, I32, I32, I32, 0, 0x60, 0, 0])],
    [section.function, extended(sections, section.function, 2, [...leb(types), ...leb(types)])],
    [section.table, extended(sections, section.table, 1, [FUNCREF, 1, 1, 1])],
    [section.global, extended(sections, section.global, 1, [I32, 1, op.constant, ...MOST, op.end])],
    [
      section.export,
      extended(sections, section.export, 2, [...named(FUEL, 3, added.fuel), ...named(CHECK, 1, added.check)]),
    ],
    [section.code, meteredCode(sections.get(section.code)!, added)],
  ]);
  const parts: Uint8Array[] = [program.subarray(0, 8)];
  for (const [id, content] of sections) {
    if (id < 0) continue; // names and the like
    const written = changed.get(id) ?? content;
    parts.push(Uint8Array.from([id, ...leb(written.length)]), written);
  }
  return new Uint8Array(Buffer.concat(parts));
}

/** An export. */
function named(name: string, kind: number, index: number): number[] {
  return [name.length, ...Buffer.from(name), kind, ...leb(index)];
}

function sectionsOf(program: Uint8Array): Map<number, Uint8Array> {
  const reader = new Reader(program, 8);
  const sections = new Map<number, Uint8Array>();
  while (reader.at < program.length) {
    const id = reader.byte();
    sections.set(id === 0 ? -1 : id, reader.taken(reader.number()));
  }
  for (const id of Object.values(section)) if (!sections.has(id)) throw new UnknownProgram(`section ${id} is missing`);
  return sections;
}

function countOf(sections: ReadonlyMap<number, Uint8Array>, id: number): number {
  return new Reader(sections.get(id)!).number();
}

/** A section with more entries at its end. */
function extended(sections: ReadonlyMap<number, Uint8Array>, id: number, more: number, entries: number[]): Uint8Array {
  const content = sections.get(id)!;
  const reader = new Reader(content);
  const count = reader.number();
  return Buffer.concat([Uint8Array.from(leb(count + more)), content.subarray(reader.at), Uint8Array.from(entries)]);
}

/** Imports come before the own functions and globals, and are numbered with them. */
function importsOf(content: Uint8Array | undefined): { functions: number; tables: number; globals: number } {
  const reader = new Reader(content!);
  const found = { functions: 0, tables: 0, globals: 0 };
  for (let left = reader.number(); left > 0; left--) {
    reader.skip(reader.number());
    reader.skip(reader.number());
    const kind = reader.byte();
    if (kind === 0) {
      found.functions++;
      reader.skipNumber();
    } else if (kind === 3) {
      found.globals++;
      reader.skip(2);
    } else {
      if (kind === 1) {
        found.tables++;
        reader.skip(1);
      }
      const hasMost = (reader.byte() & 1) === 1;
      reader.skipNumber();
      if (hasMost) reader.skipNumber();
    }
  }
  return found;
}

function meteredCode(content: Uint8Array, added: Added): Uint8Array {
  const reader = new Reader(content);
  const count = reader.number();
  const parts: Uint8Array[] = [Uint8Array.from(leb(count + 2))];
  const spend = Uint8Array.from([op.get, ...leb(added.fuel), op.constant, 0x7f, 0x6a, ...spending(added)]); // add -1
  for (let left = count; left > 0; left--) {
    const body = reader.taken(reader.number());
    const written = meteredBody(body, spend, added);
    parts.push(Uint8Array.from(leb(written.length)), written);
  }
  for (const name of ['copy', 'fill'] as const) {
    const body = Uint8Array.from([0, ...chargedBulk(name, added), op.end]);
    parts.push(Uint8Array.from(leb(body.length)), body);
  }
  return Buffer.concat(parts);
}

/** The body of a function that copies or fills memory, and takes fuel for it. */
function chargedBulk(name: 'copy' | 'fill', added: Added): number[] {
  const place = leb(added.fuel);
  const amount = [0x20, 2, op.constant, COPY_SHIFT, 0x76]; // local.get 2, i32.shr_u
  const operands = [0x20, 0, 0x20, 1, 0x20, 2];
  const work = name === 'copy' ? [BULK, bulk.copy, 0, 0] : [BULK, bulk.fill, 0];
  return [op.get, ...place, ...amount, 0x6b, ...spending(added), ...operands, ...work];
}

function meteredBody(body: Uint8Array, spend: Uint8Array, { copy, fill }: Added): Uint8Array {
  const reader = new Reader(body);
  for (let left = reader.number(); left > 0; left--) {
    reader.skipNumber();
    reader.byte();
  }
  const parts: Uint8Array[] = [];
  let from = 0;
  const upTo = (end: number, ...more: Uint8Array[]): void => {
    parts.push(body.subarray(from, end), ...more);
    from = reader.at;
  };
  while (reader.at < body.length) {
    const start = reader.at;
    const code = reader.byte();
    const operation = code === BULK ? reader.number() : 0;
    skipOperands(reader, code, operation);
    if (code === op.loop) upTo(reader.at, spend);
    else if (code === BULK && operation === bulk.copy) upTo(start, Uint8Array.from([op.call, ...leb(copy)]));
    else if (code === BULK && operation === bulk.fill) upTo(start, Uint8Array.from([op.call, ...leb(fill)]));
  }
  upTo(body.length);
  return Buffer.concat(parts);
}

/** Number of numbers that follow an operation: one or two. */
const operands = new Map<number, number>([
  ...[0x02, 0x03, 0x04, 0x0c, 0x0d, 0x10, 0x12, 0x3f, 0x40, 0x41, 0x42, 0xd0, 0xd2].map((code) => [code, 1] as const),
  ...[0x11, 0x13].map((code) => [code, 2] as const),
]);
const bulkOperands = [0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 2, 1, 2, 1, 1, 1];

function skipOperands(reader: Reader, code: number, operation: number): void {
  if (code === BULK) {
    const count = bulkOperands[operation];
    if (count === undefined) throw new UnknownProgram(`operation 0xfc ${operation} is not known`);
    for (let left = count; left > 0; left--) reader.skipNumber();
  } else if (code === 0x0e || code === 0x1c) {
    for (let left = reader.number() + (code === 0x0e ? 1 : 0); left > 0; left--) reader.skipNumber();
  } else if (code >= 0x20 && code <= 0x26) reader.skipNumber();
  else if (code >= 0x28 && code <= 0x3e) {
    if (reader.number() >= 0x40) throw new UnknownProgram('the program has several memories');
    reader.skipNumber();
  } else if (code === 0x43) reader.skip(4);
  else if (code === 0x44) reader.skip(8);
  else if (operands.has(code)) for (let left = operands.get(code)!; left > 0; left--) reader.skipNumber();
  else if (!isPlain(code)) throw new UnknownProgram(`operation 0x${code.toString(16)} is not known`);
}

function isPlain(code: number): boolean {
  return [0x00, 0x01, 0x05, 0x0b, 0x0f, 0x1a, 0x1b, 0xd1].includes(code) || (code >= 0x45 && code <= 0xc4);
}

/** A program that only imports a function and exports it again: tables hold functions of programs. */
export const PASSING_ON = Uint8Array.from([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[1, 4, 1, 0x60, 0, 0],
  ...[2, 7, 1, 1, 0x61, 1, 0x61, 0, 0],
  ...[7, 5, 1, 1, 0x61, 0, 0],
]);
