import { ByteArray, Entry, type GMap, type LateEntries } from '../../values/collections.ts';
import type { JavaClass, Obj, Runtime, Steps, Value } from '../../values/java-class.ts';
import { chargeText } from '../../values/meter.ts';
import { charsetNamed, decodeBytes, encodeText } from '../encoding/charsets.ts';
import { type JsonManner, JsonSyntaxError, jacksonManner, readJson } from '../json/json-reader.ts';
import { writeJson } from '../json/json-writer.ts';
import { ByteStream } from '../system/stream-values.ts';
import { HeaderValue, headerOf } from './header-values.ts';
import { addHeader, newHeaders, putHeader } from './headers.ts';
import { jackson } from './jackson-writing.ts';
import { type MutableUri, mutableUri, MutableUri as Uri } from './mutable-uri.ts';
import { StatusValue } from './status.ts';

/** Class of the stream that content is read from. */
export const BRANCHING_STREAM = 'org.forgerock.http.io.ByteArrayBranchingStream';

/** Jackson reads one value of a message, and does not look at what follows. */
const entityManner: JsonManner = { ...jacksonManner, ignoresRest: true };

/** Content of a message; JSON that was read once is the same object at the next reading. */
export class EntityValue implements Obj {
  readonly javaClass: JavaClass;
  readonly message: MessageValue;
  readonly #rt: Runtime;
  #bytes: Uint8Array = new Uint8Array();
  #isReplaced = false;
  /** The stream that reads the content itself: bytes that a script takes from it are gone. */
  #stream: ByteStream | null = null;
  #load: (() => Promise<Uint8Array>) | null = null;
  #json: Value = null;

  constructor(rt: Runtime, message: MessageValue) {
    this.#rt = rt;
    this.javaClass = rt.class('org.forgerock.http.protocol.Entity');
    this.message = message;
  }

  text(): string {
    return this.string();
  }

  get bytes(): Uint8Array {
    return this.#stream === null ? this.#bytes : this.#bytes.subarray(this.#stream.at);
  }

  set bytes(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#stream = null;
  }

  /** True once the script put other content in the place of the one that came, or took some of it. */
  get isReplaced(): boolean {
    return this.#isReplaced || (this.#stream?.at ?? 0) > 0;
  }

  stream(rt: Runtime): ByteStream {
    this.#stream ??= new ByteStream(rt, this.#bytes, BRANCHING_STREAM);
    return this.#stream;
  }

  get charset(): string {
    const type = this.message.headers.get('Content-Type');
    const name = type instanceof HeaderValue ? (type.parsed.charset ?? null) : null;
    if (name === null) return 'ISO-8859-1';
    return charsetNamed(name) ?? this.#rt.fail('java.nio.charset.UnsupportedCharsetException', name);
  }

  string(): string {
    chargeText(this.bytes.length);
    return decodeBytes(this.charset, this.bytes);
  }

  setRaw(bytes: Uint8Array): void {
    this.#load = null;
    this.#isReplaced = true;
    this.bytes = bytes;
    this.#json = null;
  }

  /** Sets the content that came: bytes, or a function that reads them when a script asks for them. */
  receive(content: Uint8Array | (() => Promise<Uint8Array>)): void {
    if (typeof content === 'function') this.#load = content;
    else this.bytes = content;
  }

  /** Waits until the content is there. */
  *arrive(rt: Runtime): Steps<void> {
    const load = this.#load;
    if (load === null) return;
    const content = (yield load().then((bytes) => new ByteArray(bytes))) as ByteArray;
    if (this.#load !== load) return;
    rt.budget.allocate(content.bytes.length);
    this.#load = null;
    this.bytes = content.bytes;
  }

  setBytes(rt: Runtime, bytes: Uint8Array): void {
    rt.budget.allocate(bytes.length);
    putHeader(rt, this.message.headers, 'Content-Length', String(bytes.length));
    this.setRaw(bytes);
  }

  json(rt: Runtime): Value {
    if (this.#json !== null) return this.#json;
    try {
      this.#json = readJson(decodeBytes('UTF-8', this.bytes), entityManner, rt.budget);
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      const text = decodeBytes('UTF-8', this.bytes);
      if (text.trim() === '')
        rt.fail('com.fasterxml.jackson.databind.exc.MismatchedInputException', 'No content to map due to end-of-input');
      const isCut = error.at >= text.trimEnd().length;
      rt.fail(`com.fasterxml.jackson.core.${isCut ? 'io.JsonEOFException' : 'JsonParseException'}`, error.message);
    }
    return this.#json;
  }

  setJson(rt: Runtime, value: Value): void {
    putHeader(rt, this.message.headers, 'Content-Type', 'application/json; charset=UTF-8');
    this.setBytes(rt, encodeText('UTF-8', writeJson(rt, value, jackson)));
  }

  /** Implements `entity = x`: bytes, text, or anything else as JSON. */
  set(rt: Runtime, value: Value): void {
    if (value instanceof ByteArray) this.setBytes(rt, value.bytes.slice());
    else if (typeof value === 'string') this.setBytes(rt, encodeText(this.charset, value));
    else this.setJson(rt, value);
  }
}

/** Bytes of a header that came, with its entry. */
const HEADER_BYTES = 160;

/** Bytes of a message without headers and content. */
const MESSAGE_BYTES = 512;

const REQUEST = 'org.forgerock.http.protocol.Request';
const RESPONSE = 'org.forgerock.http.protocol.Response';

/** A request or a response. Its parts are made when a script asks for them: most scripts use few of them. */
export class MessageValue implements Obj {
  readonly javaClass: JavaClass;
  version = 'HTTP/1.1';
  /** Null for a request that a script made, until it sets one. */
  method: string | null = null;
  cause: Value = null;
  /** The message of the gateway that it was made of; null for one that a script made. */
  readonly source: object | null;
  /** Headers that came: a script puts other objects in their place. */
  readonly received: HeaderValue[] = [];
  readonly #rt: Runtime;
  readonly #plain: PlainMessage | null;
  #headers: GMap | null = null;
  #entity: EntityValue | null = null;
  #uri: MutableUri | null | undefined = undefined;
  #status: StatusValue | null | undefined = undefined;

  constructor(rt: Runtime, kind: 'Request' | 'Response', plain: PlainMessage | null = null) {
    rt.budget.allocate(MESSAGE_BYTES);
    this.javaClass = rt.class(kind === 'Request' ? REQUEST : RESPONSE);
    this.source = plain?.source ?? null;
    this.#rt = rt;
    this.#plain = plain;
  }

  get headers(): GMap {
    if (this.#headers !== null) return this.#headers;
    const headers = newHeaders(this.#rt);
    this.#headers = headers;
    const plain = this.#plain;
    if (plain?.header !== undefined) headers.setLate(new ReceivedHeaders(this.#rt, this, plain));
    else for (const [name, values] of plain?.headers ?? []) addHeaderLines(this.#rt, headers, name, values);
    return headers;
  }

  /** The headers, if a script asked for them. */
  get askedHeaders(): GMap | null {
    return this.#headers;
  }

  get entity(): EntityValue {
    if (this.#entity === null) {
      this.#entity = new EntityValue(this.#rt, this);
      if (this.#plain !== null) this.#entity.receive(this.#plain.entity);
    }
    return this.#entity;
  }

  get isEntityReplaced(): boolean {
    return this.#entity?.isReplaced ?? false;
  }

  get uri(): MutableUri | null {
    if (this.#uri === undefined) {
      const text = this.#plain?.uri;
      this.#uri = text === undefined ? null : mutableUri(this.#rt, text);
    }
    return this.#uri;
  }

  set uri(uri: MutableUri | null) {
    this.#uri = uri;
  }

  /** True if a script asked for the URI, or set it. */
  get isUriAsked(): boolean {
    return this.#uri !== undefined;
  }

  get status(): StatusValue | null {
    if (this.#status === undefined) {
      const { status, reason } = this.#plain ?? {};
      this.#status = status === undefined ? null : new StatusValue(this.#rt, status, reason);
    }
    return this.#status;
  }

  set status(status: StatusValue | null) {
    this.#status = status;
  }

  /** True if a script asked for the status, or set it. */
  get isStatusAsked(): boolean {
    return this.#status !== undefined;
  }
}

function addHeaderLines(rt: Runtime, headers: GMap, name: string, values: readonly string[]): void {
  for (const value of values) addHeader(rt, headers, name, value);
}

/** Headers that came with a message, which become values of the script when it asks for them. */
class ReceivedHeaders implements LateEntries {
  readonly #rt: Runtime;
  readonly #message: MessageValue;
  readonly #plain: PlainMessage;
  readonly #taken = new Set<unknown>();

  constructor(rt: Runtime, message: MessageValue, plain: PlainMessage) {
    this.#rt = rt;
    this.#message = message;
    this.#plain = plain;
  }

  take(key: unknown): Entry | undefined {
    if (this.#taken.has(key)) return undefined;
    this.#taken.add(key);
    const lines = this.#plain.header!(key as string);
    return lines === null ? undefined : this.#entry(key as string, lines);
  }

  rest(): [string, Entry][] {
    const byKey = new Map<string, ReceivedLines>();
    for (const [name, values] of this.#plain.headers) {
      const key = name.toLowerCase();
      const known = byKey.get(key);
      byKey.set(key, {
        first: known?.first ?? name,
        last: name,
        values: known === undefined ? values : [...known.values, ...values],
      });
    }
    return [...byKey]
      .filter(([key]) => !this.#taken.has(key))
      .map(([key, lines]): [string, Entry] => [key, this.#entry(key, lines)]);
  }

  #entry(key: string, { first, last, values }: ReceivedLines): Entry {
    this.#rt.budget.allocate(HEADER_BYTES);
    const header = headerOf(this.#rt, last, values);
    header.receivedBy = this.#message;
    header.receivedKey = key;
    this.#message.received.push(header);
    return new Entry(first, header);
  }
}

/** A copy that shares nothing with the original. */
export function* copyMessage(rt: Runtime, message: MessageValue, kind: 'Request' | 'Response'): Steps<MessageValue> {
  yield* message.entity.arrive(rt);
  const copy = new MessageValue(rt, kind);
  // Content that came is read without its codings.
  const isDecoded = message.source !== null && !message.entity.isReplaced;
  for (const { value } of message.headers.entries()) {
    if (!(value instanceof HeaderValue) || (isDecoded && value.name.toLowerCase() === 'content-encoding')) continue;
    copy.headers.put(value.name, value);
  }
  rt.budget.allocate(message.entity.bytes.length);
  copy.entity.setRaw(message.entity.bytes.slice());
  copy.method = message.method;
  copy.uri = message.uri === null ? null : new Uri(rt, message.uri.parts);
  copy.status = message.status;
  copy.version = message.version;
  copy.cause = message.cause;
  return copy;
}

/** Lines of one name: the name as it was in the first line and in the last. */
export interface ReceivedLines {
  readonly first: string;
  readonly last: string;
  readonly values: readonly string[];
}

/** A message as the gateway has it, outside of any script. */
export interface PlainMessage {
  /** Lines of a name in lower case, or null: present for messages of the gateway itself. */
  header?(name: string): ReceivedLines | null;
  readonly headers: readonly (readonly [name: string, values: readonly string[]])[];
  /** Content, or a function that reads it when a script asks for it. */
  readonly entity: Uint8Array | (() => Promise<Uint8Array>);
  /** The message of the gateway itself, which a script returns or sends on. */
  readonly source?: object;
  /** Of a request. */
  readonly uri?: string;
  /** Of a response. */
  readonly status?: number;
  readonly reason?: string;
}

/** A request as a script sends it. */
export interface SentRequest extends Omit<PlainRequest, 'method'> {
  /** Null if the script set none: the gateway sends a GET. */
  readonly method: string | null;
  readonly entity: Uint8Array;
  readonly message: MessageValue;
}

export interface PlainRequest extends PlainMessage {
  readonly method: string;
  readonly uri: string;
}

export interface PlainResponse extends PlainMessage {
  readonly status: number;
  readonly reason: string;
}

export function plainHeaders(message: MessageValue): [string, string[]][] {
  return message.headers
    .entries()
    .flatMap(({ value }): [string, string[]][] =>
      value instanceof HeaderValue ? [[value.name, [...value.values]]] : [],
    );
}

/** A request that a script sends, as it is at the moment. */
class RequestNow implements SentRequest {
  readonly message: MessageValue;

  constructor(message: MessageValue) {
    this.message = message;
  }

  get method(): string | null {
    return this.message.method;
  }

  get uri(): string {
    return this.message.uri?.text() ?? '';
  }

  get headers(): [string, string[]][] {
    return plainHeaders(this.message);
  }

  get entity(): Uint8Array {
    return this.message.entity.bytes;
  }
}

/** The request as the gateway sends it. Its parts are made when they are read, which must be before the script runs on. */
export function plainRequest(message: MessageValue): SentRequest {
  return new RequestNow(message);
}

export function requestValue(rt: Runtime, request: PlainRequest): MessageValue {
  const message = new MessageValue(rt, 'Request', request);
  message.method = request.method;
  return message;
}
