import { canonicalPath } from '../engine/head/target.ts';

/** A path that others begin with: the empty text for `/`, any other without a slash at its end. */
export type PathPrefix = string;

/** Reads a configured path as a prefix, escaped like request paths; null when it is not one plain path. */
export function pathPrefix(path: string): PathPrefix | null {
  if (!path.startsWith('/') || /[?#]/.test(path) || !path.isWellFormed()) return null;
  const escaped = path.replace(/[^\x21-\x7e]+/g, encodeURIComponent);
  return canonicalPath(escaped)?.replace(/\/+$/, '') ?? null;
}

/** From one prefix to another. */
export interface Move {
  readonly from: PathPrefix;
  readonly to: PathPrefix;
}

/** The longest prefix first; those of one length stay in their order. */
export function longestFirst(moves: readonly Move[]): Move[] {
  return [...moves].sort((a, b) => b.from.length - a.from.length);
}

/** The first move whose prefix the path begins with. */
export function moveOf(path: string, moves: readonly Move[]): Move | null {
  if (path === '') return null;
  for (let i = 0; i < moves.length; i++) {
    const move = moves[i]!;
    const { from } = move;
    if (path.startsWith(from) && (path.length === from.length || path[from.length] === '/')) return move;
  }
  return null;
}
