import type { BuiltKind } from './kinds.ts';
import { type CheckedObject, kindOf } from './scope.ts';

/** What hands out secrets, or speaks for somebody, to whoever may refer to it. */
const SECRET: ReadonlySet<BuiltKind> = new Set([
  'secretStore',
  'secretsProvider',
  'keyManager',
  'amService',
  'issuer',
  'clientRegistration',
  'sessionManager',
  'userProfileService',
]);
/** What a request passes on its way to a place that whoever sends it may choose. */
const PASSED: ReadonlySet<BuiltKind> = new Set(['handler', 'filter', 'tlsOptions']);

/**
 * Whether an operator's object does not exist for tenants: it holds secrets, or puts them on requests that it passes on,
 * itself or through what it refers to. What is shared on purpose is not hidden, nor what refers to it for that reason.
 */
export function isHidden(object: CheckedObject, shared: ReadonlySet<string>): boolean {
  if (shared.has(object.name)) return false;
  return SECRET.has(kindOf(object)) || lendsCredentials(object, shared, new Set());
}

function lendsCredentials(object: CheckedObject, shared: ReadonlySet<string>, seen: Set<CheckedObject>): boolean {
  if (seen.has(object) || shared.has(object.name)) return false;
  seen.add(object);
  if (object.definition.lendsCredentials === true) return true;
  const kind = kindOf(object);
  if (kind === 'keyManager') return true;
  return PASSED.has(kind) && [...object.targets.values()].some((target) => lendsCredentials(target, shared, seen));
}
