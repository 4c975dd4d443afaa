import { canonicalPath } from '../http/target.ts';

/** A path that others begin with: the empty text for `/`, any other without a slash at its end. */
export type PathPrefix = string;

/** What a configured path means as a prefix, escaped as requests are; null when it is not one plain path. */
export function pathPrefix(path: string): PathPrefix | null {
  if (!path.startsWith('/') || /[?#]/.test(path) || !path.isWellFormed()) return null;
  const escaped = path.replace(/[^\x21-\x7e]+/g, encodeURIComponent);
  return canonicalPath(escaped)?.replace(/\/+$/, '') ?? null;
}

/** Moves from one prefix to another, the longest prefix first; those of one length stay in their order. */
export function longestFirst(moves: readonly (readonly [PathPrefix, PathPrefix])[]): [PathPrefix, PathPrefix][] {
  return moves.map(([from, to]): [PathPrefix, PathPrefix] => [from, to]).sort(([a], [b]) => b.length - a.length);
}

/** The path with the first prefix that it begins with replaced; null when it begins with none. */
export function movedPath(path: string, moves: readonly (readonly [PathPrefix, PathPrefix])[]): string | null {
  if (path === '') return null;
  for (const [from, to] of moves) {
    if (!path.startsWith(from) || (path.length > from.length && path[from.length] !== '/')) continue;
    return `${to}${path.slice(from.length)}` || '/';
  }
  return null;
}
