import type { Uri } from '../../engine/message/uri.ts';

/** Parameter with which a user comes back who has confirmed a transaction at the access manager. */
const PARAMETER = '_txid';
const PREFIX = `${PARAMETER}=`;
/** Ids of transactions are short; a longer one is no more than a burden. */
const LONGEST_ID = 256;

/** Takes the id of a confirmed transaction out of a URI, so that neither policies nor backends see it. Null without one. */
export function takeTransaction(uri: Uri): string | null {
  const { rawQuery } = uri;
  if (rawQuery === null || !rawQuery.includes(PREFIX)) return null;
  const all = rawQuery.split('&');
  const others = all.filter((one) => !one.startsWith(PREFIX));
  const last = all.findLast((one) => one.startsWith(PREFIX));
  if (last === undefined) return null;
  uri.rawQuery = others.length === 0 ? null : others.join('&');
  const id = last.slice(PREFIX.length);
  return id !== '' && id.length <= LONGEST_ID && /^[\w.~-]+$/.test(id) ? id : null;
}

/** The URL to come back to after a transaction was confirmed, or without one. */
export function transactionReturn(uri: string, transaction: string | null): string {
  const [place, query] = splitQuery(uri);
  const others = query === null ? [] : query.split('&').filter((one) => !one.startsWith(PREFIX));
  const all = transaction === null ? others : [...others, `${PREFIX}${encodeURIComponent(transaction)}`];
  if (all.length === 0) return query === '' ? uri : place;
  return `${place}?${all.join('&')}`;
}

function splitQuery(uri: string): [string, string | null] {
  const at = uri.indexOf('?');
  return at < 0 ? [uri, null] : [uri.slice(0, at), uri.slice(at + 1)];
}
