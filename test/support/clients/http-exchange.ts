import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { BytePattern, type Pace, PatternCheck, readPattern, writePattern } from '../backends/byte-pattern.ts';

/** One exchange of Node's own HTTP client with the gateway. */
export interface HttpExchangeOptions {
  readonly port: number;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: OutgoingHttpHeaders;
  /** What is sent; with its length unless `chunked`. */
  readonly content?: BytePattern;
  readonly chunked?: boolean;
  readonly sendPace?: Pace;
  /** What the answer should hold. */
  readonly expected?: BytePattern;
  readonly readPace?: Pace;
  /** Called with the answer before any of it is read. */
  readonly answered?: (answer: IncomingMessage) => Promise<void> | void;
}

export interface HttpExchange {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly trailers: NodeJS.Dict<string>;
  /** How many bytes the answer had, and whether they were the expected ones. */
  readonly received: number;
  readonly exact: boolean;
}

/** Sends and receives at the same time. @throws when either breaks off. */
export async function httpExchange(options: HttpExchangeOptions): Promise<HttpExchange> {
  const { port, content, chunked, expected } = options;
  const length = content === undefined || chunked === true ? {} : { 'Content-Length': content.length };
  const outgoing = request({
    port,
    host: '127.0.0.1',
    method: options.method ?? (content === undefined ? 'GET' : 'POST'),
    path: options.path ?? '/',
    agent: false,
    headers: { ...length, ...options.headers },
  });
  const response = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  const sending =
    content === undefined
      ? Promise.resolve(outgoing.end())
      : writePattern(outgoing, content, options.sendPace).then(() => outgoing.end());
  const [answer] = await response;
  await options.answered?.(answer);
  const check = new PatternCheck(expected ?? NOTHING);
  await readPattern(answer, check, options.readPace);
  await sending;
  return {
    status: answer.statusCode!,
    headers: answer.headers,
    trailers: answer.trailers,
    received: check.received,
    exact: check.exact,
  };
}

const NOTHING = new BytePattern(0, 0);
