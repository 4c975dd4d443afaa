import { isHost } from '../engine/head/host-syntax.ts';

/** A reference as a header such as `Location` holds it, in parts that are exactly what was written. */
export interface UriReference {
  /** In lower case; null when it is that of whoever asked. */
  readonly scheme: string | null;
  /** Null when it is that of whoever asked. */
  readonly authority: string | null;
  readonly path: string;
  /** The query and the fragment, with their marks. */
  readonly rest: string;
}

const PARTS = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(.*)$/;

/** Takes a reference apart; null when readers could disagree about the host that it names. */
export function readReference(text: string): UriReference | null {
  const parts = PARTS.exec(text);
  if (parts === null) return null;
  const [, scheme, authority, path, rest] = parts;
  const reference = { scheme: scheme?.toLowerCase() ?? null, authority: authority ?? null, path: path!, rest: rest! };
  if (reference.scheme !== null && !isWeb(reference.scheme)) return reference;
  if (path!.includes('\\')) return null; // browsers take it for a slash
  if (authority !== undefined) return isHost(authority.slice(authority.lastIndexOf('@') + 1)) ? reference : null;
  // without a host, a scheme or a colon in the first segment is a reference that nobody can follow
  return scheme === undefined && !path!.split('/', 1)[0]!.includes(':') ? reference : null;
}

/** Whether a scheme, in lower case, is one that the gateway serves; null stands for that of whoever asked. */
export function isWeb(scheme: string | null): boolean {
  return scheme === null || scheme === 'http' || scheme === 'https';
}
