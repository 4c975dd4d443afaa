import { isAboutKey, type Path } from '../../../contract/problem.ts';
import type { RouteProblem } from '../../client/route-problem.ts';
import type { Draft, TextRange } from '../../draft/draft.ts';
import { pathIn } from '../../draft/problem-path.ts';

/** A problem or a fault of the text, with its place. */
export interface PlacedNote extends TextRange {
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly hint: string | null;
  /** Place in the document as people read it; empty for the whole. */
  readonly shownPath: string;
  readonly path: Path;
}

/** Returns the faults of a draft, or the problems of its document, with their places in the text. */
export function placedNotes(draft: Draft, problems: readonly RouteProblem[]): readonly PlacedNote[] {
  if (draft.faults.length > 0) {
    return draft.faults.map(({ offset, line, column, message, hint }) => ({
      from: offset,
      to: Math.min(draft.text.length, offset + 1),
      severity: 'error',
      message,
      hint: hint ?? null,
      shownPath: `line ${line}, column ${column}`,
      path: [],
    }));
  }
  return problems.map(({ severity, code, message, hint, path: shownPath }) => {
    const path = pathIn(shownPath);
    const key = isAboutKey(code) ? draft.keyPlaceOf(path) : undefined;
    return { ...(key ?? rangeOf(draft, path)), severity, message, hint: hint ?? null, shownPath, path };
  });
}

/** The value at a path, its key if it is long, or the nearest one around it that the text has. */
function rangeOf(draft: Draft, path: Path): TextRange {
  for (let depth = path.length; depth > 0; depth--) {
    const above = path.slice(0, depth);
    const place = draft.placeOf(above);
    if (place === undefined) continue;
    const isLong = draft.text.slice(place.from, place.to).includes('\n');
    const key = isLong ? draft.keyPlaceOf(above) : place;
    return key === undefined || draft.text.slice(key.from, key.to).includes('\n')
      ? { from: place.from, to: Math.min(place.to, place.from + 1) }
      : key;
  }
  return { from: 0, to: Math.min(1, draft.text.length) };
}
