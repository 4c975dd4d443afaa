import type { Next } from '../../dataplane/engine/message/exchange.ts';
import { StrictBackend, type StrictRequest } from '../support/backends/strict-backend.ts';
import { nextTurn } from '../support/clients/event-loop.ts';
import { RawClient } from '../support/clients/raw-client.ts';
import { startGateway, type TestGateway } from '../support/gateways/gateway.ts';
import { finalAnswers, readAnswers, type SeenAnswer, type SeenAnswers } from './answer-reader.ts';
import { engineFaulted, takeEngineFaults } from './engine-faults.ts';
import { mutate } from './mutation.ts';
import { comes } from './patience.ts';
import { Random } from './random.ts';
import { requestStream } from './request-grammar.ts';
import { type ModelReading, type ModelRequest, readRequests } from './request-model.ts';
import { type Cuts, everyByte, pieces, randomCuts, WHOLE } from './segmentation.ts';
import { type Complaint, type Lane, type Subject, shorter } from './subject.ts';

export interface WireCase {
  readonly stream: string;
  readonly chain: keyof typeof CHAINS;
  readonly seed: number;
}

const LIMITS = { targetBytes: 2000, headBytes: 4000, headerLines: 30, bodyBytes: 3_000_000 };

/** What stands between client and backend: nothing; something that waits; something that reads the whole request. */
const CHAINS = {
  direct: (backend: Next): Next => backend,
  waiting:
    (backend: Next): Next =>
    async (exchange) => {
      await nextTurn();
      return backend(exchange);
    },
  reading:
    (backend: Next): Next =>
    async (exchange) => {
      await exchange.request.entity.bytes(LIMITS.bodyBytes);
      return backend(exchange);
    },
};

/** Streams longer than this are not sent byte by byte: each byte takes a turn of the event loop. */
const BYTEWISE = 400;
/** Time for the gateway to find out that nobody reads. */
const DEAF_TURNS = 40;
/** Streams longer than this have answers that the kernel does not take while nobody reads. */
const LARGE = 4_500_000;
const AFTER = 'GET /after HTTP/1.1\r\nHost: after\r\n\r\n';

interface Way {
  readonly cuts: Cuts;
  /** The client says at once that nothing more comes; otherwise only when it has what it can expect. */
  readonly halfClose: boolean;
  /** The client reads nothing before it has sent everything. */
  readonly deaf: boolean;
}

interface Outcome {
  readonly upstream: readonly StrictRequest[];
  readonly seen: SeenAnswers;
  readonly ending: 'ended' | 'reset' | 'hangs';
  readonly canary: string;
}

/** Requests through the whole engine over real sockets, to a backend that reads by the letter. */
export class RequestWireSubject implements Subject<WireCase> {
  readonly name = 'request-wire';
  readonly lanes = 12;
  runs = 0;

  make(random: Random): WireCase {
    let stream = requestStream(random);
    if (!random.once(6)) stream = mutate(random, stream, requestStream(random));
    if (random.once(150)) stream = upload(random, 30_000) + stream;
    if (random.once(800)) stream = upload(random, 230_000) + upload(random, 230_000) + stream;
    return { stream, chain: random.pick(['direct', 'direct', 'waiting', 'reading']), seed: random.next() };
  }

  *smaller(input: WireCase): Iterable<WireCase> {
    for (const stream of shorter(input.stream)) yield { ...input, stream };
  }

  async open(): Promise<Lane<WireCase>> {
    const places = new Map<string, Place>();
    for (const chain of Object.keys(CHAINS) as WireCase['chain'][]) places.set(chain, await Place.open(chain));
    return {
      check: (input) => this.check(places.get(input.chain)!, input),
      async close() {
        for (const place of places.values()) await place.close();
      },
    };
  }

  private async check(place: Place, { stream, seed }: WireCase): Promise<Complaint | null> {
    const model = readRequests(stream, LIMITS);
    let first: string | null = null;
    for (const way of ways(new Random(seed), stream)) {
      this.runs++;
      const outcome = await place.play(stream, way, model);
      const after = way.halfClose ? [] : readAfter(stream, model);
      const wrong = judge(outcome, model, [...model.requests, ...after], place);
      const refusal = JSON.stringify(finals(outcome.seen)[model.requests.length + after.length] ?? null);
      first ??= refusal;
      const kind = wrong ?? (refusal === first ? null : 'segmentation');
      if (kind === null) continue;
      const faults = place.takeFaults();
      const detail = JSON.stringify({ ...way, cuts: way.cuts.slice(0, 50), outcome, faults, first });
      return { kind, detail: `${detail}\nmodel:\n${JSON.stringify(model)}` };
    }
    return null;
  }
}

/** The request that a client can send on the same connection when the stream is answered, or none. */
function readAfter(stream: string, model: ModelReading): ModelRequest[] {
  if (model.ending !== 'idle') return [];
  const { requests } = readRequests(stream + AFTER, LIMITS);
  return requests.slice(model.requests.length);
}

function upload(random: Random, words: number): string {
  const body = `${1_000_000_000 + random.below(1_000_000_000)} `.repeat(words);
  return `POST /large HTTP/1.1\r\nHost: large\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

function* ways(random: Random, stream: string): Generator<Way> {
  const deaf = false;
  yield { cuts: WHOLE, halfClose: true, deaf };
  yield { cuts: WHOLE, halfClose: false, deaf };
  if (stream.length <= BYTEWISE) yield { cuts: everyByte(stream.length), halfClose: random.once(2), deaf };
  yield { cuts: randomCuts(random, stream, 4), halfClose: true, deaf };
  yield { cuts: randomCuts(random, stream, 12), halfClose: false, deaf };
  if (stream.length > LARGE) yield { cuts: randomCuts(random, stream, 12), halfClose: random.once(2), deaf: true };
}

/** One gateway with its backend. */
class Place {
  readonly chain: WireCase['chain'];
  readonly gateway: TestGateway;
  readonly backend: StrictBackend;
  private canaries = 0;

  private constructor(chain: WireCase['chain'], gateway: TestGateway, backend: StrictBackend) {
    this.chain = chain;
    this.gateway = gateway;
    this.backend = backend;
  }

  static async open(chain: WireCase['chain']): Promise<Place> {
    const backend = await StrictBackend.start();
    const destination = { host: '127.0.0.1', port: backend.port };
    return new Place(
      chain,
      await startGateway({
        backend: { destination },
        handler: CHAINS[chain],
        limits: { ...LIMITS, halfClose: true, lingerTimeout: 60_000 },
      }),
      backend,
    );
  }

  takeFaults(): string[] {
    return [...takeEngineFaults(), ...this.gateway.faults.splice(0).map(String), ...this.backend.violations.splice(0)];
  }

  async play(stream: string, way: Way, model: ModelReading): Promise<Outcome> {
    this.backend.requests.length = 0;
    this.gateway.finished.length = 0;
    const canary = this.canary();
    const client = await RawClient.connect(this.gateway.port);
    const methods = [...model.requests, ...(model.begun === null ? [] : [model.begun])].map(
      (request) => request.method,
    );
    const read = (): SeenAnswers => readAnswers(client.text, methods, client.ended && !client.failed);
    if (way.deaf) client.socket.pause();
    for (const piece of pieces(stream, way.cuts)) {
      client.send(piece);
      if (way.cuts.length > 0) await nextTurn();
    }
    if (way.deaf) for (let turn = 0; turn < DEAF_TURNS; turn++) await nextTurn();
    client.socket.resume();
    let came = true;
    if (!way.halfClose) {
      const { length } = model.requests;
      came = await comes(
        client.until(
          () => (model.ending === 'idle' || model.ending === 'unfinished') && finalAnswers(read()) >= length,
        ),
      );
      if (came && readAfter(stream, model).length > 0) {
        client.send(AFTER);
        came = await comes(client.until(() => finalAnswers(read()) > length));
      }
    }
    client.finish();
    came = (await comes(client.untilClosed())) && came;
    const outcome: Outcome = {
      upstream: this.backend.requests.filter((request) => !request.target.startsWith('/canary/')),
      seen: read(),
      ending: !came ? 'hangs' : client.failed ? 'reset' : 'ended',
      canary: await canary,
    };
    client.destroy();
    return outcome;
  }

  /** A request on another connection; @returns `ok` when it is answered as it should be. */
  private async canary(): Promise<string> {
    const target = `/canary/${this.canaries++}`;
    const client = await RawClient.connect(this.gateway.port);
    client.send(`GET ${target} HTTP/1.1\r\nHost: canary\r\nConnection: close\r\n\r\n`);
    const came = await comes(client.untilClosed());
    client.destroy();
    if (!came) return 'hangs';
    return client.text.startsWith('HTTP/1.1 200 ') && client.text.includes(`"target":"${target}"`) ? 'ok' : client.text;
  }

  async close(): Promise<void> {
    await this.gateway.close();
    await this.backend.close();
  }
}

/** @returns the kind of what is wrong, or null. */
function judge(outcome: Outcome, model: ModelReading, requests: readonly ModelRequest[], place: Place): string | null {
  const { upstream, seen, ending, canary } = outcome;
  if (place.gateway.faults.length > 0 || engineFaulted()) return 'fault';
  if (place.backend.violations.length > 0) return 'not strict';
  if (ending !== 'ended') return ending;
  if (canary !== 'ok') return 'canary';
  if (seen.violation !== null) return 'answer not strict';
  if (upstream.length !== requests.length) return 'number of requests';
  for (const [i, request] of requests.entries()) if (!sameRequest(upstream[i]!, request, place)) return 'request';
  const answers = finals(seen);
  for (const [i, request] of requests.entries()) if (!answersTo(answers[i], upstream[i]!, request)) return 'answer';
  const refused = model.ending === 'refused' || model.ending === 'unfinished' ? 1 : 0;
  if (answers.length !== requests.length + refused) return 'number of answers';
  const refusal = answers[requests.length];
  if (refusal !== undefined && !(refusal.status >= 400 && refusal.complete && isLast(refusal))) return 'refusal';
  return null;
}

/** Whether a client is asked for its body depends on whether it has come already. */
function finals({ answers }: SeenAnswers): SeenAnswer[] {
  return answers.filter((answer) => answer.status !== 100);
}

function isLast(answer: SeenAnswer): boolean {
  return answer.headers.some(([name, value]) => name === 'connection' && value === 'close');
}

/** A backend that saw the request answers 200 with what it saw. */
function answersTo(answer: SeenAnswer | undefined, upstream: StrictRequest, request: ModelRequest): boolean {
  if (answer?.status !== 200 || !answer.complete || isLast(answer) !== request.last) return false;
  return request.method === 'HEAD' || answer.body === Buffer.from(JSON.stringify(upstream)).toString('latin1');
}

/** What was sent on is what was asked for: the client's lines in order, then those that the gateway adds. */
function sameRequest(seen: StrictRequest, request: ModelRequest, place: Place): boolean {
  const reading = place.chain === 'reading';
  const kept = request.headers.filter(([name]) => !(reading && name === 'content-length'));
  const added: [string, string][] = [
    ['x-forwarded-for', '127.0.0.1'],
    ['x-forwarded-proto', 'http'],
    ['x-forwarded-port', String(place.gateway.port)],
    ['via', `${request.version.slice('HTTP/'.length)} gatewarden`],
  ];
  if (request.host !== '') added.push(['x-forwarded-host', request.host]);
  else added.push(['host', `127.0.0.1:${place.backend.port}`]);
  // content that was read goes out with its length, unless trailers follow it
  if (request.chunked && (!reading || request.trailers !== '')) added.push(['transfer-encoding', 'chunked']);
  else if (reading && request.body !== '') added.push(['content-length', String(request.body.length)]);
  else if (['POST', 'PUT', 'PATCH'].includes(request.method) && !kept.some(([name]) => name === 'content-length')) {
    added.push(['content-length', '0']);
  }
  const expected = [...kept, ...added.sort()];
  const headers = [...seen.headers.slice(0, kept.length), ...seen.headers.slice(kept.length).toSorted()];
  const { method, target, body } = request;
  return (
    JSON.stringify([seen.method, seen.target, seen.body, headers]) === JSON.stringify([method, target, body, expected])
  );
}
