import { isAlias, isMap, isScalar, isSeq, type ParsedNode } from 'yaml';
import type { Path, Problem } from '../problem.ts';
import { MOST_NESTING } from './document-text.ts';
import { isExactAsNumber, type JsonValue, setMember } from './json-value.ts';

/** How many values aliases may bring into one document, so that a short text cannot become a huge one. */
export const MOST_ALIASED = 10_000;

/** A problem and where in the text it is. */
export interface OffsetProblem extends Problem {
  readonly offset: number;
  readonly otherOffset?: number;
}

/** The JSON value of what a YAML parser read; what JSON does not have is reported and left out. */
export function readYamlNodes(root: ParsedNode | null, report: (problem: OffsetProblem) => void): JsonValue {
  const anchors = new Map<string, JsonValue>();
  let aliased = 0;
  return read(root, [], 0);

  function read(node: ParsedNode | null, path: Path, depth: number): JsonValue {
    if (node === null) return null;
    if (isAlias(node)) return readAlias(node.source, node.range[0], path, depth);
    if (!isScalar(node) && depth >= MOST_NESTING)
      return fault(node, path, `is nested more than ${MOST_NESTING} levels deep`);
    const value = isScalar(node) ? readScalar(node, path) : readCollection(node, path, depth + 1);
    if (node.anchor !== undefined) anchors.set(node.anchor, value);
    return value;
  }

  function readCollection(node: ParsedNode, path: Path, depth: number): JsonValue {
    if (isSeq<ParsedNode>(node)) return node.items.map((item, index) => read(item, [...path, index], depth));
    if (!isMap<ParsedNode, ParsedNode | null>(node)) return null;
    const object: Record<string, JsonValue> = {};
    const keys = new Map<string, number>();
    for (const { key, value } of node.items) {
      const name = readKey(key, path);
      if (name === undefined) continue;
      const first = keys.get(name);
      if (first === undefined) keys.set(name, key.range[0]);
      else reportTwice(name, key, first, [...path, name]);
      setMember(object, name, read(value, [...path, name], depth));
    }
    return object;
  }

  function readKey(key: ParsedNode, path: Path): string | undefined {
    if (!isScalar(key) || typeof key.value !== 'string') {
      fault(key, path, 'has a key that is not a text', 'put the key in quotes');
      return undefined;
    }
    if (key.value === '<<' && key.type === 'PLAIN') {
      fault(key, path, 'has a merge key, which YAML 1.2 does not have', 'write the members out');
      return undefined;
    }
    return key.value;
  }

  function readScalar(node: ParsedNode, path: Path): JsonValue {
    const value: unknown = isScalar(node) ? node.value : undefined;
    if (typeof value === 'bigint' && isExactAsNumber(value)) return Number(value);
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
    report({ ...problem('value', path, 'is a number that cannot be kept as it is'), offset: node.range[0] });
    return null;
  }

  /** What an alias stands for has been read already and is shared, but it counts as if it were written again. */
  function readAlias(name: string, offset: number, path: Path, depth: number): JsonValue {
    const value = anchors.get(name);
    if (value === undefined) {
      report({ ...problem('text', path, `has the alias *${name} before or within the anchor it names`), offset });
      return null;
    }
    if (measure(value, depth)) return value;
    const limits = `${MOST_ALIASED} values or ${MOST_NESTING} levels`;
    report({ ...problem('text', path, `has aliases that make it larger than ${limits}`), offset });
    return null;
  }

  function measure(value: JsonValue, depth: number): boolean {
    if (++aliased > MOST_ALIASED) return false;
    if (typeof value !== 'object' || value === null) return true;
    return depth < MOST_NESTING && Object.values<JsonValue>(value).every((member) => measure(member, depth + 1));
  }

  function reportTwice(name: string, key: ParsedNode, otherOffset: number, path: Path): void {
    const hint = 'remove one of the two';
    const twice = problem('duplicate-key', path, `is written twice: '${name}'`);
    report({ ...twice, hint, offset: key.range[0], otherOffset });
  }

  function fault(node: ParsedNode, path: Path, message: string, hint?: string): null {
    const offset = node.range[0];
    report({ ...problem('text', path, message), offset, ...(hint === undefined ? {} : { hint }) });
    return null;
  }
}

function problem(code: Problem['code'], path: Path, message: string): Problem {
  return { code, severity: 'error', path, message };
}
