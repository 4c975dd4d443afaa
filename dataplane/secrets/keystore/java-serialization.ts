import type { ByteReader } from './byte-reader.ts';
import { damaged, KeystoreProblem } from './keystore-problem.ts';

/** An object as it was serialised: the names of its class and of those that it inherits from, and its fields. */
export interface JavaObject {
  readonly classNames: readonly string[];
  readonly fields: ReadonlyMap<string, JavaValue>;
}

export type JavaValue = JavaObject | Buffer | string | number | null;

interface JavaClass {
  readonly name: string;
  readonly flags: number;
  readonly fields: readonly { readonly type: string; readonly name: string }[];
  readonly parent: JavaClass | null;
}

const MAGIC = 0xaced_0005;
const CODE = {
  null: 0x70,
  reference: 0x71,
  class: 0x72,
  object: 0x73,
  text: 0x74,
  array: 0x75,
  endOfBlock: 0x78,
  enum: 0x7e,
} as const;
const SERIALIZABLE = 0x02;
/** Written by code of the class, so that only that code knows how to read it. */
const WRITES_ITSELF = 0x01;
const FIRST_HANDLE = 0x7e_0000;
const MOST_LEVELS = 16;
const MOST_HANDLES = 200;

/**
 * Reads one object from Java's serialisation. Nothing is made of it: classes are names, and only those that `isKnown`
 * names are read on. Bytes, texts, enumerations and such objects can be fields, which is all that keys consist of.
 * @throws KeystoreProblem
 */
export function readJavaObject(reader: ByteReader, isKnown: (className: string) => boolean): JavaObject {
  return new Deserialization(reader, isKnown).read();
}

class Deserialization {
  private readonly reader: ByteReader;
  private readonly isKnown: (className: string) => boolean;
  /** What can be referred to, in the order in which it came. */
  private readonly handles: (JavaClass | JavaValue)[] = [];

  constructor(reader: ByteReader, isKnown: (className: string) => boolean) {
    this.reader = reader;
    this.isKnown = isKnown;
  }

  read(): JavaObject {
    if (this.reader.int() !== MAGIC) throw damaged('a secret key');
    const value = this.value(0);
    if (!isObject(value)) throw damaged('a secret key');
    return value;
  }

  private value(level: number): JavaValue {
    if (level > MOST_LEVELS) throw damaged('a secret key is nested too deeply');
    const code = this.reader.byte();
    switch (code) {
      case CODE.null:
        return null;
      case CODE.reference:
        return this.referred();
      case CODE.text:
        return this.kept(this.reader.text());
      case CODE.array:
        return this.bytes(level);
      case CODE.enum:
        return this.constant(level);
      case CODE.object:
        return this.object(level);
      default:
        throw new KeystoreProblem('a secret key is written in a way that is not known');
    }
  }

  private kept<T extends JavaClass | JavaValue>(thing: T): T {
    if (this.handles.length >= MOST_HANDLES) throw damaged('a secret key has too many parts');
    this.handles.push(thing);
    return thing;
  }

  private referred(): JavaValue {
    const thing = this.handles[this.reader.int() - FIRST_HANDLE];
    if (thing === undefined || isClass(thing)) throw damaged('a secret key');
    return thing;
  }

  private bytes(level: number): Buffer {
    const { name } = this.class(level) ?? {};
    if (name !== '[B') throw new KeystoreProblem('a secret key holds an array that is not one of bytes');
    return this.kept(Buffer.from(this.reader.take(this.reader.int())));
  }

  private constant(level: number): string {
    this.class(level);
    const at = this.handles.length;
    this.kept('');
    const name = this.value(level + 1);
    if (typeof name !== 'string') throw damaged('a secret key');
    this.handles[at] = name;
    return name;
  }

  private object(level: number): JavaObject {
    const own = this.class(level);
    if (own === null) throw damaged('a secret key');
    const line: JavaClass[] = [];
    for (let one: JavaClass | null = own; one !== null; one = one.parent) line.unshift(one);
    const fields = new Map<string, JavaValue>();
    const object = this.kept({ classNames: line.map(({ name }) => name).reverse(), fields });
    for (const one of line) this.fieldsOf(one, fields, level);
    return object;
  }

  private fieldsOf({ flags, fields: described }: JavaClass, fields: Map<string, JavaValue>, level: number): void {
    if ((flags & SERIALIZABLE) === 0) throw new KeystoreProblem('a secret key is written in a way that is not known');
    for (const { type, name } of described) fields.set(name, this.field(type, level));
    if ((flags & WRITES_ITSELF) !== 0 && this.reader.byte() !== CODE.endOfBlock) {
      throw new KeystoreProblem('a secret key is written in a way that is not known');
    }
  }

  private field(type: string, level: number): JavaValue {
    switch (type) {
      case 'L':
      case '[':
        return this.value(level + 1);
      case 'B':
      case 'Z':
        return this.reader.byte();
      case 'I':
        return this.reader.int();
      default:
        throw new KeystoreProblem('a secret key has a field that is not known');
    }
  }

  /** A description of a class, or a reference to one that came before. */
  private class(level: number): JavaClass | null {
    if (level > MOST_LEVELS) throw damaged('a secret key is nested too deeply');
    const code = this.reader.byte();
    if (code === CODE.null) return null;
    if (code === CODE.reference) {
      const thing = this.handles[this.reader.int() - FIRST_HANDLE];
      if (thing === undefined || !isClass(thing)) throw damaged('a secret key');
      return thing;
    }
    if (code !== CODE.class) throw damaged('a secret key');
    const name = this.reader.text();
    if (!this.isKnown(name)) throw new KeystoreProblem('a secret key is an object of a class that is not known');
    this.reader.take(8); // the version of the class
    const at = this.handles.length;
    this.kept(null);
    const flags = this.reader.byte();
    const fields = Array.from({ length: this.fieldCount() }, () => this.fieldDescription(level));
    if (this.reader.byte() !== CODE.endOfBlock) throw damaged('a secret key');
    const described: JavaClass = { name, flags, fields, parent: null };
    this.handles[at] = described;
    const whole = { ...described, parent: this.class(level + 1) };
    this.handles[at] = whole;
    return whole;
  }

  private fieldCount(): number {
    const count = this.reader.short();
    if (count > MOST_HANDLES) throw damaged('a secret key has too many parts');
    return count;
  }

  private fieldDescription(level: number): { readonly type: string; readonly name: string } {
    const type = String.fromCharCode(this.reader.byte());
    const name = this.reader.text();
    if (type === 'L' || type === '[') this.value(level + 1); // the name of its class
    return { type, name };
  }
}

function isClass(thing: JavaClass | JavaValue): thing is JavaClass {
  return typeof thing === 'object' && thing !== null && 'parent' in thing;
}

function isObject(value: JavaValue): value is JavaObject {
  return typeof value === 'object' && value !== null && !Buffer.isBuffer(value);
}
