import { cutOff } from './cut-off.ts';
import { caretLines } from './document/caret.ts';
import type { DocumentText, PlacedProblem } from './document/document-text.ts';
import { printable } from './document/printable-text.ts';
import { TextLines } from './document/text-lines.ts';
import { withoutMark } from './document/text-place.ts';
import { writtenOffset } from './document/written-offset.ts';
import { hideSecrets } from './hiding/hidden-secrets.ts';
import { isAboutKey, type Path, type Place, type ProblemCode, pathText } from './problem.ts';

/** Source of the document that has a problem. */
export interface ProblemSource {
  readonly file?: string;
  /** What people call it, such as `Route shop/orders`. */
  readonly label?: string;
  readonly text?: string;
  readonly placeOf?: DocumentText['placeOf'];
}

/** A problem as programs read it. */
export interface ProblemRecord {
  readonly severity: PlacedProblem['severity'];
  readonly code: ProblemCode;
  readonly message: string;
  /** As people read it, and step by step. */
  readonly path: string;
  readonly steps: Path;
  readonly hint?: string;
  readonly label?: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly others?: readonly OtherRecord[];
}

export interface OtherRecord {
  readonly path?: string;
  readonly line?: number;
  readonly column?: number;
}

/** How many characters of a path people see. */
const LONGEST_PATH = 200;
/** How many characters of a message or hint are told: a document may hold a name of megabytes. */
const LONGEST_MESSAGE = 2_000;

/** A problem as people read it: what and where, the line (no secrets) with a caret, what else it is about, what to do. */
export function problemText(problem: PlacedProblem, source: ProblemSource = {}): string {
  const record = problemRecord(problem, source);
  const { severity, code, label, path, message, file, line, column, hint, others = [] } = record;
  const subject = [label, shortened(path)].filter((part) => part !== undefined && part !== '').join(' → ');
  const lines = [`${severity}: ${subject === '' ? '' : `${subject}: `}${message} [${code}]`];
  if (file !== undefined || line !== undefined) lines.push(`  at ${location(file, line, column)}`);
  if (source.text !== undefined && line !== undefined && column !== undefined) {
    lines.push(...caretLines(shownLines(source, source.text), { line, column }).map((shown) => `  ${shown}`));
  }
  for (const other of others) {
    const place = other.line === undefined ? undefined : location(file, other.line, other.column);
    lines.push(`  see ${[other.path, place].filter((part) => part !== undefined && part !== '').join(' at ')}`);
  }
  if (hint !== undefined) lines.push(`  hint: ${hint}`);
  // A document may hold what a terminal would act on.
  return lines.map(printable).join('\n');
}

/** Secrets are hidden once for all problems of a source. */
const shownBySource = new WeakMap<ProblemSource, TextLines>();

function shownLines(source: ProblemSource, text: string): TextLines {
  const known = shownBySource.get(source);
  if (known !== undefined) return known;
  const lines = new TextLines(withoutMark(hideSecrets(text)));
  shownBySource.set(source, lines);
  return lines;
}

const writtenBySource = new WeakMap<ProblemSource, TextLines>();

/** The place of something inside a text value. */
function placeWithin(start: Place, offset: number, source: ProblemSource): Place {
  if (source.text === undefined) return start;
  const lines = writtenBySource.get(source) ?? new TextLines(withoutMark(source.text));
  writtenBySource.set(source, lines);
  const line = lines.line(start.line) ?? '';
  const valueAt = lines.offsetInLine(start);
  const at = writtenOffset(line, valueAt, offset);
  return at === null ? start : { line: start.line, column: start.column + [...line.slice(valueAt, at)].length };
}

/** A path that is deeper than people read is shown by its ends. */
function shortened(path: string): string {
  return path.length <= LONGEST_PATH ? path : `${path.slice(0, LONGEST_PATH / 2)}…${path.slice(-LONGEST_PATH / 2)}`;
}

/** A problem as a plain object, for output that programs read. */
export function problemRecord(problem: PlacedProblem, source: ProblemSource = {}): ProblemRecord {
  const { severity, code, path } = problem;
  const message = cutOff(problem.message, LONGEST_MESSAGE);
  const hint = problem.hint === undefined ? undefined : cutOff(problem.hint, LONGEST_MESSAGE);
  const part = isAboutKey(code) ? 'key' : 'value';
  const start = problem.place ?? source.placeOf?.(path, part);
  const place =
    start === undefined || problem.offset === undefined ? start : placeWithin(start, problem.offset, source);
  const others: OtherRecord[] = [
    ...(problem.otherPlaces ?? []),
    ...(problem.others ?? []).map((other) => ({ path: pathText(other), ...source.placeOf?.(other) })),
  ];
  return {
    severity,
    code,
    message,
    path: pathText(path),
    steps: path,
    ...(hint === undefined ? {} : { hint }),
    ...(source.label === undefined ? {} : { label: source.label }),
    ...(source.file === undefined ? {} : { file: source.file }),
    ...placeFields(place),
    ...(others.length === 0 ? {} : { others }),
  };
}

function placeFields(place: Place | undefined): Partial<Place> {
  return place === undefined ? {} : { line: place.line, column: place.column };
}

function location(file: string | undefined, line: number | undefined, column: number | undefined): string {
  if (file === undefined) return `line ${line}, column ${column}`;
  return line === undefined ? file : `${file}:${line}:${column}`;
}
