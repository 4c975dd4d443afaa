import { Duration } from '../../contract/duration.ts';
import type { Target } from '../../contract/expression/target.ts';
import type { Path } from '../../contract/problem.ts';
import { Reference, singleReferences } from '../../contract/vocabulary/reference.ts';
import type { RuntimeExpression } from '../../contract/vocabulary/runtime.ts';

/** Findings in a parsed configuration. */
export interface Found<T> {
  readonly value: T;
  readonly path: Path;
}

/** The references in a configuration, each to one object, with their places. */
export function referencesIn(config: unknown, path: Path): Found<Reference>[] {
  const references = found(config, path, (value): value is Reference => value instanceof Reference);
  return references.flatMap(({ value, path: at }) => singleReferences(value, at));
}

/** The runtime expressions in a configuration, with their places. */
export function expressionsIn(config: unknown, path: Path): Found<RuntimeExpression<unknown>>[] {
  return found(config, path, isExpression);
}

/** The durations in a configuration, with their places. */
export function durationsIn(config: unknown, path: Path): Found<Duration>[] {
  return found(config, path, (value): value is Duration => value instanceof Duration);
}

/** The places in a configuration that something is assigned to, with their own. */
export function targetsIn(config: unknown, path: Path): Found<Target>[] {
  return found(config, path, isTarget);
}

// a map that a user wrote may have entries of these names too, but never a function

function isExpression(value: object): value is RuntimeExpression<unknown> {
  return 'compiled' in value && 'read' in value && typeof value.read === 'function';
}

function isTarget(value: object): value is Target {
  return 'readOnly' in value && 'assign' in value && typeof value.assign === 'function';
}

function found<T extends object>(value: unknown, path: Path, wanted: (value: object) => value is T): Found<T>[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => found(item, [...path, index], wanted));
  if (typeof value !== 'object' || value === null) return [];
  if (wanted(value)) return [{ value, path }];
  if (Object.getPrototypeOf(value) !== Object.prototype) return [];
  return Object.entries(value).flatMap(([key, item]) => found(item, [...path, key], wanted));
}
