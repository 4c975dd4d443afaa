import { ByteArray, List } from '../../values/collections.ts';
import type { ClassSpec, JavaClass, LibraryFunction, Obj, Runtime, Value } from '../../values/java-class.ts';
import { charsetOf, decodeBytes, encodeText } from '../encoding/charsets.ts';

/** A reader of a text in memory. */
export class TextReader implements Obj {
  readonly javaClass: JavaClass;
  readonly #content: string;
  #at = 0;

  constructor(rt: Runtime, className: string, content: string) {
    this.javaClass = rt.class(className);
    this.#content = content;
  }

  rest(): string {
    const text = this.#content.slice(this.#at);
    this.#at = this.#content.length;
    return text;
  }

  /** The next line without its end; null after the last. */
  line(): string | null {
    if (this.#at >= this.#content.length) return null;
    const match = /\r\n|\r|\n/g;
    match.lastIndex = this.#at;
    const end = match.exec(this.#content);
    const line = this.#content.slice(this.#at, end?.index);
    this.#at = end === null ? this.#content.length : end.index + end[0].length;
    return line;
  }

  truth(): boolean {
    return true;
  }

  /** A loop over a reader takes the lines that are left. */
  elements(): Value[] {
    return [...linesOf(this).items];
  }

  read(): number {
    return this.#at < this.#content.length ? this.#content.charCodeAt(this.#at++) : -1;
  }
}

/** A stream of bytes in memory. */
export class ByteStream implements Obj {
  readonly javaClass: JavaClass;
  readonly bytes: Uint8Array;
  at = 0;

  constructor(rt: Runtime, bytes: Uint8Array, className = 'java.io.ByteArrayInputStream') {
    this.javaClass = rt.class(className);
    this.bytes = bytes;
  }

  rest(): Uint8Array {
    const bytes = this.bytes.slice(this.at);
    this.at = this.bytes.length;
    return bytes;
  }
}

/** Bytes that a script writes. */
class ByteSink implements Obj {
  readonly javaClass: JavaClass;
  chunks: Uint8Array[] = [];

  constructor(rt: Runtime) {
    this.javaClass = rt.class('java.io.ByteArrayOutputStream');
  }

  all(): Buffer {
    return Buffer.concat(this.chunks);
  }

  text(): string {
    return this.all().toString('utf8');
  }
}

function write(rt: Runtime, self: ByteSink, bytes: Uint8Array): void {
  rt.budget.allocate(bytes.length + 64);
  self.chunks.push(bytes.slice());
}

function linesOf(reader: TextReader): List {
  const lines: Value[] = [];
  for (let line = reader.line(); line !== null; line = reader.line()) lines.push(line);
  return new List(lines);
}

const asReader = (rt: Runtime, self: ByteStream, charset: Value = 'UTF-8'): TextReader =>
  new TextReader(rt, 'java.io.BufferedReader', decodeBytes(charsetOf(rt, charset), self.rest()));

const nothing: LibraryFunction = () => undefined;

export const streamValueClasses: readonly ClassSpec[] = [
  {
    name: 'java.io.Reader',
    kind: 'abstract',
    interfaces: ['java.io.Closeable'],
    methods: {
      'getText()': (_rt, self: TextReader) => self.rest(),
      'readLines()': (_rt, self: TextReader) => linesOf(self),
      'read()': (_rt, self: TextReader) => self.read(),
      'eachLine(Closure)': function* (rt, self: TextReader, [closure]: [Value]) {
        let last: Value = null;
        for (let line = self.line(); line !== null; line = self.line()) last = yield* rt.invoke(closure, [line]);
        return last;
      },
      'close()': nothing,
    },
  },
  {
    name: 'java.io.StringReader',
    superclass: 'java.io.Reader',
    constructors: {
      '(String)': (rt, _self: Value, [text]: [string | null]) =>
        text === null ? rt.fail('java.lang.NullPointerException') : new TextReader(rt, 'java.io.StringReader', text),
    },
  },
  {
    name: 'java.io.BufferedReader',
    superclass: 'java.io.Reader',
    constructors: {
      '(Reader)': (rt, _self: Value, [reader]: [TextReader]) =>
        new TextReader(rt, 'java.io.BufferedReader', reader.rest()),
    },
    methods: { 'readLine()': (_rt, self: TextReader) => self.line() },
  },
  {
    name: 'java.io.InputStreamReader',
    superclass: 'java.io.Reader',
    constructors: {
      '(InputStream)': (rt, _self: Value, [stream]: [ByteStream]) => asReader(rt, stream),
      '(InputStream, String)': (rt, _self: Value, [stream, charset]: [ByteStream, string]) =>
        asReader(rt, stream, charset),
      '(InputStream, java.nio.charset.Charset)': (rt, _self: Value, [stream, charset]: [ByteStream, Value]) =>
        asReader(rt, stream, charset),
    },
  },
  {
    name: 'java.io.InputStream',
    kind: 'abstract',
    interfaces: ['java.io.Closeable'],
    methods: {
      'read()': (_rt, self: ByteStream) => self.bytes[self.at++] ?? -1,
      'readAllBytes()': (_rt, self: ByteStream) => new ByteArray(self.rest()),
      'getBytes()': (_rt, self: ByteStream) => new ByteArray(self.rest()),
      'available()': (_rt, self: ByteStream) => Math.max(0, self.bytes.length - self.at),
      'getText()': (_rt, self: ByteStream) => decodeBytes('UTF-8', self.rest()),
      'getText(String)': (rt, self: ByteStream, [charset]: [string]) =>
        decodeBytes(charsetOf(rt, charset), self.rest()),
      'readLines()': (rt, self: ByteStream) => linesOf(asReader(rt, self)),
      'newReader()': (rt, self: ByteStream) => asReader(rt, self),
      'eachLine(Closure)': (rt, self: ByteStream, [closure]: [Value]) =>
        rt.call(asReader(rt, self), 'eachLine', [closure]),
      'close()': nothing,
    },
  },
  {
    name: 'java.io.ByteArrayInputStream',
    superclass: 'java.io.InputStream',
    constructors: { '(byte[])': (rt, _self: Value, [array]: [ByteArray]) => new ByteStream(rt, array.bytes) },
  },
  { name: 'java.io.OutputStream', kind: 'abstract', interfaces: ['java.io.Closeable'] },
  {
    name: 'java.io.ByteArrayOutputStream',
    superclass: 'java.io.OutputStream',
    constructors: { '()': (rt) => new ByteSink(rt), '(int)': (rt) => new ByteSink(rt) },
    methods: {
      'write(int)': (rt, self: ByteSink, [byte]: [number]) => write(rt, self, Uint8Array.of(byte & 0xff)),
      'write(byte[])': (rt, self: ByteSink, [array]: [ByteArray]) => write(rt, self, array.bytes),
      'write(byte[], int, int)': (rt, self: ByteSink, [array, from, length]: [ByteArray, number, number]) =>
        write(rt, self, array.bytes.slice(from, from + length)),
      'leftShift(Object)': (rt, self: ByteSink, [value]: [Value]) => {
        write(rt, self, value instanceof ByteArray ? value.bytes : encodeText('UTF-8', rt.text(value)));
        return self;
      },
      'toByteArray()': (_rt, self: ByteSink) => new ByteArray(new Uint8Array(self.all())),
      'toString()': (_rt, self: ByteSink) => self.text(),
      'toString(String)': (rt, self: ByteSink, [charset]: [string]) => decodeBytes(charsetOf(rt, charset), self.all()),
      'size()': (_rt, self: ByteSink) => self.all().length,
      'reset()': (_rt, self: ByteSink) => void (self.chunks = []),
      'flush()': nothing,
      'close()': nothing,
    },
  },
];
