import type { ClassSpec, JavaClass, Obj, Runtime, Value } from '../../values/java-class.ts';
import { chargeItems } from '../../values/meter.ts';

/** A charset of java.nio, of the few that every Java has. */
export class Charset implements Obj {
  readonly javaClass: JavaClass;
  readonly name: string;

  constructor(rt: Runtime, name: string) {
    this.javaClass = rt.class(`sun.nio.cs.${name.replaceAll('-', '_')}`);
    this.name = name;
  }

  text(): string {
    return this.name;
  }

  equals(other: Value): boolean {
    return other instanceof Charset && other.name === this.name;
  }

  hash(): number {
    return this.name.length;
  }

  key(): string {
    return `\u0001charset${this.name}`;
  }
}

const names: ReadonlyMap<string, string> = new Map([
  ...['utf-8', 'utf8', 'unicode-1-1-utf-8'].map((name): [string, string] => [name, 'UTF-8']),
  ...['iso-8859-1', 'iso8859-1', 'iso8859_1', 'iso_8859-1', 'latin1', 'l1', '8859_1', 'cp819'].map(
    (name): [string, string] => [name, 'ISO-8859-1'],
  ),
  ...['us-ascii', 'ascii', 'iso646-us', '646'].map((name): [string, string] => [name, 'US-ASCII']),
  ...['utf-16', 'utf_16', 'utf16'].map((name): [string, string] => [name, 'UTF-16']),
  ...['utf-16be', 'utf_16be'].map((name): [string, string] => [name, 'UTF-16BE']),
  ...['utf-16le', 'utf_16le'].map((name): [string, string] => [name, 'UTF-16LE']),
]);

export function charsetNamed(name: string): string | null {
  return names.get(name.toLowerCase()) ?? null;
}

/** The name of the charset that a parameter stands for; an unknown one throws what `getBytes` throws. */
export function charsetOf(rt: Runtime, charset: Value): string {
  if (charset instanceof Charset) return charset.name;
  if (charset === null) return rt.fail('java.lang.NullPointerException', 'charsetName');
  const name = rt.text(charset);
  return charsetNamed(name) ?? rt.fail('java.io.UnsupportedEncodingException', name);
}

export function encodeText(charset: string, text: string): Uint8Array {
  switch (charset) {
    case 'ISO-8859-1':
      return new Uint8Array(Buffer.from(text.replaceAll(/[^\0-\xff]/gu, replaced), 'latin1'));
    case 'US-ASCII':
      return new Uint8Array(Buffer.from(text.replaceAll(/[^\0-\x7f]/gu, replaced), 'latin1'));
    case 'UTF-16LE':
      return new Uint8Array(Buffer.from(text, 'utf16le'));
    case 'UTF-16BE':
      return new Uint8Array(Buffer.from(text, 'utf16le').swap16());
    case 'UTF-16':
      return new Uint8Array(Buffer.concat([Uint8Array.of(0xfe, 0xff), Buffer.from(text, 'utf16le').swap16()]));
    default:
      return new Uint8Array(Buffer.from(text.toWellFormed(), 'utf8'));
  }
}

/** The byte for a character that a charset does not have. */
function replaced(): string {
  chargeItems(1, 16);
  return '?';
}

export function decodeBytes(charset: string, bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  switch (charset) {
    case 'ISO-8859-1':
      return buffer.toString('latin1');
    case 'US-ASCII':
      return buffer.toString('latin1').replaceAll(/[\x80-\xff]/g, () => {
        chargeItems(1, 16);
        return '\ufffd';
      });
    case 'UTF-16LE':
      return buffer.toString('utf16le');
    case 'UTF-16BE':
      return new TextDecoder('utf-16be', { ignoreBOM: true }).decode(bytes);
    case 'UTF-16':
      return new TextDecoder(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-16be').decode(bytes);
    default:
      return buffer.toString('utf8');
  }
}

const constant =
  (name: string) =>
  (rt: Runtime): Value =>
    new Charset(rt, name);

function unknownCharset(rt: Runtime, name: string): never {
  const isName = /^[A-Za-z0-9][\w.:+-]*$/.test(name);
  return rt.fail(`java.nio.charset.${isName ? 'UnsupportedCharset' : 'IllegalCharsetName'}Exception`, name);
}

export const charsetClasses: readonly ClassSpec[] = [
  {
    name: 'java.nio.charset.Charset',
    statics: {
      'forName(String)': (rt, _self: Value, [name]: [string]) =>
        new Charset(rt, charsetNamed(name) ?? unknownCharset(rt, name)),
      'defaultCharset()': (rt) => new Charset(rt, 'UTF-8'),
      'isSupported(String)': (_rt, _self: Value, [name]: [string]) => charsetNamed(name) !== null,
    },
    methods: {
      'name()': (_rt, self: Charset) => self.name,
      'displayName()': (_rt, self: Charset) => self.name,
    },
  },
  ...['UTF_8', 'ISO_8859_1', 'US_ASCII', 'UTF_16', 'UTF_16BE', 'UTF_16LE'].map(
    (name): ClassSpec => ({ name: `sun.nio.cs.${name}`, superclass: 'java.nio.charset.Charset' }),
  ),
  {
    name: 'java.nio.charset.StandardCharsets',
    constants: {
      UTF_8: constant('UTF-8'),
      ISO_8859_1: constant('ISO-8859-1'),
      US_ASCII: constant('US-ASCII'),
      UTF_16: constant('UTF-16'),
      UTF_16BE: constant('UTF-16BE'),
      UTF_16LE: constant('UTF-16LE'),
    },
  },
  { name: 'java.nio.charset.IllegalCharsetNameException', superclass: 'java.lang.IllegalArgumentException' },
  { name: 'java.nio.charset.UnsupportedCharsetException', superclass: 'java.lang.IllegalArgumentException' },
  { name: 'java.io.UnsupportedEncodingException', superclass: 'java.io.IOException' },
];
