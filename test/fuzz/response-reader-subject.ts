import { resetRanges } from '../../dataplane/engine/head/header-ranges.ts';
import type { Headers } from '../../dataplane/engine/head/headers.ts';
import { ResponseReader, type ResponseReceiver } from '../../dataplane/engine/http1/response-reader.ts';
import type { Body } from '../../dataplane/engine/message/body.ts';
import type { Response } from '../../dataplane/engine/message/response.ts';
import { mutate } from './mutation.ts';
import { Random } from './random.ts';
import { responseStream } from './response-grammar.ts';
import { type ModelResponse, readResponse } from './response-model.ts';
import { type Cuts, everyByte, pieces, randomCuts, WHOLE } from './segmentation.ts';
import { giveTo, LITTER, sinkWire } from './sink-wire.ts';
import { type Complaint, type Subject, shorter } from './subject.ts';

export interface AnswerCase {
  readonly stream: string;
  readonly method: string;
  readonly headBytes: number;
  readonly seed: number;
}

/** Streams up to this length are cut at every place, now and then: more streams find more than more cuts. */
const ALL_CUTS = 700;

/** Stands for a connection to a backend: takes what the reader finds. */
class Receiver implements ResponseReceiver {
  readonly method: string;
  readonly reader: ResponseReader;
  readonly interims: string[] = [];
  answer: { head: string; body: string; trailers: string; complete: boolean } | null = null;
  refused = false;
  /** The answer broke off after it had begun. */
  aborted = false;
  reusable = false;

  constructor(method: string, headBytes: number) {
    this.method = method;
    this.reader = new ResponseReader(this, headBytes);
    this.reader.expect();
  }

  interim(status: number, reason: string, headers: Headers): void {
    this.interims.push(JSON.stringify([status, reason, headers.entries()]));
  }

  answered(response: Response, last: boolean, complete: boolean): void {
    const head = JSON.stringify([response.status, response.headers.entries()]);
    const answer = { head, body: response.headers.takeContent().latin1Slice(), trailers: '', complete };
    this.answer = answer;
    this.reusable = !last;
    if (complete) return;
    const bodyData = (bytes: Buffer, start: number, end: number): void => {
      answer.body += bytes.latin1Slice(start, end);
    };
    const bodyEnd = (trailers: string): void => {
      answer.trailers = trailers;
      answer.complete = true;
    };
    response.incomingBody!.pipe({ bodyData, bodyEnd, bodyFailed() {} }, false);
  }

  switched(): void {
    this.refuse();
  }

  completed(body: Body, trailers: string, clean: boolean): void {
    if (!clean) this.reusable = false;
    body.finish(trailers);
  }

  refuse(): void {
    this.reader.stop();
    this.reusable = false;
    if (this.answer === null) this.refused = true;
    else this.aborted = true;
  }

  receive(bytes: Buffer, start: number, end: number): void {
    if (this.refused || this.aborted) return;
    if (!this.reader.receive(sinkWire(), bytes, start, end)) this.reusable = false;
  }

  /** The backend ends the connection. */
  end(): void {
    if (this.refused || this.aborted || this.answer?.complete === true) return;
    if (this.reader.endsWithConnection) this.reader.stop()!.finish('');
    else this.refuse();
  }

  pauseBody(): void {}
  resumeBody(): void {}
  abandonBody(): void {}
  bodyWanted(): void {}
}

export class ResponseReaderSubject implements Subject<AnswerCase> {
  readonly name = 'response-reader';
  readonly lanes = 1;
  runs = 0;

  make(random: Random): AnswerCase {
    const stream = responseStream(random);
    return {
      stream: random.once(6) ? stream : mutate(random, stream, responseStream(random)),
      method: random.pick(['GET', 'GET', 'GET', 'HEAD', 'POST']),
      headBytes: random.once(3) ? 200 : 65_536,
      seed: random.next(),
    };
  }

  *smaller(input: AnswerCase): Iterable<AnswerCase> {
    for (const stream of shorter(input.stream)) yield { ...input, stream };
  }

  open() {
    return Promise.resolve({
      check: (input: AnswerCase) => this.check(input),
      close: () => Promise.resolve(),
    });
  }

  check({ stream, method, headBytes, seed }: AnswerCase): Complaint | null {
    const model = readResponse(stream, method, headBytes);
    const random = new Random(seed);
    for (const cuts of segmentations(random, stream)) {
      const seen = this.read(stream, cuts, method, headBytes, random.pick(LITTER));
      const wrong = compare(seen, model);
      if (wrong === null) continue;
      const { interims, answer, refused, aborted, reusable } = seen;
      const where = cuts.length === stream.length - 1 ? 'everywhere' : `at ${cuts.join(', ') || 'no place'}`;
      return {
        kind: wrong,
        detail: `cut ${where}:\n${JSON.stringify({ interims, answer, refused, aborted, reusable })}\nmodel:\n${JSON.stringify(model)}`,
      };
    }
    return null;
  }

  private read(stream: string, cuts: Cuts, method: string, headBytes: number, litter: string): Receiver {
    this.runs++;
    resetRanges();
    const receiver = new Receiver(method, headBytes);
    for (const piece of pieces(stream, cuts)) {
      giveTo((bytes, start, end) => receiver.receive(bytes, start, end), piece, litter);
    }
    receiver.end();
    return receiver;
  }
}

function* segmentations(random: Random, stream: string): Generator<Cuts> {
  yield WHOLE;
  yield everyByte(stream.length);
  if (stream.length <= ALL_CUTS && random.once(4)) for (let at = 1; at < stream.length; at++) yield [at];
  for (let i = 0; i < 8; i++) yield randomCuts(random, stream, 6);
}

/**
 * The same in every segmentation, but for one thing: an answer whose content turns out broken is refused when that is
 * seen before any of it was passed on, and breaks off after a part of it otherwise.
 */
function compare(seen: Receiver, { interims, final }: ModelResponse): string | null {
  const expected = interims.map(({ status, reason, headers }) => JSON.stringify([status, reason, headers]));
  if (JSON.stringify(seen.interims) !== JSON.stringify(expected)) return 'interims';
  if (typeof final === 'string') return seen.refused ? null : 'accepted';
  const broken = final.state === 'malformed' || final.state === 'unfinished';
  if (seen.refused) return broken ? null : 'refused';
  if (seen.answer === null) return 'no answer';
  if (seen.answer.head !== JSON.stringify([final.status, final.headers])) return 'head';
  if (broken) return seen.aborted && final.body.startsWith(seen.answer.body) ? null : 'break';
  if (seen.aborted || !seen.answer.complete) return 'aborted';
  if (seen.answer.body !== final.body) return 'body';
  if (seen.answer.trailers !== final.trailers) return 'trailers';
  return seen.reusable === final.reusable ? null : 'reuse';
}
