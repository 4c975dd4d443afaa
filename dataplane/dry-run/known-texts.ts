import { isJsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import { percentDecoded } from '../../contract/percent-decoded.ts';
import type { Exchange } from '../engine/message/exchange.ts';
import type { RequestDescription } from './described-exchange.ts';
import { withoutAddedParameters, withoutCredentials } from './seen-values.ts';

const HIDDEN = '********';
const URI = /^(?:([a-z][a-z\d+.-]*):\/\/([^/?]*))?([^?]*)(?:\?(.*))?$/is;
const QUOTED = /(['"`])((?:(?!\1).)*)\1/gs;
/** Headers that filters write under names of their own. */
const USUAL_HEADERS =
  /^(?:access-control-[a-z-]+|allow|cache-control|connection|content-[a-z]+|cookie|date|dpop-nonce|expires|forwarded|host|location|pragma|retry-after|set-cookie|te|transfer-encoding|upgrade|vary|via|www-authenticate|x-forwarded-[a-z]+|x-[a-z]+-transactionid)$/;
/** Shorter texts are in many others by chance. */
const SHORTEST_HIDDEN = 4;
const MOST_HIDDEN = 500;

/**
 * Texts that somebody who asks for a dry run knows: those of the request that they sent, and those written in the objects
 * that they may see. Filters can put a secret into any other text.
 */
export class KnownTexts {
  private readonly sent: readonly string[];
  private readonly written: string[] = [];

  constructor({ method = '', uri = '', headers = [], entity }: RequestDescription) {
    const lines = Array.isArray(headers) ? (headers as readonly string[]) : Object.entries(headers).flat(2);
    this.sent = [method, uri, percentDecoded(uri), ...lines, JSON.stringify(entity ?? ''), String(entity ?? '')];
  }

  /** Adds the texts of a configuration as it was written. */
  add(source: JsonValue): void {
    if (typeof source === 'string') this.written.push(source.toLowerCase());
    else if (Array.isArray(source)) for (const one of source as readonly JsonValue[]) this.add(one);
    else if (isJsonObject(source)) {
      for (const [name, value] of Object.entries(source)) {
        this.written.push(name.toLowerCase());
        this.add(value);
      }
    }
  }

  readonly isSent = (text: string): boolean => this.sent.some((one) => one.includes(text));

  has(text: string): boolean {
    if (this.isSent(text)) return true;
    const lower = text.toLowerCase();
    return this.written.some((one) => one.includes(lower)) || this.sent.some((one) => one.toLowerCase() === lower);
  }

  /** A text as it may be shown. */
  text(text: string): string {
    return this.has(text) ? text : HIDDEN;
  }

  /** Name of a header. */
  headerName(name: string): string {
    return USUAL_HEADERS.test(name.toLowerCase()) ? name : this.text(name);
  }

  /** A URI, the target of a request, or a path. Of the query, only parameters that were sent have their values. */
  uri(text: string): string {
    const [, scheme, authority = '', path = '', query] = URI.exec(text) ?? [];
    const base = scheme === undefined ? '' : `${this.scheme(scheme)}://${this.authority(authority)}`;
    return `${base}${this.path(path)}${query === undefined ? '' : `?${withoutAddedParameters(query, this.isSent)}`}`;
  }

  /** Host and port. */
  authority(text: string): string {
    const [, host = '', port] = /^(.*?)(?::(\d+))?$/s.exec(text) ?? [];
    const labels = this.has(host)
      ? host
      : host
          .split('.')
          .map((label) => this.text(label))
          .join('.');
    if (port === undefined) return labels;
    return `${labels}:${this.has(`:${port}`) ? port : HIDDEN}`;
  }

  private scheme(text: string): string {
    return /^(?:https?|wss?)$/i.test(text) ? text : this.text(text);
  }

  private path(text: string): string {
    const segments = text.split('/').map((one) => (this.has(percentDecoded(one)) ? one : this.text(one)));
    return segments.join('/');
  }

  /** Reason of a refusal, without texts that filters put into the exchange. */
  reason(text: string, exchange: Exchange): string {
    const hidden = [...new Set(textsIn(exchange))].filter((one) => one.length >= SHORTEST_HIDDEN && !this.has(one));
    hidden.sort((a, b) => b.length - a.length);
    return hidden.reduce((shown, one) => shown.replaceAll(one, HIDDEN), withoutCredentials(text));
  }

  /** Text of an error, which may quote a part of any value. */
  error(text: string, exchange: Exchange): string {
    return this.reason(text, exchange).replace(QUOTED, (all, quote: string, inner: string) =>
      this.has(inner) ? all : `${quote}${HIDDEN}${quote}`,
    );
  }
}

/** Texts of an exchange that filters can write, and their parts. */
function textsIn({ request: { headers, uri }, attributes }: Exchange): string[] {
  const texts: string[] = [];
  const add = (text: string): void => {
    if (texts.length < MOST_HIDDEN) texts.push(text, ...text.split(/[\s,;=]+/));
  };
  headers.each((name, value) => {
    add(name);
    add(value);
  });
  for (const part of uri.target.split(/[/?&=]/)) {
    add(part);
    add(percentDecoded(part));
  }
  add(uri.authority);
  collect(attributes, add, 4);
  return texts;
}

function collect(value: unknown, add: (text: string) => void, depth: number): void {
  if (typeof value === 'string') add(value);
  if (typeof value !== 'object' || value === null || depth === 0) return;
  const members = value instanceof Map ? [...value.values()] : Object.values(value);
  for (const member of members.slice(0, MOST_HIDDEN)) collect(member, add, depth - 1);
}
