import type { Headers } from '../engine/head/headers.ts';
import type { Request } from '../engine/message/request.ts';
import type { Response } from '../engine/message/response.ts';
import type { KnownTexts } from './known-texts.ts';
import { withoutCredentials } from './seen-values.ts';

type HeaderState = ReadonlyMap<string, { readonly name: string; readonly lines: readonly string[] }>;

/** Parts of a request that filters change. */
export interface RequestState {
  readonly method: string;
  readonly base: string;
  readonly target: string;
  readonly headers: HeaderState;
}

/** Parts of a response that filters change. */
export interface ResponseState {
  readonly status: number;
  readonly headers: HeaderState;
}

export function requestState({ method, uri, headers }: Request): RequestState {
  return { method, base: `${uri.scheme}://${uri.authority}`, target: uri.target, headers: headerState(headers) };
}

export function responseState({ status, headers }: Response): ResponseState {
  return { status, headers: headerState(headers) };
}

/** Returns the changes of a request in words. Headers that filters write may contain secrets, so that only names are shown. */
export function requestChanges(before: RequestState, after: RequestState, known: KnownTexts): readonly string[] {
  const changes: string[] = [];
  if (before.method !== after.method) changes.push(`method ${known.text(after.method)}`);
  if (before.base !== after.base) changes.push(`sent to ${known.uri(after.base)}`);
  if (before.target !== after.target) changes.push(`target ${withoutCredentials(known.uri(after.target))}`);
  return [...changes, ...headerChanges(before.headers, after.headers, 'request', known)];
}

/** Returns the changes of a response in words. */
export function responseChanges(before: ResponseState, after: ResponseState, known: KnownTexts): readonly string[] {
  const changes = headerChanges(before.headers, after.headers, 'response', known);
  return before.status === after.status ? changes : [`response status ${after.status}`, ...changes];
}

function headerState(headers: Headers): HeaderState {
  const state = new Map<string, { readonly name: string; readonly lines: string[] }>();
  headers.each((name, value) => {
    const known = state.get(name.toLowerCase());
    if (known === undefined) state.set(name.toLowerCase(), { name, lines: [value] });
    else known.lines.push(value);
  });
  return state;
}

function headerChanges(
  before: HeaderState,
  after: HeaderState,
  of: 'request' | 'response',
  known: KnownTexts,
): readonly string[] {
  const changes: string[] = [];
  const tell = (name: string, change: string): void =>
    void changes.push(`${of} header ${known.headerName(name)} ${change}`);
  for (const [key, { name, lines }] of after) {
    const old = before.get(key);
    if (old === undefined) tell(name, 'added');
    else if (old.lines.join('\n') !== lines.join('\n')) tell(name, 'changed');
  }
  for (const [key, { name }] of before) if (!after.has(key)) tell(name, 'removed');
  return changes;
}
