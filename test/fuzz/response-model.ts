import { FIELD_LINE, lineAt, readChunks } from './chunk-model.ts';

/** An independent reader of what a backend sends in answer to one request: RFC 9112, by the letter. */

export interface ModelHead {
  readonly status: number;
  readonly reason: string;
  /** The lines that go on, names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

export interface ModelAnswer extends ModelHead {
  readonly framing: 'none' | 'length' | 'chunked' | 'close';
  /** The content as far as it is certain. */
  readonly body: string;
  readonly trailers: string;
  /** `open`: the end of the connection is the end of the content. */
  readonly state: 'complete' | 'open' | 'unfinished' | 'malformed';
  /** Whether the connection may carry another answer: kept by the backend, and nothing came behind the end. */
  readonly reusable: boolean;
}

export interface ModelResponse {
  readonly interims: readonly ModelHead[];
  /**
   * The final answer; `refused` for something that is none; `unfinished` when its head is not all there; `switched` when
   * the backend speaks another protocol from now on.
   */
  readonly final: ModelAnswer | 'refused' | 'unfinished' | 'switched';
  /** The other protocol, and what the backend said in it. */
  readonly protocol: string;
  readonly rest: string;
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: ([\t\x20-\x7e\x80-\xff]*))?$/;
const MOST_INTERIMS = 16;
const MOST_LINES = 1000;
const OWN = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
const KEPT_ALWAYS = ['host', 'content-length', 'transfer-encoding', 'authorization', 'cookie', 'close'];

interface Head extends ModelHead {
  readonly length: number | null;
  readonly chunked: boolean;
  readonly last: boolean;
  readonly upgrade: string;
  readonly end: number;
}

export function readResponse(text: string, method: string, headBytes: number): ModelResponse {
  const interims: ModelHead[] = [];
  let at = 0;
  for (;;) {
    const head = readHead(text, at, headBytes);
    if (typeof head === 'string') return { interims, final: head, protocol: '', rest: '' };
    const { status, reason, headers } = head;
    at = head.end;
    if (status >= 200) return { interims, final: readContent(text, head, method), protocol: '', rest: '' };
    if (status === 101) return { interims, final: 'switched', protocol: head.upgrade, rest: text.slice(at) };
    if (interims.length === MOST_INTERIMS) return { interims, final: 'refused', protocol: '', rest: '' };
    interims.push({ status, reason, headers });
  }
}

function readContent(text: string, head: Head, method: string): ModelAnswer {
  const { status, reason, headers, length, chunked, last, end } = head;
  const answer = { status, reason, headers, trailers: '', body: '' };
  const surplus = (from: number): boolean => from < text.length;
  if (status === 204 || status === 304 || method === 'HEAD' || length === 0) {
    return { ...answer, framing: 'none', state: 'complete', reusable: !last && !surplus(end) };
  }
  if (chunked) {
    const { state, body, trailers, end: stop } = readChunks(text, end);
    const reusable = state === 'complete' && !last && !surplus(stop);
    return { ...answer, framing: 'chunked', body, trailers: state === 'complete' ? trailers : '', state, reusable };
  }
  if (length === null) return { ...answer, framing: 'close', body: text.slice(end), state: 'open', reusable: false };
  const body = text.slice(end, end + length);
  const complete = body.length === length;
  return {
    ...answer,
    framing: 'length',
    body,
    state: complete ? 'complete' : 'unfinished',
    reusable: complete && !last && !surplus(end + length),
  };
}

function readHead(text: string, start: number, headBytes: number): Head | 'refused' | 'unfinished' {
  const unfinished = text.length - start > headBytes ? 'refused' : 'unfinished';
  const line = lineAt(text, start);
  if (line === null) return unfinished;
  const status = line === false ? null : STATUS_LINE.exec(line);
  if (status === null) return 'refused';
  const fields: [name: string, value: string][] = [];
  let at = start + status[0].length + 2;
  for (;;) {
    const field = lineAt(text, at);
    if (field === null) return unfinished;
    if (field === false) return 'refused';
    at += field.length + 2;
    if (field === '') break;
    const match = FIELD_LINE.exec(field);
    if (match === null) return 'refused';
    fields.push([match[1]!.toLowerCase(), match[2]!]);
  }
  if (at - start > headBytes || fields.length > MOST_LINES) return 'refused';

  const values = (name: string): string[] => fields.filter((field) => field[0] === name).map((field) => field[1]);
  const lengths = values('content-length');
  const codings = values('transfer-encoding');
  if (lengths.length + codings.length > 1 || lengths.some((value) => !/^\d{1,15}$/.test(value))) return 'refused';
  const old = status[1] === '0';
  if (codings.some((value) => value.toLowerCase() !== 'chunked' || old)) return 'refused';
  const options = values('connection').flatMap((value) =>
    value.split(',').map((option) => option.replaceAll(/^[ \t]+|[ \t]+$/g, '').toLowerCase()),
  );
  return {
    status: Number(status[2]),
    reason: status[3] ?? '',
    headers: fields.filter(([name]) => !OWN.includes(name) && (!options.includes(name) || KEPT_ALWAYS.includes(name))),
    length: lengths.length === 0 ? null : Number(lengths[0]),
    chunked: codings.length > 0,
    last: options.includes('close') || (old && !options.includes('keep-alive')),
    upgrade: values('upgrade').join(', ').toLowerCase(),
    end: at,
  };
}
