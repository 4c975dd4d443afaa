/** What an independent reader makes of a chunked body: written from RFC 9112 §7.1, not from the engine. */
export interface ModelChunks {
  readonly state: 'complete' | 'unfinished' | 'malformed';
  /** The data as far as it is certain. */
  readonly body: string;
  /** Trailer lines that may be passed on, each with its CRLF. */
  readonly trailers: string;
  readonly end: number;
}

export const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const QUOTED = '"(?:[\\t\\x20\\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t\\x20-\\x7e\\x80-\\xff])*"';
const SIZE_LINE = new RegExp(`^([0-9A-Fa-f]{1,12})((?:;[ \\t]*${TOKEN}(?:=(?:${TOKEN}|${QUOTED}))?)*)$`);
export const FIELD_LINE = new RegExp(`^(${TOKEN}):[ \\t]*([\\t\\x20-\\x7e\\x80-\\xff]*?)[ \\t]*$`);

const LONGEST_EXTENSION = 1024;
const LONGEST_TRAILERS = 8192;

/** Fields that decide where a message goes or ends may not come after its content. */
const FORBIDDEN = ['transfer-encoding', 'content-length', 'host', 'connection', 'upgrade'];
/** Fields that come too late to be acted on are taken out (RFC 9110 §6.5.1). */
const REMOVED = [
  'authorization',
  'cache-control',
  'content-encoding',
  'content-range',
  'content-type',
  'cookie',
  'set-cookie',
  'expect',
  'forwarded',
  'keep-alive',
  'max-forwards',
  'te',
  'trailer',
  'via',
];

/** Fields that pass behind content where nobody says otherwise. */
const LISTED =
  /^(?:content-digest|content-md5|digest|etag|grpc-message|grpc-status|grpc-status-details-bin|repr-digest|server-timing):/i;

/** What of the trailer lines passes through the gateway. */
export function listedTrailers(trailers: string): string {
  const lines = trailers.split(/(?<=\n)/);
  return lines.filter((line) => LISTED.test(line)).join('');
}

/** A line without its CRLF; null while its LF is missing, false when it ends in a bare LF. */
export function lineAt(text: string, at: number): string | null | false {
  const end = text.indexOf('\n', at);
  if (end < 0) return null;
  return end > at && text[end - 1] === '\r' ? text.slice(at, end - 1) : false;
}

export function readChunks(text: string, start: number): ModelChunks {
  let at = start;
  let body = '';
  let trailers = '';
  const result = (state: ModelChunks['state']): ModelChunks => ({ state, body, trailers, end: at });
  for (;;) {
    const line = lineAt(text, at);
    if (line === null) return result('unfinished');
    const match = line === false ? null : SIZE_LINE.exec(line);
    if (match === null || match[2]!.length > LONGEST_EXTENSION) return result('malformed');
    const size = Number.parseInt(match[1]!, 16);
    at += match[0].length + 2;
    if (size === 0) break;
    const data = text.slice(at, at + size);
    body += data;
    if (data.length < size) return result('unfinished');
    const end = text.slice(at + size, at + size + 2);
    if (end !== '\r\n') return result(end === '' || end === '\r' ? 'unfinished' : 'malformed');
    at += size + 2;
  }
  let trailerBytes = 0;
  for (;;) {
    const line = lineAt(text, at);
    if (line === null)
      return result(text.length - at + trailerBytes > LONGEST_TRAILERS + 1 ? 'malformed' : 'unfinished');
    if (line === false) return result('malformed');
    at += line.length + 2;
    if (line === '') return result('complete');
    trailerBytes += line.length;
    const name = FIELD_LINE.exec(line)?.[1]?.toLowerCase().replaceAll('_', '-');
    if (name === undefined || FORBIDDEN.includes(name) || trailerBytes > LONGEST_TRAILERS) return result('malformed');
    if (!REMOVED.includes(name) && !/^(?:proxy|x-forwarded)-/.test(name)) trailers += `${line}\r\n`;
  }
}
