import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { ByteArray } from '../../values/collections.ts';
import type { ClassSpec, JavaClass, LibraryFunction, Obj, Runtime, Value } from '../../values/java-class.ts';
import { TextBuilder } from '../strings/builder-classes.ts';
import { onTexts } from '../strings/string-methods.ts';
import { type Base64Kind, basic, decodedByGroovy, fromBase64, mime, toBase64, toChunks, url } from './base64.ts';
import { type Charset, charsetOf } from './charsets.ts';
import { formDecoded, formEncoded } from './url-text.ts';

/** Bytes of a small object of the library. */
const PLAIN_BYTES = 128;

/** A value of the library that is told by its class and a text. */
export class Plain<State> implements Obj {
  readonly javaClass: JavaClass;
  readonly state: State;

  constructor(rt: Runtime, className: string, state: State) {
    rt.budget.allocate(PLAIN_BYTES);
    this.javaClass = rt.class(className);
    this.state = state;
  }

  /** Objects with a state of their own show their class. */
  text?(): string;
}

type Base64Value = Plain<Base64Kind>;

const coder =
  (className: string, kind: Base64Kind): LibraryFunction =>
  (rt: Runtime) =>
    new Plain(rt, className, kind);

const algorithms: ReadonlyMap<string, string> = new Map([
  ['MD5', 'md5'],
  ['SHA', 'sha1'],
  ['SHA1', 'sha1'],
  ['SHA-1', 'sha1'],
  ['SHA-224', 'sha224'],
  ['SHA-256', 'sha256'],
  ['SHA-384', 'sha384'],
  ['SHA-512', 'sha512'],
  ['SHA224', 'sha224'],
  ['SHA256', 'sha256'],
  ['SHA384', 'sha384'],
  ['SHA512', 'sha512'],
  ['SHA-512/224', 'sha512-224'],
  ['SHA-512/256', 'sha512-256'],
  ['SHA3-224', 'sha3-224'],
  ['SHA3-256', 'sha3-256'],
  ['SHA3-384', 'sha3-384'],
  ['SHA3-512', 'sha3-512'],
]);

function digest(rt: Runtime, algorithm: string, bytes: Uint8Array): Buffer {
  const name = algorithms.get(algorithm.toUpperCase());
  if (name === undefined) rt.fail('java.security.NoSuchAlgorithmException', `${algorithm} MessageDigest not available`);
  rt.budget.spend(20 + bytes.length / 4);
  return createHash(name).update(bytes).digest();
}

/** A digest or a code of authentication that takes its input in parts. */
interface Digesting {
  readonly algorithm: string;
  parts: Uint8Array[];
  key: Uint8Array | null;
  /** The algorithm as the script named it, where it differs. */
  readonly name?: string;
}

type DigestValue = Plain<Digesting>;

function update(rt: Runtime, { state }: DigestValue, bytes: Uint8Array): void {
  rt.budget.allocate(bytes.length);
  state.parts.push(bytes.slice());
}

const updateByte: LibraryFunction = (rt: Runtime, self: DigestValue, [byte]: [{ value: number }]) =>
  update(rt, self, Uint8Array.of(byte.value));

const updatePart: LibraryFunction = (
  rt: Runtime,
  self: DigestValue,
  [array, from, length]: [ByteArray, number, number],
) => {
  if (from < 0 || length < 0 || array.bytes.length - from < length)
    rt.fail('java.lang.IllegalArgumentException', 'Input buffer too short');
  update(rt, self, array.bytes.subarray(from, from + length));
};

/** The class of the digests that Java makes. */
const DIGEST = 'java.security.MessageDigest$Delegate$CloneableDelegate';

function finish(rt: Runtime, { state }: DigestValue): ByteArray {
  const input = Buffer.concat(state.parts);
  state.parts = [];
  return new ByteArray(new Uint8Array(digest(rt, state.algorithm, input)));
}

function finishMac(rt: Runtime, { state }: DigestValue): ByteArray {
  if (state.key === null) return rt.fail('java.lang.IllegalStateException', 'MAC not initialized');
  const input = Buffer.concat(state.parts);
  state.parts = [];
  rt.budget.spend(20 + input.length / 4);
  return new ByteArray(new Uint8Array(createHmac(state.algorithm, state.key).update(input).digest()));
}

const hex = (rt: Runtime, bytes: Uint8Array): string => {
  rt.budget.allocate(bytes.length * 4);
  return Buffer.from(bytes).toString('hex');
};

const WRITABLE = 'org.codehaus.groovy.runtime.EncodingGroovyMethods$1';

const writable = (rt: Runtime, text: string): TextBuilder => new TextBuilder(rt.class(WRITABLE), text);

const byteMethods: Readonly<Record<string, LibraryFunction>> = {
  'encodeBase64()': (rt, self: ByteArray) => writable(rt, toBase64(rt, self.bytes, basic)),
  'encodeBase64(boolean)': (rt, self: ByteArray, [chunked]: [boolean]) =>
    writable(rt, chunked ? toChunks(rt, self.bytes) : toBase64(rt, self.bytes, basic)),
  'encodeBase64Url()': (rt, self: ByteArray) => writable(rt, toBase64(rt, self.bytes, { ...url, pads: false })),
  'encodeBase64Url(boolean)': (rt, self: ByteArray, [pads]: [boolean]) =>
    writable(rt, toBase64(rt, self.bytes, { ...url, pads })),
  'encodeHex()': (rt, self: ByteArray) => writable(rt, hex(rt, self.bytes)),
  'md5()': (rt, self: ByteArray) => digest(rt, 'MD5', self.bytes).toString('hex'),
  'sha256()': (rt, self: ByteArray) => digest(rt, 'SHA-256', self.bytes).toString('hex'),
  'digest(String)': (rt, self: ByteArray, [algorithm]: [string]) => digest(rt, algorithm, self.bytes).toString('hex'),
};

const textMethods: Readonly<Record<string, LibraryFunction>> = onTexts({
  'decodeBase64()': (rt, text) => decodedByGroovy(rt, text, false),
  'decodeBase64Url()': (rt, text) => decodedByGroovy(rt, text, true),
  'decodeHex()': (rt, text) => {
    if (text.length % 2 === 1) rt.fail('java.lang.NumberFormatException', 'odd number of characters in hex string');
    const odd = /[^0-9a-fA-F]/.exec(text);
    if (odd !== null)
      rt.fail(
        'java.lang.NumberFormatException',
        `For input string: "${text.slice(odd.index - (odd.index % 2), odd.index - (odd.index % 2) + 2)}" under radix 16`,
      );
    return new ByteArray(new Uint8Array(Buffer.from(text, 'hex')));
  },
  'md5()': (rt, text) => digest(rt, 'MD5', Buffer.from(text)).toString('hex'),
  'sha256()': (rt, text) => digest(rt, 'SHA-256', Buffer.from(text)).toString('hex'),
  'digest(String)': (rt, text, [algorithm]: [string]) => digest(rt, algorithm, Buffer.from(text)).toString('hex'),
});

/** A UUID, by its text. */
export class Uuid implements Obj {
  readonly javaClass: JavaClass;
  readonly value: string;

  constructor(rt: Runtime, value: string) {
    rt.budget.allocate(PLAIN_BYTES);
    this.javaClass = rt.class('java.util.UUID');
    this.value = value;
  }

  text(): string {
    return this.value;
  }

  equals(other: Value): boolean {
    return other instanceof Uuid && other.value === this.value;
  }

  hash(): number {
    const bits = BigInt(`0x${this.value.replaceAll('-', '')}`);
    const mixed = (bits >> 64n) ^ BigInt.asUintN(64, bits);
    return Number(BigInt.asIntN(32, (mixed >> 32n) ^ BigInt.asUintN(32, mixed)));
  }

  /** As two signed longs. */
  compare(other: Value): number {
    const halves = (text: string): bigint[] =>
      text
        .replaceAll('-', '')
        .match(/.{16}/g)!
        .map((half) => BigInt.asIntN(64, BigInt(`0x${half}`)));
    if (!(other instanceof Uuid)) return 1;
    const [left, right] = [halves(this.value), halves(other.value)];
    const at = left.findIndex((half, index) => half !== right[index]);
    return at < 0 ? 0 : left[at]! < right[at]! ? -1 : 1;
  }

  key(): string {
    return `\u0001uuid${this.value}`;
  }
}

const dashed = (digits: string): string => digits.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');

function nameUuid(rt: Runtime, bytes: Uint8Array): Uuid {
  const hash = digest(rt, 'MD5', bytes);
  hash[6] = (hash[6]! & 0x0f) | 0x30;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  return new Uuid(rt, dashed(hash.toString('hex')));
}

function readUuid(rt: Runtime, text: string): Uuid {
  const parts = text.split('-');
  if (parts.length !== 5 || !parts.every((part) => /^[0-9a-fA-F]+$/.test(part))) {
    return rt.fail('java.lang.IllegalArgumentException', `Invalid UUID string: ${text}`);
  }
  const widths = [8, 4, 4, 4, 12];
  return new Uuid(
    rt,
    parts.map((part, at) => part.toLowerCase().padStart(widths[at]!, '0').slice(-widths[at]!)).join('-'),
  );
}

/** The coders of OpenIG: text that is not valid decodes to null. */
function forgerockBase64(name: string, kind: Base64Kind): ClassSpec {
  const isValid = kind.isUrl ? /^[\w-]*={0,2}$/ : /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
  return {
    name,
    statics: {
      'encode(byte[])': (rt, _self: Value, [array]: [ByteArray | null]) =>
        array === null ? null : toBase64(rt, array.bytes, kind),
      'decode(String)': (rt, _self: Value, [text]: [string | null]) => {
        rt.budget.spend((text?.length ?? 0) / 16);
        return text === null || !isValid.test(text) ? null : fromBase64(rt, text.replace(/=+$/, ''), kind);
      },
    },
  };
}

export const encodingClasses: readonly ClassSpec[] = [
  { name: 'groovy.lang.Writable', kind: 'interface' },
  { name: WRITABLE, interfaces: ['groovy.lang.Writable'] },
  { name: 'byte[]', methods: byteMethods },
  { name: 'java.lang.CharSequence', methods: textMethods },
  {
    name: 'java.util.Base64',
    statics: {
      'getEncoder()': coder('java.util.Base64$Encoder', basic),
      'getUrlEncoder()': coder('java.util.Base64$Encoder', url),
      'getMimeEncoder()': coder('java.util.Base64$Encoder', mime),
      'getMimeEncoder(int, byte[])': (rt, _self: Value, [length, end]: [number, ByteArray]) =>
        new Plain<Base64Kind>(rt, 'java.util.Base64$Encoder', {
          ...mime,
          line: [length & ~3, Buffer.from(end.bytes).toString('latin1')],
        }),
      'getDecoder()': coder('java.util.Base64$Decoder', basic),
      'getUrlDecoder()': coder('java.util.Base64$Decoder', url),
      'getMimeDecoder()': coder('java.util.Base64$Decoder', mime),
    },
  },
  forgerockBase64('org.forgerock.util.encode.Base64', basic),
  forgerockBase64('org.forgerock.util.encode.Base64url', { ...url, pads: false }),
  {
    name: 'java.util.Base64$Encoder',
    methods: {
      'encodeToString(byte[])': (rt, self: Base64Value, [array]: [ByteArray]) => toBase64(rt, array.bytes, self.state),
      'encode(byte[])': (rt, self: Base64Value, [array]: [ByteArray]) =>
        new ByteArray(new Uint8Array(Buffer.from(toBase64(rt, array.bytes, self.state)))),
      'withoutPadding()': (rt, self: Base64Value) =>
        new Plain(rt, 'java.util.Base64$Encoder', { ...self.state, pads: false }),
    },
  },
  {
    name: 'java.util.Base64$Decoder',
    methods: {
      'decode(String)': (rt, self: Base64Value, [text]: [string]) => fromBase64(rt, text, self.state),
      'decode(byte[])': (rt, self: Base64Value, [array]: [ByteArray]) =>
        fromBase64(rt, Buffer.from(array.bytes).toString('latin1'), self.state),
    },
  },
  {
    name: 'java.security.MessageDigest',
    statics: {
      'getInstance(String)': (rt, _self: Value, [algorithm]: [string | null]) => {
        if (algorithm === null) return rt.fail('java.lang.NullPointerException', 'null algorithm name');
        digest(rt, algorithm, new Uint8Array());
        return new Plain<Digesting>(rt, DIGEST, { algorithm, parts: [], key: null });
      },
      'isEqual(byte[], byte[])': (_rt, _self: Value, [left, right]: [ByteArray, ByteArray]) =>
        left.bytes.length === right.bytes.length && timingSafeEqual(left.bytes, right.bytes),
    },
    methods: {
      'update(byte[])': (rt, self: DigestValue, [array]: [ByteArray]) => update(rt, self, array.bytes),
      'update(byte)': updateByte,
      'update(byte[], int, int)': updatePart,
      'digest()': (rt, self: DigestValue) => finish(rt, self),
      'digest(byte[])': (rt, self: DigestValue, [array]: [ByteArray]) => {
        update(rt, self, array.bytes);
        return finish(rt, self);
      },
      'reset()': (_rt, self: DigestValue) => void (self.state.parts = []),
      'getAlgorithm()': (_rt, self: DigestValue) => self.state.algorithm,
      'getDigestLength()': (rt, self: DigestValue) => digest(rt, self.state.algorithm, new Uint8Array()).length,
    },
  },
  {
    name: 'javax.crypto.Mac',
    statics: {
      'getInstance(String)': (rt, _self: Value, [algorithm]: [string]) => {
        const hash = /^hmac(md5|sha1|sha224|sha256|sha384|sha512)$/i.exec(algorithm)?.[1]?.toLowerCase();
        if (hash === undefined)
          return rt.fail('java.security.NoSuchAlgorithmException', `Algorithm ${algorithm} not available`);
        return new Plain<Digesting>(rt, 'javax.crypto.Mac', { algorithm: hash, parts: [], key: null, name: algorithm });
      },
    },
    methods: {
      'init(java.security.Key)': (_rt, self: DigestValue, [key]: [Plain<{ bytes: Uint8Array }>]) => {
        self.state.key = key.state.bytes;
        self.state.parts = [];
      },
      'update(byte[])': (rt, self: DigestValue, [array]: [ByteArray]) => update(rt, self, array.bytes),
      'update(byte)': updateByte,
      'update(byte[], int, int)': updatePart,
      'reset()': (_rt, self: DigestValue) => void (self.state.parts = []),
      'getAlgorithm()': (_rt, self: DigestValue) => self.state.name ?? self.state.algorithm,
      'getMacLength()': (_rt, self: DigestValue) => createHash(self.state.algorithm).digest().length,
      'doFinal()': (rt, self: DigestValue) => finishMac(rt, self),
      'doFinal(byte[])': (rt, self: DigestValue, [array]: [ByteArray]) => {
        update(rt, self, array.bytes);
        return finishMac(rt, self);
      },
    },
  },
  { name: 'java.security.Key', kind: 'interface' },
  {
    name: 'javax.crypto.spec.SecretKeySpec',
    interfaces: ['java.security.Key'],
    constructors: {
      '(byte[], String)': (rt, _self: Value, [key, algorithm]: [ByteArray, string]) => {
        if (key.bytes.length === 0) rt.fail('java.lang.IllegalArgumentException', 'Empty key');
        return new Plain(rt, 'javax.crypto.spec.SecretKeySpec', { bytes: key.bytes.slice(), algorithm });
      },
    },
    methods: {
      'getAlgorithm()': (_rt, self: Plain<{ algorithm: string }>) => self.state.algorithm,
      'getEncoded()': (_rt, self: Plain<{ bytes: Uint8Array }>) => new ByteArray(self.state.bytes.slice()),
      'getFormat()': () => 'RAW',
    },
  },
  { name: DIGEST, superclass: 'java.security.MessageDigest' },
  { name: 'java.security.GeneralSecurityException', superclass: 'java.lang.Exception' },
  { name: 'java.security.NoSuchAlgorithmException', superclass: 'java.security.GeneralSecurityException' },
  {
    name: 'java.net.URLEncoder',
    statics: {
      'encode(String, String)': (rt, _self: Value, [text, charset]: [string, string]) => encoded(rt, text, charset),
      'encode(String, java.nio.charset.Charset)': (rt, _self: Value, [text, charset]: [string, Charset]) =>
        encoded(rt, text, charset),
      'encode(String)': (rt, _self: Value, [text]: [string]) => encoded(rt, text, 'UTF-8'),
    },
  },
  {
    name: 'java.net.URLDecoder',
    statics: {
      'decode(String, String)': (rt, _self: Value, [text, charset]: [string, string]) => decoded(rt, text, charset),
      'decode(String, java.nio.charset.Charset)': (rt, _self: Value, [text, charset]: [string, Charset]) =>
        decoded(rt, text, charset),
      'decode(String)': (rt, _self: Value, [text]: [string]) => decoded(rt, text, 'UTF-8'),
    },
  },
  {
    name: 'java.util.UUID',
    interfaces: ['java.lang.Comparable'],
    constructors: {
      '(long, long)': (rt, _self: Value, [most, least]: [bigint, bigint]) => {
        const hexOf = (bits: bigint): string => BigInt.asUintN(64, bits).toString(16).padStart(16, '0');
        return new Uuid(rt, dashed(hexOf(most) + hexOf(least)));
      },
    },
    statics: {
      'randomUUID()': (rt) => new Uuid(rt, randomUUID()),
      'fromString(String)': (rt, _self: Value, [text]: [string]) => readUuid(rt, text),
      'nameUUIDFromBytes(byte[])': (rt, _self: Value, [array]: [ByteArray]) => nameUuid(rt, array.bytes),
    },
    methods: {
      'version()': (_rt, self: Uuid) => Number(self.value[14]),
      'getMostSignificantBits()': (_rt, self: Uuid) =>
        BigInt.asIntN(64, BigInt(`0x${self.value.replaceAll('-', '').slice(0, 16)}`)),
      'getLeastSignificantBits()': (_rt, self: Uuid) =>
        BigInt.asIntN(64, BigInt(`0x${self.value.replaceAll('-', '').slice(16)}`)),
    },
  },
];

function encoded(rt: Runtime, text: string | null, charset: Value): string {
  if (text === null) return rt.fail('java.lang.NullPointerException', null);
  rt.budget.allocate(text.length * 6);
  return formEncoded(text, charsetOf(rt, charset));
}

function decoded(rt: Runtime, text: string | null, charset: Value): string {
  if (text === null) return rt.fail('java.lang.NullPointerException', null);
  rt.budget.allocate(text.length * 2);
  return formDecoded(rt, text, charsetOf(rt, charset));
}
