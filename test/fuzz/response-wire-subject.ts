import { plainAnswer, ScriptedBackend, type ScriptedPeer } from '../support/backends/scripted-backend.ts';
import { nextTurn } from '../support/clients/event-loop.ts';
import { RawClient } from '../support/clients/raw-client.ts';
import { startGateway, type TestGateway } from '../support/gateways/gateway.ts';
import { finalAnswers, readAnswers, type SeenAnswer, type SeenAnswers } from './answer-reader.ts';
import { listedTrailers } from './chunk-model.ts';
import { engineFaulted, takeEngineFaults } from './engine-faults.ts';
import { mutate } from './mutation.ts';
import { comes } from './patience.ts';
import { Random } from './random.ts';
import { chunked } from './request-grammar.ts';
import { responseStream } from './response-grammar.ts';
import { type ModelAnswer, type ModelResponse, readResponse } from './response-model.ts';
import { type Cuts, everyByte, pieces, randomCuts, WHOLE } from './segmentation.ts';
import { type Complaint, type Lane, type Subject, shorter } from './subject.ts';

/** Requests that the backend answers with the stream of the case. */
const REQUESTS = {
  get: { method: 'GET', text: 'GET /script HTTP/1.1\r\nHost: h\r\n\r\n' },
  head: { method: 'HEAD', text: 'HEAD /script HTTP/1.1\r\nHost: h\r\n\r\n' },
  post: { method: 'POST', text: 'POST /script HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello' },
  chunks: {
    method: 'POST',
    text: 'POST /script HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
  },
  expects: {
    method: 'PUT',
    text: 'PUT /script HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello',
  },
  old: { method: 'GET', text: 'GET /script HTTP/1.0\r\n\r\n' },
  kept: { method: 'GET', text: 'GET /script HTTP/1.0\r\nConnection: keep-alive\r\n\r\n' },
  upgrade: {
    method: 'GET',
    text: 'GET /script HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  },
  last: { method: 'GET', text: 'GET /script HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n' },
};

export interface AnswerWireCase {
  readonly stream: string;
  readonly request: keyof typeof REQUESTS;
  /** What the backend does after the stream: ends its side, resets, or keeps the connection. */
  readonly end: 'end' | 'reset' | 'keep';
  /** The backend answers and goes when it has seen the head; the client sends the body afterwards. */
  readonly early: boolean;
  readonly seed: number;
}

const RESPONSE_TIMEOUT = 1000;
const HEAD_BYTES = 4000;
const BYTEWISE = 400;
/** A new backend and gateway now and then: the support classes remember everything that happened. */
const CASES_A_PLACE = 200;

interface Outcome {
  readonly seen: SeenAnswers;
  /** What came behind the answer that switched protocols. */
  readonly tunnelled: string;
  readonly ending: 'open' | 'ended' | 'reset' | 'hangs';
  /** What later requests got: `ok`, or what was wrong. */
  readonly next: readonly string[];
  /** The connection of the answer was used again. */
  readonly reused: boolean;
}

/** Answers of a hostile or broken backend through the whole engine, over real sockets. */
export class ResponseWireSubject implements Subject<AnswerWireCase> {
  readonly name = 'response-wire';
  readonly lanes = 32;
  runs = 0;

  make(random: Random): AnswerWireCase {
    let stream = responseStream(random);
    if (!random.once(5)) stream = mutate(random, stream, responseStream(random));
    if (random.once(100)) stream = largeAnswer(random);
    const request = random.pick(Object.keys(REQUESTS) as AnswerWireCase['request'][]);
    const early = random.once(4) && ['post', 'chunks', 'expects'].includes(request);
    const end = random.pick<AnswerWireCase['end']>(early ? ['end', 'reset'] : ['end', 'end', 'reset', 'keep']);
    return { stream, request, end, early, seed: random.next() };
  }

  *smaller(input: AnswerWireCase): Iterable<AnswerWireCase> {
    if (input.early) yield { ...input, early: false };
    if (input.request !== 'get') yield { ...input, request: 'get', early: false };
    for (const stream of shorter(input.stream)) yield { ...input, stream };
  }

  async open(): Promise<Lane<AnswerWireCase>> {
    let place = await Place.open();
    return {
      check: async (input) => {
        if (place.cases++ > CASES_A_PLACE) {
          await place.close();
          place = await Place.open();
        }
        return this.check(place, input);
      },
      close: () => place.close(),
    };
  }

  private async check(place: Place, input: AnswerWireCase): Promise<Complaint | null> {
    const { stream, seed } = input;
    const model = readResponse(stream, REQUESTS[input.request].method, HEAD_BYTES);
    for (const cuts of segmentations(new Random(seed), stream)) {
      this.runs++;
      const outcome = await place.play(input, cuts, model);
      const kind = judge(outcome, input, model, place);
      if (kind === null) continue;
      const faults = place.takeFaults();
      const detail = JSON.stringify({ cuts: cuts.slice(0, 50), outcome, faults });
      return { kind, detail: `${detail}\nmodel:\n${JSON.stringify(model)}` };
    }
    return null;
  }
}

function largeAnswer(random: Random): string {
  const body = `${random.next()} `.repeat(random.between(10, 60_000));
  const framed = random.once(2);
  const head = `HTTP/1.1 200 OK\r\n${framed ? `Content-Length: ${body.length}` : 'Transfer-Encoding: chunked'}\r\n\r\n`;
  const stream = head + (framed ? body : chunked(random, body.slice(0, 20_000)));
  return random.once(4) ? stream.slice(0, random.below(stream.length)) : stream;
}

function* segmentations(random: Random, stream: string): Generator<Cuts> {
  yield WHOLE;
  if (stream.length <= BYTEWISE) yield everyByte(stream.length);
  yield randomCuts(random, stream, 2);
  yield randomCuts(random, stream, 12);
}

/** What a backend plays next. */
interface Script {
  readonly stream: string;
  readonly cuts: Cuts;
  readonly end: AnswerWireCase['end'];
  readonly early: boolean;
  /** The connection it was played on last. */
  peer: ScriptedPeer | null;
  /** That connection was given another request. */
  reused: boolean;
  played(): void;
}

/** One gateway with its backend. */
class Place {
  readonly gateway: TestGateway;
  cases = 0;
  private readonly backend: ScriptedBackend;
  private readonly stage: { script: Script | null };
  private echoes = 0;

  private constructor(gateway: TestGateway, backend: ScriptedBackend, stage: { script: Script | null }) {
    this.gateway = gateway;
    this.backend = backend;
    this.stage = stage;
  }

  static async open(): Promise<Place> {
    const stage: { script: Script | null } = { script: null };
    const backend = await ScriptedBackend.start((peer) => serve(peer, stage));
    const { destination } = backend;
    const times = { responseTimeout: RESPONSE_TIMEOUT, headBytes: HEAD_BYTES };
    const gateway = await startGateway({ backend: { destination, ...times, upgrades: ['websocket'] } });
    return new Place(gateway, backend, stage);
  }

  get faulted(): boolean {
    return this.gateway.faults.length + this.backend.faults.length > 0 || engineFaulted();
  }

  takeFaults(): string[] {
    return [...takeEngineFaults(), ...[...this.gateway.faults.splice(0), ...this.backend.faults.splice(0)].map(String)];
  }

  async play(input: AnswerWireCase, cuts: Cuts, model: ModelResponse): Promise<Outcome> {
    const { stream, request, end, early } = input;
    const { method, text } = REQUESTS[request];
    const tail = isTunnel(input, model) ? model.rest.length : 0;
    this.gateway.finished.length = 0;
    const played = new Promise<void>((resolve) => {
      this.stage.script = { stream, cuts, end, early, peer: null, reused: false, played: resolve };
    });
    const client = await RawClient.connect(this.gateway.port);
    const read = (): SeenAnswers =>
      readAnswers(client.text.slice(0, client.text.length - tail), [method], client.ended && !client.failed);
    const enough = (): boolean =>
      isTunnel(input, model) ? end === 'keep' && isSwitched(read()) : finalAnswers(read()) > 0;
    const body = text.indexOf('\r\n\r\n') + 4;
    client.send(early ? text.slice(0, body + 1) : text);
    let came = await comes(played);
    if (early) client.send(text.slice(body + 1));
    came = (await comes(client.until(enough))) && came;
    // what the backend still has under way belongs to nobody; it must have arrived before the next request is sent
    for (let turn = 0; turn < 4; turn++) await nextTurn();
    const ending = !came ? 'hangs' : client.failed ? 'reset' : client.ended ? 'ended' : 'open';
    const seen = read();
    const tunnelled = client.text.slice(client.text.length - tail);
    const next = ending === 'open' && !isTunnel(input, model) ? [this.echo(client, client.bytes.length)] : [];
    for (let i = 0; i < 2; i++) next.push(this.echo(await RawClient.connect(this.gateway.port), 0));
    const results = await Promise.all(next);
    const outcome: Outcome = { seen, tunnelled, ending, next: results, reused: this.stage.script!.reused };
    client.destroy();
    return outcome;
  }

  /** Sends a request that is answered with its own name. */
  private async echo(client: RawClient, from: number): Promise<string> {
    const target = `/echo/${this.echoes++}`;
    client.send(`GET ${target} HTTP/1.1\r\nHost: h\r\n\r\n`);
    const read = (): SeenAnswers => readAnswers(client.text.slice(from), ['GET'], false);
    const came = await comes(client.until(() => finalAnswers(read()) > 0));
    const { answers, violation } = read();
    client.destroy();
    if (!came) return 'hangs';
    if (violation === null && answers.length === 1 && answers[0]!.status === 200 && answers[0]!.body === target)
      return 'ok';
    // a connection that the gateway meant to close anyway may be closed before it is asked again
    return from > 0 && client.closed && answers.length === 0 ? 'closed' : client.text.slice(from);
  }

  async close(): Promise<void> {
    await this.gateway.close();
    await this.backend.close();
  }
}

/** Whether both sides agree to switch protocols. */
function isTunnel({ request }: AnswerWireCase, { final, protocol }: ModelResponse): boolean {
  return request === 'upgrade' && final === 'switched' && protocol === 'websocket';
}

function isSwitched({ answers }: SeenAnswers): boolean {
  return answers.at(-1)?.status === 101;
}

async function serve(peer: ScriptedPeer, stage: { readonly script: Script | null }): Promise<void> {
  for (;;) {
    await peer.until((text) => text.includes('\r\n'));
    if (peer.received.includes(' /script ')) {
      const script = stage.script!;
      const { stream, cuts, end, early, played } = script;
      script.peer = peer;
      if ((early ? await peer.head() : await peer.request()) === null) return;
      for (const piece of pieces(stream, cuts)) {
        peer.send(piece);
        if (cuts.length > 0) await nextTurn();
      }
      if (end === 'end') peer.end();
      else if (end === 'reset') peer.reset();
      played();
      if (early) return;
    } else {
      const request = await peer.request();
      if (request === null) return;
      if (stage.script?.peer === peer) stage.script.reused = true;
      peer.send(plainAnswer(request.target));
    }
  }
}

/**
 * The same in every segmentation, but for one thing: an answer whose content turns out broken is a 502 when that
 * is seen before any of it was passed on; otherwise it is a part of the right answer that visibly breaks off.
 * @returns the kind of what is wrong, or null.
 */
function judge(outcome: Outcome, input: AnswerWireCase, model: ModelResponse, place: Place): string | null {
  const { seen, ending, next } = outcome;
  if (place.faulted) return 'fault';
  if (ending === 'hangs') return 'hangs';
  if (seen.violation !== null) return 'answer not strict';
  const wrong = next.find((result) => result !== 'ok' && result !== 'closed');
  if (wrong !== undefined) return wrong === 'hangs' ? 'next hangs' : 'next answer';
  if (outcome.reused && !(typeof model.final !== 'string' && model.final.reusable)) return 'reuse';
  if (isTunnel(input, model)) return judgeTunnel(outcome, input, model);
  const interims = seen.answers.filter((answer) => answer.status < 200);
  if (!sameInterims(interims, model, input)) return 'interims';
  const final = seen.answers[interims.length];
  if (final !== undefined && isRefusal(final)) return mayRefuse(model, input) ? null : 'refused';
  if (typeof model.final === 'string') return 'accepted';
  if (final === undefined) return mayBreak(model.final, input) && ending === 'reset' ? null : 'no answer';
  if (!sameHead(final, model.final)) return 'head';
  if (!final.complete) {
    if (!mayBreak(model.final, input) && !mayLose(input)) return 'aborted';
    return ending === 'reset' && model.final.body.startsWith(final.body) ? null : 'break';
  }
  if (mayBreak(model.final, input)) return 'break hidden';
  if (final.body !== model.final.body) return 'body';
  const modern = input.request !== 'old' && input.request !== 'kept';
  return !modern || final.trailers === listedTrailers(model.final.trailers) ? null : 'trailers';
}

/** Everything behind the 101 arrives as it was sent; a reset may take the last of it along. */
function judgeTunnel({ seen, tunnelled, ending }: Outcome, input: AnswerWireCase, model: ModelResponse): string | null {
  if (input.end === 'reset') return null;
  if (!isSwitched(seen) || tunnelled !== model.rest) return 'tunnel';
  if (!sameInterims(seen.answers.slice(0, -1), model, input)) return 'interims';
  return ending === (input.end === 'end' ? 'ended' : 'open') ? null : 'tunnel end';
}

function isRefusal(answer: SeenAnswer): boolean {
  const type = answer.headers.find(([name]) => name === 'content-type')?.[1];
  return answer.status === 502 && type === 'application/json';
}

/** Whether the answer is not all there, so that what was passed on of it breaks off. */
function mayBreak(answer: ModelAnswer, { end }: AnswerWireCase): boolean {
  return answer.state === 'open' ? end !== 'end' : answer.state !== 'complete';
}

/** A reset takes along what the kernel has not sent. */
function mayLose({ stream, end }: AnswerWireCase): boolean {
  return end === 'reset' && stream.length > 20_000;
}

function mayRefuse({ final }: ModelResponse, input: AnswerWireCase): boolean {
  return typeof final === 'string' || mayBreak(final, input) || mayLose(input);
}

/** Clients that know interim answers get them, 100 only when they wait for it. */
function sameInterims(seen: readonly SeenAnswer[], model: ModelResponse, { request }: AnswerWireCase): boolean {
  let waits = request === 'expects';
  const passed = model.interims.filter(({ status }) => {
    if (status !== 100) return request !== 'old' && request !== 'kept';
    const first = waits;
    waits = false;
    return first;
  });
  const plain = ({ status, reason, headers }: Pick<SeenAnswer, 'status' | 'reason' | 'headers'>): unknown => [
    status,
    reason,
    headers.filter(([name]) => name !== 'date' && name !== 'content-length'),
  ];
  return JSON.stringify(seen.map(plain)) === JSON.stringify(passed.map(plain));
}

/** The lines of the backend, in order; the length may stand elsewhere and in other digits. */
function sameHead(seen: SeenAnswer, model: ModelAnswer): boolean {
  const plain = ({ status, reason, headers }: Pick<SeenAnswer, 'status' | 'reason' | 'headers'>): string => {
    const ours = ['connection', 'transfer-encoding', 'date', 'content-length'];
    const lengths = headers.filter(([name]) => name === 'content-length').map(([, value]) => Number(value));
    return JSON.stringify([
      status,
      reason,
      headers.filter(([name]) => !ours.includes(name)),
      status === 204 ? [] : lengths,
    ]);
  };
  return plain(seen) === plain(model);
}
