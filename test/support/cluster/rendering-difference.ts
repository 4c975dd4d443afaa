import { createHash } from 'node:crypto';
import { type LineChange, lineDifference } from './line-difference.ts';

/** Changes that are found in so many places are told once. */
const OFTEN = 3;

/** One object of a rendering as helm wrote it. */
interface Piece {
  /** Its kind, namespace and name. */
  readonly title: string;
  readonly kind: string;
  readonly lines: readonly string[];
}

/** A change, and the place that it is in: the keys that lead to it. */
interface PlacedChange extends LineChange {
  readonly place: string;
}

/**
 * How a rendering of a chart differs from a full one, object by object and without line numbers, which any change of
 * the full one would shift. An object that the full one has not is compared with the most similar one of its kind.
 */
export function renderingDifference(full: string, rendering: string): string {
  const pieces = piecesOf(rendering);
  const kept = new Set(pieces.map(({ title }) => title));
  const candidates = piecesOf(full);
  const gone = new Set(candidates.map(({ title }) => title));
  const sections: { readonly title: string; readonly changes: readonly PlacedChange[] }[] = [];
  for (const piece of pieces) {
    const renamed = candidates.filter(({ title }) => gone.has(title) && !kept.has(title));
    const twin =
      candidates.find(({ title }) => title === piece.title) ??
      mostSimilar(piece, renamed) ??
      mostSimilar(piece, candidates);
    if (twin !== undefined) gone.delete(twin.title);
    const title = twin?.title === piece.title ? piece.title : `${piece.title}, ${twin ? `like ${twin.title}` : 'new'}`;
    sections.push({ title, changes: twin === undefined ? [wholly(piece)] : changesOf(twin.lines, piece.lines) });
    candidates.push(piece);
  }
  const often = oftenFound(sections.flatMap(({ title, changes }) => changes.map((change) => ({ title, change }))));
  const told = sections
    .map(({ title, changes }) => ({ title, changes: changes.filter((change) => !often.has(textOf(change))) }))
    .filter(({ title, changes }) => changes.length > 0 || title.includes(', like '));
  return [
    ...[...gone].map((title) => `without ${title}\n`),
    ...[...often].map(([text, places]) => `@@ ${places.length} places (${fingerprint(places)})\n${text}`),
    ...told.map(({ title, changes }) => `=== ${title}\n${changes.map(hunk).join('')}`),
  ].join('\n');
}

function piecesOf(rendering: string): Piece[] {
  return rendering
    .split(/^---\n/m)
    .filter((text) => text.trim() !== '')
    .map((text) => {
      const lines = text.trimEnd().split('\n');
      const kind = capture(lines, /^kind: (.*)$/);
      const names = [/^ {2}namespace: (.*)$/, /^ {2}name: (.*)$/].map((pattern) => capture(lines, pattern));
      return { title: `${kind} ${names.filter((name) => name !== '').join('/')}`, kind, lines };
    });
}

function capture(lines: readonly string[], pattern: RegExp): string {
  return lines.map((line) => pattern.exec(line)?.[1]).find((value) => value !== undefined) ?? '';
}

function mostSimilar(piece: Piece, candidates: readonly Piece[]): Piece | undefined {
  const cost = ({ lines }: Piece): number =>
    lineDifference(lines, piece.lines).reduce((sum, { removed, added }) => sum + removed.length + added.length, 0);
  const sameKind = candidates.filter(({ kind }) => kind === piece.kind).map((one) => ({ one, cost: cost(one) }));
  const [best] = sameKind.toSorted((a, b) => a.cost - b.cost);
  return best !== undefined && best.cost < piece.lines.length ? best.one : undefined;
}

function wholly({ lines }: Piece): PlacedChange {
  return { at: 0, removed: [], added: lines, place: '' };
}

/** The changes of an object. One in which as many lines go as come is one change for each line. */
function changesOf(old: readonly string[], next: readonly string[]): PlacedChange[] {
  return lineDifference(old, next).flatMap(({ at, removed, added }) => {
    if (removed.length !== added.length)
      return [{ at, removed, added, place: placeOf(old, at, removed[0] ?? added[0]!) }];
    return removed.map((line, index) => {
      return { at: at + index, removed: [line], added: [added[index]!], place: placeOf(old, at + index, line) };
    });
  });
}

/** The keys that a line is under, from the outermost on. */
function placeOf(lines: readonly string[], at: number, line: string): string {
  let depth = indentOf(line);
  const keys: string[] = [];
  for (let index = at - 1; index >= 0 && depth > 0; index -= 1) {
    const above = lines[index]!;
    if (above.trim() === '' || above.trim().startsWith('#') || indentOf(above) >= depth) continue;
    depth = indentOf(above);
    keys.unshift(above.trim().replace(/:.*$/, ''));
  }
  return keys.join(' > ');
}

function indentOf(line: string): number {
  return /^ */.exec(line)![0].length;
}

function textOf({ removed, added }: LineChange): string {
  const depth = Math.min(...[...removed, ...added].filter((line) => line.trim() !== '').map(indentOf));
  const cut = (sign: string) => (line: string) => `${sign} ${line.slice(depth)}`.trimEnd();
  return [...removed.map(cut('-')), ...added.map(cut('+'))].map((line) => `${line}\n`).join('');
}

function oftenFound(
  found: readonly { readonly title: string; readonly change: PlacedChange }[],
): Map<string, readonly string[]> {
  const places = new Map<string, string[]>();
  for (const { title, change } of found) {
    const text = textOf(change);
    places.set(text, [...(places.get(text) ?? []), `${title}: ${change.place}`]);
  }
  return new Map([...places].filter(([, list]) => list.length >= OFTEN));
}

/** Says whether the places are the same ones as before. */
function fingerprint(places: readonly string[]): string {
  return createHash('sha256').update(places.join('\n')).digest('hex').slice(0, 8);
}

function hunk(change: PlacedChange, index: number, all: readonly PlacedChange[]): string {
  const isNew = index === 0 || all[index - 1]!.place !== change.place;
  return `${isNew && change.place !== '' ? `@@ ${change.place}\n` : ''}${textOf(change)}`;
}
