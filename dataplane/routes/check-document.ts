import { type Decoration, decorationsOf, isObject } from '../../contract/declaration.ts';
import type { JsonObject, JsonValue } from '../../contract/document/json-value.ts';
import type { Path, Problem } from '../../contract/problem.ts';
import { parseConfig } from '../../contract/vocabulary/parse-config.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import { type RuntimeExpression, runtimeFlag } from '../../contract/vocabulary/runtime.ts';
import { type CheckOptions, decoratable, noteExpression, ScopeCheck } from '../heap/check-scope.ts';
import { type CheckedDecoration, type CheckedObject, kindOf, type Scope } from '../heap/scope.ts';

/** A document that declares a heap and a handler: a route or `config.json`. */
export interface CheckedDocument {
  readonly scope: Scope;
  readonly handler: CheckedObject;
  /** What is put around the handler by top-level keys, the innermost first. */
  readonly decorations: readonly CheckedDecoration[];
  /** Null where every request is taken. */
  readonly condition: RuntimeExpression<boolean> | null;
}

/** What came of a check: the document unless it has errors. The condition is there whenever it could be read. */
export interface DocumentVerdict {
  readonly document: CheckedDocument | null;
  readonly condition: RuntimeExpression<boolean> | null;
  readonly problems: readonly Problem[];
}

/** Keys that later versions will act on: refused, because a route without its session or its audit is another route. */
const UNAVAILABLE = ['secrets', 'session', 'auditService'];
const COMMON = ['handler', 'heap', 'globalDecorators', 'properties', 'name', 'monitor', ...UNAVAILABLE];
const ROUTE_KEYS = new Set([...COMMON, 'condition', '_id']);
const BASE_KEYS = new Set([...COMMON, 'handlerObject', 'temporaryStorage']);

/** Checks the document of a route, whose tokens and properties have been resolved. */
export function checkRoute(document: JsonValue, name: string, parent: Scope, options: CheckOptions): DocumentVerdict {
  return check(document, ROUTE_KEYS, name, parent, options);
}

/** Checks `config.json`. Without a handler of its own it dispatches to the router `_router`. */
export function checkBase(document: JsonValue, parent: Scope, options: CheckOptions): DocumentVerdict {
  const whole =
    isObject(document) && document['handler'] === undefined ? { ...document, handler: '_router' } : document;
  return check(whole, BASE_KEYS, 'gateway', parent, options);
}

function check(
  document: JsonValue,
  reserved: ReadonlySet<string>,
  name: string,
  parent: Scope,
  options: CheckOptions,
): DocumentVerdict {
  const problems: Problem[] = [];
  const report = (problem: Problem): void => void problems.push(problem);
  if (!isObject(document)) {
    report({ code: 'value', severity: 'error', path: [], message: 'must be a JSON object' });
    return { document: null, condition: null, problems };
  }
  const scopeCheck = new ScopeCheck(name, parent, { ...options, report });
  refuseUnavailable(document, report);
  scopeCheck.heap(document['heap'], ['heap']);
  const condition = readCondition(document, options, report);
  const handler = readHandler(document, scopeCheck, options, report);
  const decorations = scopeCheck.decorations(decorationsOf(document, [], reserved), 'handler');
  scopeCheck.scope.globalDecorations.push(...scopeCheck.decorations(globalDecorations(document, report), null));
  scopeCheck.finish();
  if (handler !== null) refuseIncompatible(decorations, handler, report);
  const sound = handler !== null && condition !== undefined && !problems.some(({ severity }) => severity === 'error');
  return {
    document: sound ? { scope: scopeCheck.scope, handler, decorations, condition } : null,
    condition: condition ?? null,
    problems,
  };
}

function refuseUnavailable(document: JsonObject, report: (problem: Problem) => void): void {
  for (const key of UNAVAILABLE) {
    if (document[key] === undefined) continue;
    const message = 'is known, but not available in this version';
    report({ code: 'unavailable-field', severity: 'error', path: [key], message });
  }
  if (document['monitor'] !== undefined) {
    const message = 'has no effect: every route is monitored';
    report({ code: 'no-effect', severity: 'warning', path: ['monitor'], message });
  }
}

/** The condition; null for none, undefined for one that cannot be read. */
function readCondition(
  document: JsonObject,
  options: CheckOptions,
  report: (problem: Problem) => void,
): RuntimeExpression<boolean> | null | undefined {
  const raw = document['condition'];
  if (raw === undefined || raw === null) return null;
  const parsed = parseConfig(runtimeFlag(), raw, options.reading, ['condition']);
  for (const problem of parsed.problems) report(problem);
  if (parsed.value !== undefined) noteExpression(parsed.value, ['condition'], report);
  return parsed.value;
}

function readHandler(
  document: JsonObject,
  scopeCheck: ScopeCheck,
  options: CheckOptions,
  report: (problem: Problem) => void,
): CheckedObject | null {
  const parsed = parseConfig(ref('handler'), document['handler'], options.reading, ['handler']);
  for (const problem of parsed.problems) report(problem);
  return parsed.value === undefined ? null : scopeCheck.resolve(parsed.value, ['handler']);
}

function globalDecorations(document: JsonObject, report: (problem: Problem) => void): Decoration[] {
  const raw = document['globalDecorators'];
  const path: Path = ['globalDecorators'];
  if (raw === undefined) return [];
  if (isObject(raw)) return decorationsOf(raw, path, new Set());
  report({ code: 'value', severity: 'error', path, message: 'must be an object with the names of decorators as keys' });
  return [];
}

function refuseIncompatible(
  decorations: readonly CheckedDecoration[],
  handler: CheckedObject,
  report: (problem: Problem) => void,
): void {
  for (const decoration of decorations) {
    if (decoratable(decoration, kindOf(handler))) continue;
    const { name } = decoration.decorator;
    const message = `'${name}' cannot decorate a ${handler.definition.type}`;
    report({ code: 'decoration', severity: 'error', path: [name], message });
  }
}
