import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  kindOf,
  setMember,
} from '../../contract/document/json-value.ts';
import { readProperties } from '../../contract/document/properties.ts';
import type { PropertySet } from '../../contract/document/property-set.ts';
import { type TokenSources, tokenResolver } from '../../contract/document/token-resolver.ts';
import { substituteTokens } from '../../contract/document/tokens.ts';
import { applyTransformations } from '../../contract/document/transformations.ts';
import type { Problem } from '../../contract/problem.ts';
import type { Checker } from './checker.ts';
import { documentOf } from './document-of.ts';
import { concealed, firstProblems, notFollowing } from './later-problems.ts';
import type { SourceFile } from './source-file.ts';

/** A document whose properties, tokens and transformations have been replaced by what they stand for. */
export interface ResolvedDocument {
  /** Null when the file does not hold an object. */
  readonly document: JsonObject | null;
  readonly properties: PropertySet;
  readonly problems: readonly Problem[];
  /** What of later problems of the document is left to tell: nothing twice, and not what tokens stand for. */
  told(later: readonly Problem[]): Problem[];
}

/** @param parent the properties of the document around it */
export type ResolveDocument = (file: SourceFile, parent: PropertySet | null) => ResolvedDocument;

export function documentResolver(sources: TokenSources, evaluate: Checker['evaluate']): ResolveDocument {
  const resolve = valueResolver(sources, evaluate);
  return (file, parent) => {
    const { value, problems } = documentOf(file);
    return resolve(withoutSchema(value), parent, problems);
  };
}

/** A document without `$schema`, by which editors find the schema of the file. */
export function withoutSchema(value: JsonValue): JsonValue {
  if (!isJsonObject(value) || typeof value['$schema'] !== 'string') return value;
  const { $schema: _, ...document } = value;
  return document;
}

/** @param found what is wrong with its text */
export type ResolveValue = (
  value: JsonValue,
  parent: PropertySet | null,
  found?: readonly Problem[],
) => ResolvedDocument;

/** Resolves what is not the text of a file any more. */
export function valueResolver(sources: TokenSources, evaluate: Checker['evaluate']): ResolveValue {
  return (value, parent, found = []) => {
    const problems: Problem[] = [...found];
    const report = (problem: Problem): void => void problems.push(problem);
    if (!isJsonObject(value)) {
      if (problems.length === 0) {
        report({ code: 'value', severity: 'error', path: [], message: `must be a JSON object, not ${kindOf(value)}` });
      }
      const properties = readProperties({}, { parent, sources, evaluate }, report);
      return { document: null, properties, problems, told: (later) => [...later] };
    }
    const rest = withoutProperties(value);
    const properties = readProperties(value['properties'], { parent, sources, evaluate }, report);
    const tokens = tokenResolver(properties, sources);
    const substituted = substituteTokens(rest, tokens.resolve, report, [], tokens.names);
    const resolved = applyTransformations(substituted, report);
    const first = firstProblems(problems);
    const told = (later: readonly Problem[]): Problem[] =>
      concealed(notFollowing(later, first), { written: rest, resolved });
    const document = isJsonObject(resolved) ? withProperties(resolved, properties) : null;
    // the tokens of a file that could not be read have no value, which need not be said of each
    const isFileLost = first.some(({ severity, path }) => severity === 'error' && path.includes('$location'));
    const shown = isFileLost ? first.filter(({ code }) => code !== 'token') : first;
    return { document, properties, problems: shown, told };
  };
}

function withoutProperties(document: JsonObject): JsonObject {
  if (document['properties'] === undefined) return document;
  const { properties: _, ...rest } = document;
  return rest;
}

function withProperties(document: JsonObject, { values }: PropertySet): JsonObject {
  if (values.size === 0) return document;
  const properties: Record<string, JsonValue> = {};
  for (const [name, value] of values) setMember(properties, name, value);
  return { ...document, properties };
}
