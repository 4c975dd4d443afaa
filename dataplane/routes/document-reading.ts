import { canonicalJson } from '../../contract/document/canonical.ts';
import type { JsonObject, JsonValue } from '../../contract/document/json-value.ts';
import { isJsonObject } from '../../contract/document/json-value.ts';
import type { Reach } from '../../contract/reach.ts';
import type { Reading } from '../../contract/vocabulary/reading.ts';
import { configurationLanguage, runtimeLanguage } from '../language/runtime-language.ts';

/**
 * What the values of a document are read with: its properties and those of the documents around it are names in it. What
 * is around a tenant's is an operator's, and no name there.
 */
export function documentReading(
  reach: Reach,
  documents: readonly JsonObject[],
  evaluationFailed: Reading['evaluationFailed'],
): Reading {
  const constants = new Map<string, JsonValue>();
  for (const { properties } of reach.origin === 'tenant' ? documents.slice(-1) : documents) {
    if (!isJsonObject(properties)) continue;
    for (const [name, value] of Object.entries(properties)) constants.set(name, frozen(value));
  }
  return {
    reach,
    configuration: configurationLanguage(reach, constants),
    runtime: runtimeLanguage(reach, constants),
    patterns: reach.origin === 'tenant' ? 'linear' : 'bounded',
    evaluationFailed,
  };
}

/** Text of everything that gives the names in a document their meaning. Objects whose text changes are rebuilt. */
export function readingText(documents: readonly JsonObject[]): string {
  const given = documents.flatMap(({ properties }) => (isJsonObject(properties) ? [properties] : []));
  return canonicalJson(given.filter((properties) => Object.keys(properties).length > 0));
}

/** All requests see the same value, so that none may change it for the others. */
function frozen(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const item of Object.values(value)) frozen(item);
  return Object.freeze(value);
}
