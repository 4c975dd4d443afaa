import { headerBytes, headerText } from '../../engine/head/header-text.ts';
import type { Headers } from '../../engine/head/headers.ts';
import { statusText } from '../../engine/head/status-text.ts';
import { decodeTyped } from '../../engine/message/content-charset.ts';
import { EntityUndecodable } from '../../engine/message/entity-fault.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import type { Request } from '../../engine/message/request.ts';
import { Response } from '../../engine/message/response.ts';
import { type OwnRequest, type OwnResponse, ScriptFault, type Waiting } from '../script-language.ts';
import {
  checkFinal,
  checkOwnMethod,
  checkReason,
  headerLines,
  moveRequest,
  replaceRequest,
  valid,
  writtenUri,
} from '../script-messages.ts';
import { type Changes, HeaderChanges } from './header-changes.ts';

/** A request as a script hands it over; absent parts are those of the request that came. */
export interface SentRequest {
  /** True for a request that the script made. */
  readonly isOwn: boolean;
  readonly method: string | null;
  readonly uri?: string;
  readonly headers: Changes;
  readonly body?: string;
}

/** A response as a script hands it over. */
export interface SentResponse {
  /** Number of the message that it was made of, or less than zero. */
  readonly id: number;
  readonly status: number;
  readonly reason: string | null;
  readonly headers: Changes;
  readonly body?: string;
}

/** A message that a script reads. */
export interface SeenMessage {
  /** Changes of the script that are not sent yet, or null. */
  changes: HeaderChanges | null;
  /** The values of a header by its name in lower case, joined. */
  header(key: string, separator: string): string | undefined;
  lines(): readonly (readonly [name: string, value: string])[];
  /** The content, decoded. */
  content(): Promise<Uint8Array>;
  /** The content as text, read as every other part of the gateway reads it. */
  text(): Promise<string>;
  readonly source: Request | Response | OwnResponse;
}

/** A request or response of the exchange, as a script reads it. */
export function seenMessage(source: Request | Response, wait: Waiting): SeenMessage {
  return new ReceivedMessage(source, wait);
}

/** Values of a header as the script sees them, joined. */
export function seenHeader(message: SeenMessage, name: string, separator: string): string | undefined {
  const key = name.toLowerCase();
  const changed = message.changes?.values(key);
  if (changed === undefined) return message.header(key, separator);
  return changed.length === 0 ? undefined : changed.join(separator);
}

/** Header lines as the script sees them. */
export function seenLines(message: SeenMessage): readonly (readonly [name: string, value: string])[] {
  const { changes } = message;
  if (changes === null) return message.lines();
  const kept = message.lines().filter(([name]) => changes.values(name.toLowerCase()) === undefined);
  const changed = changes.list().flatMap(([name, ...values]) => values.map((value) => [name!, value] as const));
  return [...kept, ...changed];
}

/** Sets a header for the script to the values of a line, which follow its name. @returns the characters that it adds */
export function changeHeader(message: SeenMessage, line: readonly string[]): number {
  message.changes ??= new HeaderChanges();
  return message.changes.set(line[0]!.toLowerCase(), line);
}

/** Values of a header as the script sees them, one by one. */
export function seenValues(message: SeenMessage, name: string): readonly string[] {
  return seenHeader(message, name, '\n')?.split('\n') ?? [];
}

class ReceivedMessage implements SeenMessage {
  changes: HeaderChanges | null = null;
  readonly source: Request | Response;
  readonly #wait: Waiting;

  constructor(source: Request | Response, wait: Waiting) {
    this.source = source;
    this.#wait = wait;
  }

  header(key: string, separator: string): string | undefined {
    const values = this.source.headers.all(key);
    if (values.length === 0) return undefined;
    return headerText(values.length === 1 ? values[0]! : values.join(separator));
  }

  lines(): readonly (readonly [name: string, value: string])[] {
    return headerLines(this.source.headers, (name, value) => [name, value] as const);
  }

  content(): Promise<Uint8Array> {
    return this.#wait(() => this.source.entity.decoded());
  }

  text(): Promise<string> {
    return this.#wait(() => this.source.entity.text());
  }
}

/** A response to a request of a script. */
export function ownMessage(source: OwnResponse): SeenMessage {
  const lines = source.headers.map(([name, value]) => [name, headerText(value)] as const);
  return {
    changes: null,
    source,
    header(key, separator) {
      const found = lines.filter(([each]) => each.toLowerCase() === key).map(([, value]) => value);
      return found.length === 0 ? undefined : found.join(separator);
    },
    lines: () => lines,
    content: async () => source.content,
    text: async () => {
      const types = lines.filter(([name]) => name.toLowerCase() === 'content-type').map(([, value]) => value);
      const { buffer, byteOffset, byteLength } = source.content;
      try {
        return decodeTyped(Buffer.from(buffer, byteOffset, byteLength), types, true).text;
      } catch (error) {
        throw error instanceof EntityUndecodable ? new ScriptFault(error.message) : error;
      }
    },
  };
}

/** The URI of the request as scripts see it. */
export function shownUri({ uri }: Request): string {
  return `${uri.scheme}://${uri.authority}${uri.target}`;
}

export function reasonOf({ source }: SeenMessage): string {
  if (!('status' in source)) return '';
  return 'reason' in source && source.reason !== null ? source.reason : statusText(source.status);
}

/** Makes the request of the exchange what the script says. @throws ScriptFault for what no request may be */
export function applyRequest(exchange: Exchange, sent: SentRequest, bytes: Uint8Array | null): void {
  const { request } = exchange;
  const content = contentOf(sent, bytes);
  valid(() => {
    if (sent.isOwn) {
      replaceRequest(exchange, sent.method ?? 'GET', sent.uri ?? '', content ?? new Uint8Array());
      applyHeaders(request.headers, sent.headers);
      return;
    }
    if (sent.method !== null && sent.method !== request.method) request.method = sent.method;
    if (sent.uri !== undefined && sent.uri !== shownUri(request)) moveRequest(request, sent.uri);
    if (content !== null) request.entity.set(content);
    applyHeaders(request.headers, sent.headers);
  });
}

function applyHeaders(headers: Headers, changes: Changes): void {
  for (const line of changes) {
    const name = line[0]!;
    headers.delete(name);
    for (let index = 1; index < line.length; index++) headers.append(name, headerBytes(line[index]!));
  }
}

/** The request that a script sends with `http`. @throws ScriptFault */
export function ownRequest(sent: SentRequest, bytes: Uint8Array | null): OwnRequest {
  const method = sent.method ?? 'GET';
  checkOwnMethod(method);
  const lines = sent.headers.filter(
    ([name, ...values]) => name?.toLowerCase() !== 'content-length' && values.length > 0,
  );
  return valid(() => ({
    method,
    uri: writtenUri(sent.uri ?? ''),
    headers: Object.fromEntries(lines.map(([name, ...values]) => [name, headerBytes(values.join(', '))])),
    content: contentOf(sent, bytes) ?? new Uint8Array(),
  }));
}

/** The response that a script returned. @throws ScriptFault for what no response may be */
export function returnedResponse(sent: SentResponse, bytes: Uint8Array | null, from: SeenMessage | null): Response {
  const { status, reason, headers } = sent;
  if (!Number.isInteger(status)) throw new ScriptFault(`${status} is not a valid response status`);
  return valid(() => {
    const response = from === null ? new Response(status) : responseOf(from);
    const content = contentOf(sent, bytes);
    if (content !== null) response.entity.set(content);
    applyHeaders(response.headers, headers);
    if (response.status !== status) {
      response.status = status;
      response.reason = null;
    }
    if (reason !== null && reason !== '') {
      checkReason(reason);
      response.reason = reason === statusText(status) ? null : reason;
    }
    checkFinal(response);
    return response;
  });
}

/** The response of the exchange that a message stands for, or a copy of one that the script got otherwise. */
function responseOf({ source }: SeenMessage): Response {
  if (source instanceof Response) return source;
  if (!isOwn(source)) throw new ScriptFault('the result of the script is not a response');
  const response = new Response(source.status);
  for (const [name, value] of source.headers) response.headers.append(name, value);
  response.entity.set(source.content);
  return response;
}

function isOwn(source: SeenMessage['source']): source is OwnResponse {
  return 'content' in source;
}

function contentOf({ body }: { readonly body?: string }, bytes: Uint8Array | null): Uint8Array | null {
  if (bytes !== null) return bytes;
  if (body === undefined) return null;
  if (typeof body !== 'string') throw new ScriptFault('the content of the message is neither a text nor bytes');
  return Buffer.from(body);
}
