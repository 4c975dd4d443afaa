import type { JsonObject } from '../../../contract/document/json-value.ts';
import { isCredentialName } from '../../../contract/hiding/credential-names.ts';

/** A request that somebody asks about, as the form has it. */
export interface AskedForm {
  readonly method: string;
  readonly uri: string;
  /** Lines such as `Accept: text/html`. */
  readonly headers: string;
  readonly entity: string;
}

export const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/** Stands for the value of a header that an audit event names. Such a line is not sent: people fill in those that matter. */
const UNKNOWN = '…';

/** Reads the parts of a request that an address has: of headers only their names. */
export function formIn(query: URLSearchParams): AskedForm {
  const names = (query.get('headers') ?? '').split(',').filter((name) => /^[\w-]{1,100}$/.test(name));
  const headers = names.map((name) => `${name}: ${UNKNOWN}`).join('\n');
  return { method: query.get('method') ?? 'GET', uri: query.get('uri') ?? '', headers, entity: '' };
}

/**
 * Returns the parameters of an address for a request. Headers and bodies may have credentials, and so may a query: an
 * address is kept in histories and logs, so that these stay in the form.
 */
export function parametersOf({ method, uri }: AskedForm): Readonly<Record<string, string>> {
  return { method: method === 'GET' ? '' : method, uri: withoutCredentials(uri) };
}

function withoutCredentials(uri: string): string {
  const [path = '', ...rest] = uri.split('?');
  const open = path.replace(/^(https?:\/\/)[^/]*@/i, '$1');
  const parameters = rest
    .join('?')
    .split('&')
    .filter((one) => one !== '' && !isCredentialName(one.split('=', 1)[0]!));
  return parameters.length === 0 ? open : `${open}?${parameters.join('&')}`;
}

/** Returns the body of the action, or a sentence that says what is wrong. */
export function askedRequest({ method, uri, headers, entity }: AskedForm): JsonObject | string {
  if (!/^(?:\/|https?:\/\/)/i.test(uri)) return 'Give a URL such as https://shop.example.com/orders, or a path.';
  const named: Record<string, string[]> = {};
  for (const line of headers.split('\n').filter((text) => text.trim() !== '')) {
    const [, name, value] = /^\s*([^\s:]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return `‘${line.trim()}’ is no header: write Name: value.`;
    if (value !== UNKNOWN) (named[name] ??= []).push(value);
  }
  // A path gets a host, because no request is without one.
  const host =
    uri.startsWith('/') && !Object.keys(named).some((name) => name.toLowerCase() === 'host')
      ? { Host: ['localhost'] }
      : {};
  return { method, uri, headers: { ...host, ...named }, ...(entity !== '' && { entity }) };
}
