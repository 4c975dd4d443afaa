import { conceal } from '../../contract/conceal.ts';
import { isJsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import type { Path, Problem } from '../../contract/problem.ts';

/** A document as it is written, and as it is with its tokens and transformations replaced. */
export interface Replacement {
  readonly written: JsonValue;
  readonly resolved: JsonValue;
}

/** Problems without those that only follow from an earlier one: a token without a value is not a number either. */
export function firstProblems(problems: readonly Problem[]): Problem[] {
  const failed = new Set<string>();
  return problems.filter((problem) => {
    if (failed.has(keyOf(problem.path))) return false;
    if (isPlacedError(problem)) for (const key of comingOf(problem.path)) failed.add(key);
    return true;
  });
}

/** Later problems without those that follow from an earlier one; they may follow from each other. */
export function notFollowing(later: readonly Problem[], earlier: readonly Problem[]): Problem[] {
  const failed = new Set(earlier.filter(isPlacedError).flatMap(({ path }) => comingOf(path)));
  return failed.size === 0 ? [...later] : later.filter(({ path }) => !failed.has(keyOf(path)));
}

/** Problems that were found after a replacement, told without what the tokens stand for. */
export function concealed(problems: readonly Problem[], { written, resolved }: Replacement): Problem[] {
  if (written === resolved) return [...problems];
  /** By what the message is about: several may be about one large object. */
  const known = new Map<JsonValue, Texts & { readonly before: JsonValue }>();
  return problems.map((problem) => {
    const [before, after] = [nearest(written, problem.path), nearest(resolved, problem.path)];
    if (before === after) return problem;
    const seen = known.get(after);
    const texts = seen?.before === before ? seen : { before, ...differing(before, after) };
    known.set(after, texts);
    const message = conceal(problem.message, texts.values, texts.written);
    return message === problem.message ? problem : { ...problem, message };
  });
}

interface Texts {
  readonly values: readonly string[];
  readonly written: string;
}

/** What a replacement put into a value, and what was written there. */
function differing(before: JsonValue, after: JsonValue): Texts {
  const written = textsIn(before);
  const shown = new Set(written);
  return { values: textsIn(after).filter((text) => !shown.has(text)), written: written.join('\n') };
}

function isPlacedError({ severity, path }: Problem): boolean {
  return severity === 'error' && path.length > 0;
}

/** The paths of what comes of something that failed: itself, and what transformations make of it. */
function comingOf(failure: Path): string[] {
  const keys = [keyOf(failure)];
  for (let length = failure.length; length > 0; length--) {
    const step = failure[length - 1];
    if (typeof step !== 'string' || !step.startsWith('$')) break;
    keys.push(keyOf(failure.slice(0, length - 1)));
  }
  return keys;
}

function keyOf(path: Path): string {
  return JSON.stringify(path);
}

/** What is at a path or, where there is no such place, at the end of what there is of it. */
function nearest(root: JsonValue, path: Path): JsonValue {
  let here = root;
  for (const step of path) {
    const inner = memberOf(here, step);
    if (inner === undefined) break;
    here = inner;
  }
  return here;
}

function memberOf(value: JsonValue, step: Path[number]): JsonValue | undefined {
  if (isJsonObject(value)) return Object.hasOwn(value, step) ? value[step] : undefined;
  return Array.isArray(value) ? (value as readonly JsonValue[])[Number(step)] : undefined;
}

/** Every text in a value, keys too. */
function textsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  if (!isJsonObject(value)) return value.flatMap(textsIn);
  return Object.entries(value).flatMap(([key, member]) => [key, ...textsIn(member)]);
}
