import { canonicalJson, contentHash } from '../../contract/document/canonical.ts';
import type { JsonValue } from '../../contract/document/json-value.ts';
import type { CheckedObject } from './scope.ts';
import { READS_FILES } from './survival-key.ts';

/** Inputs of the key in addition to the declaration. */
export interface DeclarationTerms {
  /** Whose object it is and what its document is read with. */
  readonly owner: string;
  /** The key of another object. */
  keyOf(object: CheckedObject): string;
}

/**
 * Names an object by its declaration and those that it refers to: equal objects of one tenant in different routes have
 * the same key. Where equal text may mean something else, the place of the object is part of the key.
 */
export function declarationKey(object: CheckedObject, { owner, keyOf }: DeclarationTerms): string {
  const { definition, name, path, scope, source, targets, decorations } = object;
  const declared = canonicalJson(source);
  const needed: JsonValue[] = [...targets.values()].map(keyOf);
  for (const { decorator, source: given } of decorations) needed.push([keyOf(decorator), given]);
  const place = READS_FILES.test(declared) ? [scope.name, name, [...path]] : [];
  return contentHash([owner, definition.type, declared, needed, place]);
}
