import type { Declaration } from '../../contract/declaration.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import type { Path, Problem } from '../../contract/problem.ts';
import { fieldNames } from '../../contract/vocabulary/parse-config.ts';
import type { TypeDefinition } from './definition.ts';
import type { TypeCatalogue } from './type-catalogue.ts';

type Report = (problem: Problem) => void;

/** Names by which OpenIG finds objects that nothing refers to. */
const USED_BY_NAME: ReadonlySet<string> = new Set(['Session', 'AuditService']);

/** Keys of earlier versions that did nothing for a request, and what there is instead. */
const KEYS: ReadonlyMap<string, string> = new Map([
  ['audit', 'objects are not tagged for audit any more, an AuditService records what they do'],
]);

/** The array of a heap; in the first versions it was the field `objects` of an object. */
export function heapArray(raw: JsonValue, path: Path, report: Report): { raw: JsonValue; path: Path } {
  const objects = isJsonObject(raw) ? raw['objects'] : undefined;
  if (!Array.isArray(objects)) return { raw, path };
  const message = "is deprecated: 'heap' is the array of objects itself";
  report({ code: 'deprecated-field', severity: 'warning', path: [...path, 'objects'], message });
  return { raw: objects, path: [...path, 'objects'] };
}

/**
 * Whether an object of a type that this version does not have can be left out: nobody uses it, or nobody needs it. Those
 * with a name by which OpenIG finds them itself are in use.
 */
export function isLeftOut({ name, type, path }: Declaration, catalogue: TypeCatalogue, report: Report): boolean {
  if (!catalogue.isUnavailable(type)) return false;
  const relic = catalogue.relic(type);
  if (relic === undefined && USED_BY_NAME.has(name ?? '')) return false;
  const at = { severity: 'warning', path: [...path, 'type'] } as const;
  if (relic !== undefined) report({ ...at, code: 'no-effect', message: `has no effect: ${relic}` });
  else {
    const { message, ...rest } = catalogue.unknown(type);
    report({ ...at, ...rest, message: `has no effect: ${message}; nothing may use '${name}'` });
  }
  return true;
}

/** In earlier versions every object could be told where to log. */
export function withoutLogSink(config: JsonObject, definition: TypeDefinition, path: Path, report: Report): JsonObject {
  if (config['logSink'] === undefined || fieldNames(definition.config).includes('logSink')) return config;
  const message = "has no effect: all objects write to the program log; set its level with '--log-level'";
  report({ code: 'no-effect', severity: 'warning', path: [...path, 'logSink'], message });
  const { logSink: _, ...rest } = config;
  return rest;
}

/** Whether a key that names no decorator is one of earlier versions, which is then told. */
export function isRelicKey(name: string, path: Path, report: Report): boolean {
  const why = KEYS.get(name);
  if (why === undefined) return false;
  report({ code: 'no-effect', severity: 'warning', path, message: `has no effect: ${why}` });
  return true;
}

/** Reports a reference to an object that was left out. */
export function reportUse(
  name: string,
  { message, ...rest }: ReturnType<TypeCatalogue['unknown']>,
  path: Path,
  report: Report,
): void {
  report({ ...rest, severity: 'error', path, message: `'${name}' cannot be used: ${message}` });
}
