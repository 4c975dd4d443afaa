import { FIELD_LINE, lineAt, readChunks } from './chunk-model.ts';

/** An answer as a client that reads by the letter sees it. */
export interface SeenAnswer {
  readonly status: number;
  readonly reason: string;
  /** Names in lower case, without Date: two runs need not fall into the same second. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly trailers: string;
  /** False when the content broke off. */
  readonly complete: boolean;
}

/** What a client was sent. */
export interface SeenAnswers {
  readonly answers: readonly SeenAnswer[];
  /** What no server may send, or null. */
  readonly violation: string | null;
}

const STATUS_LINE = /^HTTP\/1\.1 ([1-5]\d\d) ([\t\x20-\x7e\x80-\xff]*)$/;

/** How many final answers are all there. */
export function finalAnswers({ answers }: SeenAnswers): number {
  return answers.filter((answer) => answer.status >= 200 && answer.complete).length;
}

/**
 * Splits what a server sent into answers; `methods` are those of the requests, in order (beyond them an answer may be one
 * to a HEAD request or not), and `ended` says that the server ended the connection in order, so that content without a
 * length is complete.
 */
export function readAnswers(text: string, methods: readonly string[], ended: boolean): SeenAnswers {
  const answers: SeenAnswer[] = [];
  let finals = 0;
  let at = 0;
  while (at < text.length) {
    const head = readHead(text, at);
    if (typeof head === 'string') return { answers, violation: head };
    if (head === null) return { answers, violation: ended ? `half a head: ${JSON.stringify(text.slice(at))}` : null };
    const { status, fields, end } = head;
    const method = methods[finals] ?? (text.length > end ? 'GET' : 'HEAD');
    if (status >= 200) finals++;
    const values = (name: string): string[] => fields.filter((field) => field[0] === name).map((field) => field[1]);
    const lengths = values('content-length');
    const codings = values('transfer-encoding');
    const violation = framingViolation(status, lengths, codings);
    if (violation !== null) return { answers, violation: `${violation}: ${JSON.stringify(text.slice(at, end))}` };
    const content = readContent(text, end, status, method, lengths[0], codings.length > 0, ended);
    if (typeof content === 'string') return { answers, violation: content };
    const headers = fields.filter(([name]) => name !== 'date');
    const { body, trailers, complete } = content;
    answers.push({ status, reason: head.reason, headers, body, trailers, complete });
    at = content.end;
    if (!complete) break;
  }
  return { answers, violation: null };
}

interface Head {
  readonly status: number;
  readonly reason: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly end: number;
}

/** @returns null while it is incomplete, a text when it is wrong. */
function readHead(text: string, start: number): Head | string | null {
  const line = lineAt(text, start);
  if (line === null) return null;
  const match = line === false ? null : STATUS_LINE.exec(line);
  if (match === null) return `not a status line: ${JSON.stringify(text.slice(start, start + 80))}`;
  let at = start + match[0].length + 2;
  const fields: [string, string][] = [];
  for (;;) {
    const field = lineAt(text, at);
    if (field === null) return null;
    if (field === false) return 'a bare LF in a head';
    at += field.length + 2;
    if (field === '') return { status: Number(match[1]), reason: match[2]!, fields, end: at };
    const [, name, value] = FIELD_LINE.exec(field) ?? [];
    if (name === undefined || value === undefined) return `not a field: ${JSON.stringify(field)}`;
    fields.push([name.toLowerCase(), value]);
  }
}

function framingViolation(status: number, lengths: readonly string[], codings: readonly string[]): string | null {
  if (lengths.length + codings.length > 1) return 'ambiguous framing';
  if (codings.some((coding) => coding !== 'chunked')) return 'transfer coding';
  if (lengths.some((length) => !/^\d+$/.test(length))) return 'content length';
  if ((status < 200 || status === 204) && lengths.length + codings.length > 0) return `framing in a ${status}`;
  return null;
}

function readContent(
  text: string,
  at: number,
  status: number,
  method: string,
  length: string | undefined,
  chunked: boolean,
  ended: boolean,
): { body: string; trailers: string; complete: boolean; end: number } | string {
  if (status < 200 || status === 204 || status === 304 || method === 'HEAD') {
    return { body: '', trailers: '', complete: true, end: at };
  }
  if (chunked) {
    const { state, body, trailers, end } = readChunks(text, at);
    if (state === 'malformed') return `malformed chunks: ${JSON.stringify(text.slice(at, at + 200))}`;
    return { body, trailers, complete: state === 'complete', end: state === 'complete' ? end : text.length };
  }
  const body = length === undefined ? text.slice(at) : text.slice(at, at + Number(length));
  const complete = length === undefined ? ended : body.length === Number(length);
  return { body, trailers: '', complete, end: at + body.length };
}
