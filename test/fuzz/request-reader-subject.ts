import type { ProxyHeader } from '../../dataplane/engine/client/proxy-protocol.ts';
import { resetRanges } from '../../dataplane/engine/head/header-ranges.ts';
import { type ListenerLimits, listenerLimits } from '../../dataplane/engine/head/limits.ts';
import { RequestReader } from '../../dataplane/engine/http1/request-reader.ts';
import type { RequestReceiver } from '../../dataplane/engine/http1/request-receiver.ts';
import type { Refusal } from '../../dataplane/engine/message/refusal.ts';
import type { Request } from '../../dataplane/engine/message/request.ts';
import { mutate } from './mutation.ts';
import { Random } from './random.ts';
import { requestStream } from './request-grammar.ts';
import { type ModelReading, type ModelRequest, readRequests } from './request-model.ts';
import { type Cuts, everyByte, pieces, randomCuts, WHOLE } from './segmentation.ts';
import { giveTo, LITTER, sinkWire } from './sink-wire.ts';
import { type Complaint, type Subject, shorter } from './subject.ts';

export interface ReaderCase {
  readonly stream: string;
  readonly limits: 'usual' | 'tight';
  /** From a proxy that is believed: its headers are kept, and the PROXY protocol may come first. */
  readonly trusted: boolean;
  readonly seed: number;
}

const LIMITS: Record<ReaderCase['limits'], ListenerLimits> = {
  usual: listenerLimits.parse({}),
  tight: listenerLimits.parse({ targetBytes: 60, headBytes: 400, headerLines: 8, bodyBytes: 64 }),
};
/** Streams up to this length are cut at every place, now and then: more streams find more than more cuts. */
const ALL_CUTS = 700;

/**
 * When a request is answered: as soon as it is complete, after the piece that completed it, or after all pieces; or at
 * once while the client reads so slowly that every other piece must wait.
 */
const ANSWERING = ['at once', 'soon', 'late', 'blocked'] as const;
type Answering = (typeof ANSWERING)[number];

type SeenRequest = { -readonly [key in keyof Omit<ModelRequest, 'length'>]: ModelRequest[key] };

/** Stands for a connection: takes what the reader finds and lets requests wait behind the one that is answered. */
class Receiver implements RequestReceiver {
  readonly scheme = 'http';
  readonly trusted: boolean;
  readonly introductions: string[] = [];
  readonly complete: SeenRequest[] = [];
  /** The client does not take what it was sent. */
  blocked = false;
  /** A request is being answered. */
  running = false;
  /** The request whose body is arriving. */
  current: SeenRequest | null = null;
  answerable = false;
  closed = false;
  refusal: Refusal | null = null;
  readonly reader: RequestReader;
  private readonly answering: Answering;

  constructor(limits: ListenerLimits, trusted: boolean, answering: Answering) {
    this.trusted = trusted;
    this.answering = answering;
    this.reader = new RequestReader(sinkWire(), limits, this);
  }

  introduced({ source, destination }: ProxyHeader): void {
    this.introductions.push(JSON.stringify([source, destination]));
  }
  prefaced(): void {
    this.refuse('version');
  }
  hangUp(refusal: Refusal): void {
    this.refuse(refusal);
  }
  headBegun(): void {}
  bodyComplete(): void {}
  askForBody(): void {}

  get busy(): boolean {
    return this.running || this.blocked;
  }

  requested(request: Request, last: boolean): void {
    this.running = true;
    const body = request.incomingBody;
    const { method, forwardTarget, host, version, headers } = request;
    const seen: SeenRequest = {
      method,
      target: forwardTarget,
      host,
      version: version as ModelRequest['version'],
      headers: headers.entries(),
      chunked: body !== null && body.length < 0,
      last,
      expects: this.reader.expects,
      body: '',
      trailers: '',
    };
    this.current = seen;
    const end = (trailers: string): void => {
      seen.trailers = trailers;
      this.complete.push(seen);
      this.current = null;
      this.answerable = true;
      if (this.answering === 'at once' || this.answering === 'blocked') this.answer();
    };
    if (body === null) end('');
    else {
      const bodyData = (bytes: Buffer, from: number, to: number): void => {
        seen.body += bytes.latin1Slice(from, to);
      };
      body.pipe({ bodyData, bodyEnd: end, bodyFailed() {} }, false);
    }
  }

  /** The current request is answered: goes on with what waits. */
  answer(): void {
    if (!this.answerable || this.refusal !== null) return;
    const last = this.complete.at(-1)!.last;
    this.answerable = this.running = false;
    if (last) {
      this.closed = true;
      this.reader.stop();
    } else if (!this.blocked) this.reader.receiveWaiting();
  }

  /** The client reads again. */
  unblock(): void {
    this.blocked = false;
    if (!this.running && this.refusal === null && !this.closed) this.reader.receiveWaiting();
  }

  refuse(refusal: Refusal): void {
    this.refusal ??= refusal;
    this.reader.stop();
  }

  /** Nothing more comes. */
  end(): void {
    while (this.answerable && this.refusal === null) this.answer();
    if (this.refusal !== null || this.closed) return;
    if (this.current !== null) this.refuse('incomplete');
    else if (this.reader.begun) this.refuse(this.reader.blame('incomplete'));
  }
}

interface Reading {
  readonly introductions: readonly string[];
  readonly complete: readonly SeenRequest[];
  readonly current: SeenRequest | null;
  readonly refusal: Refusal | null;
  readonly closed: boolean;
}

export class RequestReaderSubject implements Subject<ReaderCase> {
  readonly name = 'request-reader';
  readonly lanes = 1;
  runs = 0;

  make(random: Random): ReaderCase {
    const trusted = random.once(10);
    const stream = (trusted ? proxyHeader(random) : '') + requestStream(random);
    return {
      stream: random.once(6) ? stream : mutate(random, stream, requestStream(random)),
      limits: random.once(3) ? 'tight' : 'usual',
      trusted,
      seed: random.next(),
    };
  }

  *smaller(input: ReaderCase): Iterable<ReaderCase> {
    for (const stream of shorter(input.stream)) yield { ...input, stream };
  }

  open() {
    return Promise.resolve({
      check: (input: ReaderCase) => this.check(input),
      close: () => Promise.resolve(),
    });
  }

  check(input: ReaderCase): Complaint | null {
    const { stream } = input;
    const limits = LIMITS[input.limits];
    const random = new Random(input.seed);
    const model = readRequests(stream, limits);
    const whole = this.read(input, WHOLE, 'at once', LITTER[0]!);
    const complaint = input.trusted ? null : compareToModel(whole, model);
    if (complaint !== null) return complaint;
    const expected = describe(whole);
    for (const cuts of segmentations(random, stream)) {
      const answering = random.pick(ANSWERING);
      const reading = this.read(input, cuts, answering, random.pick(LITTER));
      if (describe(reading) === expected) continue;
      const where = cuts.length === stream.length - 1 ? 'everywhere' : `at ${cuts.join(', ')}`;
      return {
        kind: 'segmentation',
        detail: `cut ${where}, answered ${answering}:\n${describe(reading)}\nwhole:\n${expected}`,
      };
    }
    return null;
  }

  private read({ stream, limits, trusted }: ReaderCase, cuts: Cuts, answering: Answering, litter: string): Reading {
    this.runs++;
    resetRanges();
    const receiver = new Receiver(LIMITS[limits], trusted, answering);
    const { reader } = receiver;
    for (const piece of pieces(stream, cuts)) {
      giveTo((bytes, start, end) => reader.receive(bytes, start, end), piece, litter);
      if (answering === 'soon') receiver.answer();
      if (receiver.blocked) receiver.unblock();
      else receiver.blocked = answering === 'blocked';
    }
    receiver.unblock();
    receiver.end();
    return receiver;
  }
}

/** What a proxy that speaks the PROXY protocol says first. */
function proxyHeader(random: Random): string {
  const v2 = '\r\n\r\n\0\r\nQUIT\n';
  return random.pick([
    '',
    'PROXY UNKNOWN\r\n',
    'PROXY TCP4 192.0.2.1 192.0.2.2 4711 80\r\n',
    'PROXY TCP6 2001:db8::1 ::1 4711 80\r\n',
    `${v2}\x20\x00\0\0`,
    `${v2}\x21\x11\0\x0c\x01\x02\x03\x04\x05\x06\x07\x08\x12\x34\0\x50`,
    `${v2}\x21\x11\0\x11\x01\x02\x03\x04\x05\x06\x07\x08\x12\x34\0\x50\x01\0\x02h2`,
    `${v2}\x21\x21\0\x24${'\x20\x01'.repeat(8)}${'\x20\x01'.repeat(8)}\x12\x34\0\x50`,
  ]);
}

function* segmentations(random: Random, stream: string): Generator<Cuts> {
  yield WHOLE;
  yield everyByte(stream.length);
  if (stream.length <= ALL_CUTS && random.once(4)) for (let at = 1; at < stream.length; at++) yield [at];
  for (let i = 0; i < 8; i++) yield randomCuts(random, stream, 6);
}

/** What must be the same in every segmentation. */
function describe({ introductions, complete, refusal, closed }: Reading): string {
  return JSON.stringify({ introductions, complete, refusal, closed });
}

function compareToModel(reading: Reading, model: ModelReading): Complaint | null {
  const expected = JSON.stringify(model.requests.map(withoutLength));
  const seen = JSON.stringify(reading.complete.map(inModelOrder));
  const { refusal, closed, current } = reading;
  if (seen !== expected)
    return { kind: 'model-requests', detail: `engine (${refusal}):\n${seen}\nmodel:\n${expected}` };
  const endings = {
    idle: refusal === null && !closed,
    closed,
    refused: refusal !== null,
    unfinished: refusal !== null,
  };
  if (!endings[model.ending]) {
    return {
      kind: 'model-ending',
      detail: `engine: ${refusal ?? (closed ? 'closed' : 'idle')}, model: ${model.ending}`,
    };
  }
  if (current !== null && model.begun !== null && !model.begun.body.startsWith(current.body)) {
    return { kind: 'model-begun', detail: `engine passed on ${JSON.stringify(current.body)}` };
  }
  return null;
}

function withoutLength({ length: _, ...request }: ModelRequest): SeenRequest {
  return inModelOrder(request);
}

function inModelOrder(request: SeenRequest): SeenRequest {
  const { method, target, host, version, headers, chunked, last, expects, body, trailers } = request;
  return { method, target, host, version, headers, chunked, last, expects, body, trailers };
}
