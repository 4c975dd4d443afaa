import { canonicalJson, contentHash } from '../../contract/document/canonical.ts';
import type { JsonValue } from '../../contract/document/json-value.ts';
import type { CheckedDecoration, CheckedObject } from './scope.ts';

/** Expressions that read files when a document is read: the same text can mean something else the next time. */
export const READS_FILES = /\bread\w*\s*\(/;

/** Inputs of an object in addition to its own declaration. */
export interface SurvivalTerms {
  /** Whose object it is and what its document is read with. */
  readonly owner: string;
  /** Decorations of its scope that are put around it. */
  readonly global: readonly CheckedDecoration[];
  /** The key of another object, or null for one that is made anew with every update. */
  keyOf(object: CheckedObject): string | null;
}

/**
 * Names an object by everything that it is made of, so that the same key means an object that does the same. Null where
 * that cannot be known, or where the type is made anew with every update.
 */
export function survivalKey(object: CheckedObject, terms: SurvivalTerms): string | null {
  const { definition, name, path, scope, source, targets, decorations } = object;
  if (definition.survives === false) return null;
  const declared = canonicalJson(source);
  if (READS_FILES.test(declared)) return null;
  const needed: JsonValue[] = [];
  for (const target of targets.values()) {
    const key = terms.keyOf(target);
    if (key === null) return null;
    needed.push(key);
  }
  for (const { decorator, source: said } of [...decorations, ...terms.global]) {
    const key = terms.keyOf(decorator);
    if (key === null) return null;
    needed.push([key, said]);
  }
  // names in a heap are unique; what is declared in place is told apart by where that is
  const place = scope.objects.get(name) === object ? [] : [...path];
  return contentHash([terms.owner, scope.name, name, place, definition.type, declared, needed]);
}
