import type { ApiVersion } from './api-version.ts';
import { badRequest, CrestError } from './crest-error.ts';
import type { ExpectedRevision } from './provider.ts';

/** Returns the first value of a header; null if the request does not have it. */
export type HeaderValue = (name: string) => string | null;

const ANY = '*';

/** Returns the revision of a header, without its quotes. */
function revisionIn(header: HeaderValue, name: 'if-match' | 'if-none-match'): string | null {
  const text = header(name)?.trim() ?? null;
  return text !== null && text.length >= 2 && text.startsWith('"') ? text.slice(1, -1) : text;
}

/** Dates say too little about revisions. @throws CrestError */
export function refuseDates(header: HeaderValue): void {
  for (const name of ['If-Modified-Since', 'If-Unmodified-Since']) {
    if (header(name.toLowerCase()) !== null) throw new CrestError(409, `${name} is not supported: use If-Match`);
  }
}

/** @throws CrestError if the request has a header that makes no sense for its method */
export function refuse(header: HeaderValue, method: string, ...names: readonly ('If-Match' | 'If-None-Match')[]): void {
  for (const name of names) {
    if (header(name.toLowerCase()) !== null) throw new CrestError(412, `${name} is not supported for ${method}`);
  }
}

/** Returns the revision that a change expects; null for any. */
export function expectedRevision(header: HeaderValue): ExpectedRevision {
  const revision = revisionIn(header, 'if-match');
  return revision === ANY ? null : revision;
}

/** Returns the revision that a client has already; null for none. @throws CrestError */
export function knownRevision(header: HeaderValue): string | null {
  const revision = revisionIn(header, 'if-none-match');
  if (revision === ANY) throw new CrestError(412, 'If-None-Match: * makes no sense for GET');
  return revision;
}

/** Kind of a PUT: it creates, changes, or does what is possible. */
export type PutKind = 'create' | 'update' | 'upsert';

/** Returns the kind of a PUT from its headers. @throws CrestError */
export function putKind(header: HeaderValue, protocol: ApiVersion): PutKind {
  const none = revisionIn(header, 'if-none-match');
  if (none !== null && none !== ANY) throw badRequest('If-None-Match must be * for PUT');
  const hasMatch = header('if-match') !== null;
  if (none === ANY) {
    if (hasMatch) throw new CrestError(412, 'If-Match and If-None-Match cannot be used together');
    return 'create';
  }
  return hasMatch || protocol.major < 2 ? 'update' : 'upsert';
}
