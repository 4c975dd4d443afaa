import { conceal } from '../../contract/conceal.ts';
import { isJsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import type { Path, Problem } from '../../contract/problem.ts';

/** A document as it is written, and as it is with its tokens and transformations replaced. */
export interface Replacement {
  readonly written: JsonValue;
  readonly resolved: JsonValue;
}

/** Problems without those that only follow from an earlier one: a token without a value is not a number either. */
export function firstProblems(problems: readonly Problem[], earlier: readonly Problem[] = []): Problem[] {
  const failed = earlier.filter(isPlacedError).map(({ path }) => path);
  return problems.filter((problem) => {
    if (failed.some((failure) => comesOf(problem.path, failure))) return false;
    if (isPlacedError(problem)) failed.push(problem.path);
    return true;
  });
}

/** Problems that were found after a replacement, told without what the tokens stand for. */
export function concealed(problems: readonly Problem[], { written, resolved }: Replacement): Problem[] {
  return problems.map((problem) => {
    const values = textsIn(nearest(resolved, problem.path));
    const message = conceal(problem.message, values, textsIn(nearest(written, problem.path)).join('\n'));
    return message === problem.message ? problem : { ...problem, message };
  });
}

function isPlacedError({ severity, path }: Problem): boolean {
  return severity === 'error' && path.length > 0;
}

/** Whether what is at a path comes of what failed: it is what transformations make of it. */
function comesOf(path: Path, failure: Path): boolean {
  if (path.length > failure.length || path.some((step, index) => step !== failure[index])) return false;
  return failure.slice(path.length).every((step) => typeof step === 'string' && step.startsWith('$'));
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
