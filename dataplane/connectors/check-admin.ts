import { type AdminSettings, adminRemarks, adminSettings } from '../../contract/admin-settings.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import type { Problem } from '../../contract/problem.ts';
import { givenReferences } from '../../contract/vocabulary/given-references.ts';
import { parseConfig } from '../../contract/vocabulary/parse-config.ts';
import { Reference } from '../../contract/vocabulary/reference.ts';
import type { CheckOptions } from '../heap/check-options.ts';
import { ScopeCheck } from '../heap/check-scope.ts';
import type { CheckedObject, Scope } from '../heap/scope.ts';
import { refusePrototypeKeys } from '../routes/prototype-keys.ts';

/** `admin.json`, with the objects that it needs. */
export interface CheckedAdmin {
  readonly settings: AdminSettings;
  /** Its own heap, which no other document sees. */
  readonly scope: Scope;
  /** What each connector says to clients before they speak, in their order; null for one that is plain. */
  readonly tls: readonly (CheckedObject | null)[];
  /** What keeps content where no document says; null for the default object. */
  readonly storage: CheckedObject | null;
  /** Filters in front of the API and of the metrics on the admin port; null for none. */
  readonly protections: { readonly api: CheckedObject | null; readonly metrics: CheckedObject | null };
}

/** Result of a check: the settings and objects, unless there are errors. */
export interface AdminVerdict {
  readonly admin: CheckedAdmin | null;
  readonly problems: readonly Problem[];
}

/** Checks `admin.json`, whose tokens and properties have been resolved. @param defaults what is there undeclared */
export function checkAdmin(document: JsonObject, defaults: Scope, options: CheckOptions): AdminVerdict {
  const parsed = parseConfig(adminSettings, document, options.reading, []);
  const problems: Problem[] = [...parsed.problems];
  const report = (problem: Problem): void => void problems.push(problem);
  refusePrototypeKeys(document, report);
  refuseSharedPorts(portsOf(parsed.value, document), report);
  const elsewhere = "admin.json has a 'heap' of its own: objects of config.json are not seen here";
  const check = new ScopeCheck('admin', defaults, { ...options, elsewhere, report });
  check.heap(document['heap'], ['heap']);
  const used: CheckedObject[] = [];
  let isLost = false;
  const resolve = (reference: Reference | undefined, path: Problem['path']): CheckedObject | null => {
    if (reference === undefined) return null;
    const found = check.resolve(reference, path);
    if (found === null) isLost = true;
    else used.push(found);
    return found;
  };
  const settings = parsed.value;
  if (settings === undefined) {
    for (const { value, path } of givenReferences(adminSettings, document, options.reading, [])) resolve(value, path);
  }
  const tls = (settings?.connectors ?? []).map((one, at) => resolve(one.tls, ['connectors', at, 'tls']));
  const storage = resolve(settings?.temporaryStorage, ['temporaryStorage']);
  const { heap } = document;
  const named = {
    api: namedFilter(heap, 'ApiProtectionFilter'),
    metrics: namedFilter(heap, 'MetricsProtectionFilter'),
  };
  const protections = {
    api: resolve(settings?.apiProtectionFilter ?? named.api, ['apiProtectionFilter']),
    metrics: resolve(settings?.metricsProtectionFilter ?? named.metrics, ['metricsProtectionFilter']),
  };
  check.finish();
  if (settings !== undefined) problems.push(...adminRemarks(settings));
  // an object is not idle when a name that leads nowhere may have been meant to lead to it
  const needed = isLost ? null : reachable(used);
  problems.push(...heapRemarks(document['heap'], check.scope, needed));
  if (settings === undefined || problems.some(({ severity }) => severity === 'error')) return { admin: null, problems };
  return { admin: { settings, scope: check.scope, tls, storage, protections }, problems };
}

/** An object of this name protects something, whether a field refers to it or not. */
function namedFilter(heap: JsonValue | undefined, name: string): Reference | undefined {
  const declared = Array.isArray(heap) ? (heap as readonly JsonValue[]) : [];
  const isDeclared = declared.some((object) => isJsonObject(object) && object['name'] === name);
  return isDeclared ? new Reference('filter', name, null) : undefined;
}

/** The ports of the connectors; as they are written, where not all of the document can be read. */
function portsOf(settings: AdminSettings | undefined, { connectors }: JsonObject): readonly unknown[] {
  if (settings !== undefined) return (settings.connectors ?? []).map(({ port }) => port);
  const written = Array.isArray(connectors) ? (connectors as readonly JsonValue[]) : [];
  return written.map((connector) => (isJsonObject(connector) ? connector['port'] : undefined));
}

/** Two connectors cannot share a port: each would get some of the clients. */
function refuseSharedPorts(ports: readonly unknown[], report: (problem: Problem) => void): void {
  const seen = new Map<string, number>();
  for (const [at, port] of ports.entries()) {
    if (typeof port !== 'number' && typeof port !== 'string') continue;
    const first = seen.get(String(port));
    seen.set(String(port), first ?? at);
    if (first === undefined) continue;
    const others = [['connectors', first, 'port']];
    const message = `is the port of connectors[${first}] already`;
    report({ code: 'value', severity: 'error', path: ['connectors', at, 'port'], message, others });
  }
}

/** These objects and those that they need. */
function reachable(objects: readonly CheckedObject[]): ReadonlySet<CheckedObject> {
  const found = new Set(objects);
  // a Set's iterator also visits what is added while it runs
  for (const { targets, decorations } of found) {
    for (const target of targets.values()) found.add(target);
    for (const { decorator } of decorations) found.add(decorator);
  }
  return found;
}

/** Names that make an object of `admin.json` stand in front of something. */
const guards: Readonly<Record<string, string>> = {
  StudioProtectionFilter: 'the console gets its data from the API, which ApiProtectionFilter protects',
};

function heapRemarks(
  heap: JsonValue | undefined,
  scope: Scope,
  needed: ReadonlySet<CheckedObject> | null,
): readonly Problem[] {
  const declared = Array.isArray(heap) ? (heap as readonly JsonValue[]) : [];
  return declared.flatMap((object, at): Problem[] => {
    const name = isJsonObject(object) ? object['name'] : undefined;
    if (typeof name !== 'string') return [];
    const path = ['heap', at];
    const checked = scope.objects.get(name);
    const isIdle = checked !== undefined && needed !== null && !needed.has(checked);
    const why =
      guards[name] ?? (isIdle ? 'nothing in admin.json refers to it, and other documents do not see it' : null);
    return why === null ? [] : [{ code: 'no-effect', severity: 'warning', path, message: `has no effect: ${why}` }];
  });
}
