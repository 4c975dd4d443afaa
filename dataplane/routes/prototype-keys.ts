import type { JsonObject, JsonValue } from '../../contract/document/json-value.ts';
import type { Path, Problem } from '../../contract/problem.ts';

/** The key that means something else to JavaScript than to whoever wrote it, so that it would be lost without a word. */
const PROTOTYPE = '__proto__';

/** Refuses the key wherever it stands. */
export function refusePrototypeKeys(value: JsonValue, report: (problem: Problem) => void, path: Path = []): void {
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    const item = (value as JsonObject)[key]!;
    if (typeof item !== 'object' && key !== PROTOTYPE) continue;
    const at = [...path, Array.isArray(value) ? Number(key) : key];
    if (key === PROTOTYPE) {
      report({ code: 'unknown-field', severity: 'error', path: at, message: `there can be no field '${PROTOTYPE}'` });
    } else refusePrototypeKeys(item, report, at);
  }
}
