import { z } from 'zod';
import { type Decoration, decorationsOf } from '../../contract/declaration.ts';
import { didYouMean } from '../../contract/did-you-mean.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import type { Path, Problem } from '../../contract/problem.ts';
import { parseConfig } from '../../contract/vocabulary/parse-config.ts';
import { Reference, ref } from '../../contract/vocabulary/reference.ts';
import { isNeverTrue, type RuntimeExpression, runtimeFlag } from '../../contract/vocabulary/runtime.ts';
import type { CheckOptions } from '../heap/check-options.ts';
import { ScopeCheck } from '../heap/check-scope.ts';
import { contextsAt, filterOrder } from '../heap/filter-order.ts';
import { noteExpression } from '../heap/remarks.ts';
import { type CheckedDecoration, type CheckedObject, decoratable, kindOf, type Scope } from '../heap/scope.ts';
import type { CheckedDocument, SeenDocument } from './checked-document.ts';
import { testsAdministration, unreachedPaths } from './condition-reach.ts';
import { openProxies } from './open-proxies.ts';
import { refusePrototypeKeys } from './prototype-keys.ts';
import { secretsField } from './secrets-field.ts';

/** Result of a check: the document unless it has errors. The condition is included whenever it could be read. */
export interface DocumentVerdict {
  readonly document: CheckedDocument | null;
  /** Null when it is not even an object. */
  readonly seen: SeenDocument | null;
  readonly condition: RuntimeExpression<boolean> | null;
  readonly problems: readonly Problem[];
}

/** Name of the object that keeps the sessions of its document where `session` names none. */
const SESSION = 'Session';
/** Name of the object that records the requests of its document where `auditService` names none. */
const AUDIT = 'AuditService';
/** Keys of OpenIG that have nothing to act on here, and why. */
const VAIN: Readonly<Record<string, string>> = {
  monitor: 'every route is monitored',
  handlerObject: "the main handler is what 'handler' says",
  temporaryStorage: 'objects that keep content use the TemporaryStorage of the heap, or the one that they name',
};
const COMMON = ['handler', 'heap', 'globalDecorators', 'properties', 'monitor', 'secrets', 'session', 'auditService'];
/** The keys of a route that are no decorations. */
export const ROUTE_KEYS: ReadonlySet<string> = new Set([...COMMON, 'name', 'condition', '_id']);
/** The keys of `config.json` that are no decorations. */
export const BASE_KEYS: ReadonlySet<string> = new Set([...COMMON, 'handlerObject', 'temporaryStorage']);

/** Checks the document of a route, whose tokens and properties have been resolved. */
export function checkRoute(document: JsonValue, name: string, parent: Scope, options: CheckOptions): DocumentVerdict {
  return check(document, ROUTE_KEYS, name, parent, options);
}

/** Checks `config.json`. Without a handler it dispatches to its object `_router`, or else to a router of that name. */
export function checkBase(document: JsonValue, parent: Scope, options: CheckOptions): DocumentVerdict {
  if (!isJsonObject(document) || document['handler'] !== undefined) {
    return check(document, BASE_KEYS, 'gateway', parent, options);
  }
  const { handlerObject, ...rest } = document;
  if (handlerObject === undefined) {
    return check({ ...document, handler: defaultHandler(document['heap']) }, BASE_KEYS, 'gateway', parent, options);
  }
  const verdict = check({ ...rest, handler: handlerObject }, BASE_KEYS, 'gateway', parent, options);
  const message = "is deprecated: use 'handler'";
  const renamed: Problem = { code: 'deprecated-field', severity: 'warning', path: ['handlerObject'], message };
  return { ...verdict, problems: [...verdict.problems, renamed] };
}

function defaultHandler(heap: JsonValue | undefined): JsonValue {
  const listed = isJsonObject(heap) ? heap['objects'] : heap;
  const objects = Array.isArray(listed) ? (listed as readonly JsonValue[]) : [];
  const isDeclared = objects.some((object) => isJsonObject(object) && object['name'] === '_router');
  return isDeclared ? '_router' : { name: '_router', type: 'Router' };
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
  if (!isJsonObject(document)) {
    report({ code: 'value', severity: 'error', path: [], message: 'must be a JSON object' });
    return { document: null, seen: null, condition: null, problems };
  }
  const scopeCheck = new ScopeCheck(name, parent, { ...options, report });
  refusePrototypeKeys(document, report);
  judgeReserved(document, reserved, report);
  if (document['secrets'] !== undefined) scopeCheck.expectStores();
  scopeCheck.heap(document['heap'], ['heap']);
  scopeCheck.stores(readStores(document, options, report), ['secrets', 'stores']);
  const condition = readCondition(document, options, report);
  const handler = readHandler(document, scopeCheck, options, report);
  const session = readSession(document, scopeCheck, reserved, options, report);
  const audit = readAudit(document, scopeCheck, options, report);
  const misplaced = refuseMisplaced(document, scopeCheck.scope, report);
  const given = decorationsOf(document, [], new Set([...reserved, ...misplaced]));
  const decorations = scopeCheck.decorations(given, 'handler', [...reserved]);
  scopeCheck.scope.globalDecorations.push(...scopeCheck.decorations(globalDecorations(document, report), null));
  scopeCheck.finish();
  if (handler !== null) refuseIncompatible(decorations, handler, report);
  const hasErrors = (): boolean => problems.some(({ severity }) => severity === 'error');
  if (handler !== null && !hasErrors()) {
    const { scope } = scopeCheck;
    const isOpen = options.router === undefined || parent.openRouters.has(options.router);
    const found = openProxies({ scope, handler, decorations }, { isOpen, isTenant: options.tenant !== undefined });
    if (found.routers.size > 0) scope.openRouters = found.routers;
    problems.push(...found.problems);
    const order = filterOrder(handler, contextsAt(options.router, parent));
    if (order.routers.size > 0) scope.routerContexts = order.routers;
    problems.push(...order.problems);
    const node = condition?.compiled?.node;
    if (node !== undefined) problems.push(...unreachedPaths(node, handler));
  }
  const sound = handler !== null && condition !== undefined && !hasErrors();
  return {
    document: sound ? { scope: scopeCheck.scope, handler, decorations, session, audit, condition } : null,
    seen: { scope: scopeCheck.scope, handler, decorations, session, audit },
    condition: condition ?? null,
    problems: problems.some(isTriedHandler) ? problems.filter((problem) => !isMissingHandler(problem)) : problems,
  };
}

function judgeReserved(document: JsonObject, reserved: ReadonlySet<string>, report: (problem: Problem) => void): void {
  for (const [key, why] of Object.entries(VAIN)) {
    if (document[key] === undefined || !reserved.has(key)) continue;
    report({ code: 'no-effect', severity: 'warning', path: [key], message: `has no effect: ${why}` });
  }
}

/** Whether somebody wrote the handler under another name, so that it need not be said that it is missing. */
function isTriedHandler({ code, path: [key, ...more] }: Problem): boolean {
  if (code !== 'unknown-field' || more.length > 0) return false;
  return key === 'type' || didYouMean(String(key), ['handler']) !== undefined;
}

function isMissingHandler({ code, path }: Problem): boolean {
  return code === 'missing' && path.length === 1 && path[0] === 'handler';
}

/** Keys of objects that people write at the top of a document, where they would do nothing, and where they belong. */
const MISPLACED: Readonly<Record<string, string>> = {
  filters: "make 'handler' a Chain and move them into its 'config'",
  type: "put the object under 'handler'",
  config: "put the object under 'handler'",
};

/** Refuses such keys: filters that do not run are worse than a route that does not. @returns those that are there */
function refuseMisplaced(document: JsonObject, scope: Scope, report: (problem: Problem) => void): string[] {
  const found = Object.keys(MISPLACED).filter((key) => Object.hasOwn(document, key) && scope.find(key) === undefined);
  for (const key of found) {
    const message = `there is no field '${key}' here`;
    report({ code: 'unknown-field', severity: 'error', path: [key], message, hint: MISPLACED[key]! });
  }
  return found;
}

/** The condition; null for none, undefined for one that cannot be read. */
function readCondition(
  document: JsonObject,
  options: CheckOptions,
  report: (problem: Problem) => void,
): RuntimeExpression<boolean> | null | undefined {
  const raw = document['condition'];
  if (raw === undefined) return null;
  if (raw === null) {
    const message = 'has no effect: it is null, and every request is taken';
    const hint = "in YAML an expression that begins with '#{' needs quotes, because '#' begins a comment";
    report({ code: 'no-effect', severity: 'warning', path: ['condition'], message, hint });
    return null;
  }
  const parsed = parseConfig(runtimeFlag(), raw, options.reading, ['condition']);
  for (const problem of parsed.problems) report(problem);
  if (parsed.value !== undefined) {
    noteExpression(parsed.value, ['condition'], { ...options, report });
    const { constant, unknownRoots = [] } = parsed.value.compiled ?? {};
    // a property that is false is how a route is switched off
    if (isNeverTrue(parsed.value) && (constant === null || unknownRoots.length > 0)) {
      const message = 'is never true: the route takes no request';
      report({ code: 'no-effect', severity: 'warning', path: ['condition'], message });
    }
    noteAdministration(parsed.value, options, report);
  }
  return parsed.value;
}

function noteAdministration(
  { compiled }: RuntimeExpression<boolean>,
  { administrativePath: prefix }: CheckOptions,
  report: (problem: Problem) => void,
): void {
  if (prefix === undefined || compiled === null || !testsAdministration(compiled.node, prefix)) return;
  const message = `tests the administrative path '/${prefix}': requests to it and to paths below it reach no route`;
  const hint = "test another path, or name another administrative path: 'prefix' in admin.json";
  report({ code: 'no-effect', severity: 'warning', path: ['condition'], message, hint });
}

function readStores(
  document: JsonObject,
  options: CheckOptions,
  report: (problem: Problem) => void,
): readonly Reference<'secretStore'>[] {
  const secrets = document['secrets'];
  if (secrets === undefined) return [];
  const parsed = parseConfig(z.strictObject({ secrets: secretsField }), { secrets }, options.reading, []);
  for (const problem of parsed.problems) report(problem);
  return parsed.value?.secrets?.stores ?? [];
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

/** The manager that `session` names, or the object `Session` of the document; that of `config.json` may be the default one. */
function readSession(
  document: JsonObject,
  scopeCheck: ScopeCheck,
  reserved: ReadonlySet<string>,
  options: CheckOptions,
  report: (problem: Problem) => void,
): CheckedObject | null {
  const raw = document['session'];
  if (raw !== undefined) {
    const parsed = parseConfig(ref('sessionManager'), raw, options.reading, ['session']);
    for (const problem of parsed.problems) report(problem);
    return parsed.value === undefined ? null : scopeCheck.resolve(parsed.value, ['session']);
  }
  const { scope } = scopeCheck;
  const declared = reserved === BASE_KEYS ? scope.find(SESSION) : scope.objects.get(SESSION);
  if (declared === undefined) return null;
  return scopeCheck.resolve(new Reference('sessionManager', SESSION, null), declared.path);
}

/** The service that `auditService` names, or the object `AuditService` of the document itself. */
function readAudit(
  document: JsonObject,
  scopeCheck: ScopeCheck,
  options: CheckOptions,
  report: (problem: Problem) => void,
): CheckedObject | null {
  const raw = document['auditService'];
  if (raw !== undefined) {
    const parsed = parseConfig(ref('auditService'), raw, options.reading, ['auditService']);
    for (const problem of parsed.problems) report(problem);
    return parsed.value === undefined ? null : scopeCheck.resolve(parsed.value, ['auditService']);
  }
  const declared = scopeCheck.scope.objects.get(AUDIT);
  if (declared === undefined) return null;
  return scopeCheck.resolve(new Reference('auditService', AUDIT, null), declared.path);
}

function globalDecorations(document: JsonObject, report: (problem: Problem) => void): Decoration[] {
  const raw = document['globalDecorators'];
  const path: Path = ['globalDecorators'];
  if (raw === undefined) return [];
  if (isJsonObject(raw)) return decorationsOf(raw, path, new Set());
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
