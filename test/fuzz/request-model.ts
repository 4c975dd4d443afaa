import { FIELD_LINE, lineAt, listedTrailers, readChunks } from './chunk-model.ts';
import { modelHost, modelSamePlace, modelTarget } from './target-model.ts';

/**
 * An independent reader of request streams: RFC 9112 by the letter, plus the tolerances that the engine documents (a few
 * empty lines before a request, HTTP/1.0, a bare GET without a version). It reads text, line by line.
 */

export interface ModelLimits {
  readonly targetBytes: number;
  readonly headBytes: number;
  readonly headerLines: number;
  readonly bodyBytes: number;
}

export interface ModelRequest {
  readonly method: string;
  readonly target: string;
  readonly host: string;
  readonly version: 'HTTP/1.0' | 'HTTP/1.1';
  /** The lines that go on, names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly chunked: boolean;
  readonly length: number;
  readonly last: boolean;
  readonly expects: boolean;
  readonly body: string;
  readonly trailers: string;
}

/**
 * How a stream ends: between requests; after one that was the last; in something that must be refused; or in something
 * that may become a request or not, which a reader may refuse early or when nothing more comes.
 */
export type ModelEnding = 'idle' | 'closed' | 'refused' | 'unfinished';

export interface ModelReading {
  readonly requests: readonly ModelRequest[];
  readonly ending: ModelEnding;
  /** The request whose head is in order and whose body is not, or not yet. */
  readonly begun: ModelRequest | null;
}

const REQUEST_LINE = /^([A-Z_][A-Z0-9_-]*) ([\x21-\x7e]+) HTTP\/1\.([01])$/;
const SIMPLE_LINE = /^GET ([\x21-\x7e]+)$/;
const LONGEST_METHOD = 32;
const MOST_EMPTY_LINES = 4;

/** Fields of this hop, and those that only the gateway may set. */
const OWN = [
  'connection',
  'forwarded',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
const IMITATED = [...OWN, 'content-length', 'expect', 'host', 'http2-settings', 'via'];
const KEPT_ALWAYS = ['host', 'content-length', 'transfer-encoding', 'authorization', 'cookie'];

type Head = Omit<ModelRequest, 'body' | 'trailers'> & { readonly end: number };

export function readRequests(text: string, limits: ModelLimits): ModelReading {
  const requests: ModelRequest[] = [];
  let at = 0;
  for (;;) {
    let empty = 0;
    for (; empty < MOST_EMPTY_LINES && text.startsWith('\r\n', at); empty++) at += 2;
    if (at === text.length || (empty < MOST_EMPTY_LINES && text.slice(at) === '\r'))
      return { requests, ending: 'idle', begun: null };
    const head = readHead(text, at, limits);
    if (typeof head === 'string') return { requests, ending: head, begun: null };
    const { end, ...rest } = head;
    let request: ModelRequest = { ...rest, body: '', trailers: '' };
    let over = false;
    at = end;
    if (head.chunked) {
      const { state, body, trailers, end } = readChunks(text, at);
      request = { ...request, body, trailers: listedTrailers(trailers) };
      over = limits.bodyBytes > 0 && body.length > limits.bodyBytes;
      if (over || state === 'malformed') return { requests, ending: 'refused', begun: request };
      if (state === 'unfinished') return { requests, ending: 'unfinished', begun: request };
      at = end;
    } else if (head.length > 0) {
      if (limits.bodyBytes > 0 && head.length > limits.bodyBytes) return { requests, ending: 'refused', begun: null };
      request = { ...request, body: text.slice(at, at + head.length) };
      if (request.body.length < head.length) return { requests, ending: 'unfinished', begun: request };
      at += head.length;
    }
    requests.push(request);
    if (request.last) return { requests, ending: 'closed', begun: null };
  }
}

function readHead(text: string, start: number, limits: ModelLimits): Head | 'refused' | 'unfinished' {
  // beyond this a head that goes on can only be refused, however it goes on
  const hopeless = text.length - start > limits.headBytes + 2;
  const line = lineAt(text, start);
  if (line === null) return hopeless ? 'refused' : 'unfinished';
  if (line === false) return 'refused';
  let at = start + line.length + 2;
  const simple = SIMPLE_LINE.exec(line);
  if (simple !== null) {
    if (simple[1]!.length > limits.targetBytes) return 'refused';
    if (!text.startsWith('\r\n', at)) return text.includes('\n', at) ? 'refused' : 'unfinished';
    return judgeHead('GET', simple[1]!, 0, [], at + 2);
  }
  const request = REQUEST_LINE.exec(line);
  if (request === null) return 'refused';
  if (request[1]!.length > LONGEST_METHOD || request[2]!.length > limits.targetBytes) return 'refused';
  const fields: [name: string, value: string][] = [];
  for (;;) {
    if (at - start > limits.headBytes) return 'refused';
    const field = lineAt(text, at);
    if (field === null) return hopeless ? 'refused' : 'unfinished';
    if (field === false) return 'refused';
    at += field.length + 2;
    if (field === '') break;
    const match = FIELD_LINE.exec(field);
    if (match === null) return 'refused';
    fields.push([match[1]!.toLowerCase(), match[2]!]);
  }
  if (fields.length > limits.headerLines) return 'refused';
  return judgeHead(request[1]!, request[2]!, Number(request[3]), fields, at);
}

function judgeHead(
  method: string,
  text: string,
  minor: number,
  fields: readonly (readonly [name: string, value: string])[],
  end: number,
): Head | 'refused' {
  const values = (name: string): string[] => fields.filter((field) => field[0] === name).map((field) => field[1]);
  const imitates = (name: string): boolean => {
    const plain = name.replaceAll(/[^a-z0-9]/g, '-');
    return IMITATED.includes(plain) || plain.startsWith('x-forwarded-');
  };
  if (fields.some(([name]) => name.includes('_') && !imitates(name))) return 'refused';
  if (fields.some(([name]) => /[^a-z0-9_-]/.test(name) && imitates(name))) return 'refused';
  const lengths = values('content-length');
  const codings = values('transfer-encoding');
  const hosts = values('host');
  const expectations = minor === 0 ? [] : values('expect');
  if (lengths.length + codings.length > 1 || hosts.length > 1) return 'refused';
  if (lengths.some((value) => !/^\d{1,15}$/.test(value))) return 'refused';
  if (codings.some((value) => value.toLowerCase() !== 'chunked' || minor === 0)) return 'refused';
  if (expectations.some((value) => value.toLowerCase() !== '100-continue')) return 'refused';
  const place = method === 'CONNECT' || method === 'TRACE' ? null : modelTarget(text, method);
  const named = hosts[0] ?? '';
  const host = modelHost(place?.authority ?? named, 'http');
  if (place === null || host === null || modelHost(named, 'http') === null) return 'refused';
  if (host === '' && minor === 1) return 'refused';
  if (place.authority !== null && named !== '' && !modelSamePlace(named, place.authority, place.scheme!))
    return 'refused';

  const options = values('connection').flatMap((value) =>
    value.split(',').map((option) => option.replaceAll(/^[ \t]+|[ \t]+$/g, '').toLowerCase()),
  );
  const headers = fields.filter(
    ([name, value]) =>
      !OWN.includes(name) &&
      !/^x-forwarded-./.test(name) &&
      !name.includes('_') &&
      !(name === 'expect' && minor === 0) &&
      !(name === 'host' && (value === '' || value !== host)) &&
      !(options.includes(name) && name !== 'close' && !KEPT_ALWAYS.includes(name)),
  );
  if (host !== '' && host !== named) headers.push(['host', host]);
  return {
    method,
    target: place.target,
    host,
    version: minor === 0 ? 'HTTP/1.0' : 'HTTP/1.1',
    headers,
    chunked: codings.length > 0,
    length: Number(lengths[0] ?? 0),
    last: options.includes('close') || (minor === 0 && !options.includes('keep-alive')),
    expects: expectations.length > 0,
    end,
  };
}
