import { Uri } from '../message/uri.ts';

/** What no URI holds: blanks, control characters and the delimiters that RFC 3986 leaves out. */
const FOREIGN = /[\x00-\x20\x7f<>"{}|\\^`]/;

/**
 * The base that a text names, of which scheme, host and port count; null when it names no host, so that requests keep
 * theirs. @throws TypeError when it is no URI at all.
 */
export function readBaseUri(text: string): Uri | null {
  if (FOREIGN.test(text) || text.startsWith(':')) throw new TypeError(`not a URI: ${JSON.stringify(text)}`);
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]/.test(text)) return null;
  return Uri.parse(text.replace(/[?#].*$/s, ''));
}

/** Returns the problem of backends with a scheme, or null for supported schemes. */
export function unservedScheme(scheme: string): string | null {
  if (['http', 'https', 'ws', 'wss'].includes(scheme)) return null;
  return `requests are answered with 502: backends of the scheme '${scheme}' are not supported`;
}
