/** A request target as an independent reader sees it: what is sent on, and what an absolute form names. */
export interface ModelTarget {
  readonly target: string;
  readonly scheme: string | null;
  readonly authority: string | null;
}

const HOST = /^(?:\[([0-9A-Fa-f:.]+)\]|(?:[-._~!$&'()*+,;=A-Za-z0-9]|%[0-9A-Fa-f]{2})+)(?::(\d{0,5}))?$/;

/** The one spelling of a Host header for a scheme, or null when it must be refused. Of odd names it knows fewer than all. */
export function modelHost(text: string, scheme: string): string | null {
  if (text === '') return '';
  const match = HOST.exec(text);
  if (match === null || Number(match[2] ?? 0) > 65_535) return null;
  const host = match[1] === undefined ? modelName(text.replace(/:\d*$/, '')) : modelAddress(match[1]);
  const usual = scheme === 'https' ? 443 : 80;
  const port = match[2] ?? '';
  return host === null || port === '' || Number(port) === usual ? host : `${host}:${Number(port)}`;
}

function modelName(text: string): string | null {
  if (/%(?![0-9a-f]{2})/i.test(text)) return null;
  const decoded = decodeOnce(text).toString('utf8').toLowerCase().replace(/\.$/, '');
  if (!/^[-._~!$&'()*+,;=a-z0-9]+$/.test(decoded)) return null;
  const labels = decoded.split('.');
  if (labels.includes('')) return null;
  const isNumber = labels.every((label) => /^(?:\d+|0x[0-9a-f]*)$/.test(label));
  const isQuad =
    labels.length === 4 && labels.every((label) => /^(?:0|[1-9]\d{0,2})$/.test(label) && Number(label) < 256);
  return isNumber && !isQuad ? null : decoded;
}

function modelAddress(text: string): string | null {
  return URL.canParse(`http://[${text}]/`) ? new URL(`http://[${text}]/`).hostname : null;
}

type Queries = 'pass' | 'encode' | 'refuse';

/** @returns the target as it must be sent on, or null when it must be refused. */
export function modelTarget(text: string, method: string, queries: Queries = 'pass'): ModelTarget | null {
  if (text === '*') return method === 'OPTIONS' ? { target: '*', scheme: null, authority: null } : null;
  if (text.startsWith('/')) {
    const target = modelOrigin(text, queries);
    return target === null ? null : { target, scheme: null, authority: null };
  }
  const absolute = /^(https?):\/\/([^/?#]+)(.*)$/i.exec(text);
  if (absolute === null || modelHost(absolute[2]!, 'http') === null) return null;
  const rest = absolute[3]!;
  const target = modelOrigin(rest.startsWith('/') ? rest : `/${rest}`, queries);
  return target === null ? null : { target, scheme: absolute[1]!.toLowerCase(), authority: absolute[2]! };
}

function modelOrigin(text: string, queries: Queries): string | null {
  const [path, ...rest] = text.split('?') as [string, ...string[]];
  const canonical = modelPath(path);
  if (canonical === null || rest.length === 0) return canonical;
  const query = rest.join('?').split('#')[0]!;
  if (/%(?![0-9A-Fa-f]{2})/.test(query)) return null;
  const sent = queries === 'pass' ? query : modelQuery(query);
  return queries === 'refuse' && sent !== query ? null : `${canonical}?${sent}`;
}

/** A query with escapes in the place of everything that is neither one nor may stand there. */
function modelQuery(query: string): string {
  const parts = query.match(/%[0-9A-Fa-f]{2}|[\s\S]/g) ?? [];
  const escaped = (part: string): string => `%${Buffer.from(part, 'latin1').toString('hex').toUpperCase()}`;
  return parts.map((part) => (/^(?:%..|[\w.~!$&'()*+,;=:@/?[\]-])$/.test(part) ? part : escaped(part))).join('');
}

/** @returns the path in its one spelling, or null when it could be read in more than one way. */
export function modelPath(path: string): string | null {
  if (/[\\#]|%(?![0-9A-Fa-f]{2})|%[01][0-9A-Fa-f]|%7[Ff]|%2[Ff]|%5[Cc]/.test(path)) return null;
  const decoded = decodeOnce(path);
  const text = decoded.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(decoded)) return null;
  if (text.split('/').some((segment) => /^\.\.?(?:;|$)/.test(segment))) return null;
  return path.replaceAll(/%[0-9A-Fa-f]{2}/g, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    return /[A-Za-z0-9\-._~]/.test(character) ? character : escaped.toUpperCase();
  });
}

/** The bytes that a path stands for. */
export function decodeOnce(path: string): Buffer {
  return Buffer.from(
    path.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))),
    'latin1',
  );
}

/** Whether the Host header and the target name the same place. */
export function modelSamePlace(host: string, authority: string, scheme: string): boolean {
  return modelHost(host, scheme) === modelHost(authority, scheme);
}
