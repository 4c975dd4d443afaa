import { isDeepStrictEqual } from 'node:util';
import { isCollection, isMap, isScalar, isSeq, type ParsedNode, stringify, type YAMLMap, type YAMLSeq } from 'yaml';
import type { JsonObject, JsonValue } from '../../contract/document/json-value.ts';
import { parseYaml } from '../../contract/document/yaml-parse.ts';
import { readYamlTexts } from '../../contract/document/yaml-text.ts';
import { type Addition, withAdditions } from '../../controller/injection/pod-patch.ts';

/** A piece of a text that takes the place of another. */
interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * Adds to a YAML text with one document and leaves all that it holds as it was written, comments and all.
 * @throws Error when that cannot be done, because of an alias for instance
 */
export function insertYaml(text: string, additions: readonly Addition[]): string {
  const before = readYamlTexts(text)[0]?.value;
  let changed = text;
  for (const addition of additions) {
    const [root] = parseYaml(changed)?.filter(({ contents }) => isCollection(contents)) ?? [];
    const splice = spliceOf(changed, root?.contents ?? null, addition);
    changed = changed.slice(0, splice.from) + splice.text + changed.slice(splice.to);
  }
  const after = readYamlTexts(changed)[0]?.value;
  // an alias would bring the same thing to another place as well
  if (!isDeepStrictEqual(after, withAdditions(before as JsonObject, additions))) throw new Error(NOT_IN_PLACE);
  return changed;
}

const NOT_IN_PLACE = 'cannot be edited in place: replace its YAML aliases by their values';

function spliceOf(text: string, root: ParsedNode | null, { path, value }: Addition): Splice {
  const step = path.at(-1) ?? '';
  const target = path.slice(0, -1).reduce<ParsedNode | null>((node, one) => memberNode(node, one), root);
  if (isMap<ParsedNode, ParsedNode | null>(target)) return intoMap(text, target, String(step), value);
  if (isSeq<ParsedNode>(target)) return intoSequence(text, target, step, value);
  throw new Error(NOT_IN_PLACE);
}

function memberNode(node: ParsedNode | null, step: string | number): ParsedNode | null {
  if (isSeq<ParsedNode>(node)) return node.items[Number(step)] ?? null;
  if (!isMap<ParsedNode, ParsedNode | null>(node)) return null;
  return node.items.findLast(({ key }) => isScalar(key) && key.value === step)?.value ?? null;
}

function intoMap(
  text: string,
  map: YAMLMap<ParsedNode, ParsedNode | null> & { range?: unknown },
  key: string,
  value: JsonValue,
): Splice {
  const known = map.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
  const inline = JSON.stringify(value);
  if (known?.value) {
    // null, which is as good as nothing, or a text of the same name
    const [from, to] = known.value.range;
    return { from, to, text: from === to ? ` ${inline}` : inline };
  }
  const [start, end] = bounds(map);
  const last = map.items.at(-1);
  const lastEnd = (last?.value ?? last?.key)?.range[1];
  if (text[start] === '{') return intoBrackets(start, lastEnd, `${JSON.stringify(key)}: ${inline}`);
  return lines(text, lastEnd ?? end, columnOf(text, start), stringify({ [key]: value }, { lineWidth: 0 }));
}

function intoSequence(text: string, sequence: YAMLSeq<ParsedNode>, step: string | number, value: JsonValue): Splice {
  const [start, end] = bounds(sequence);
  const isFirst = step !== '-';
  const lastEnd = sequence.items.at(-1)?.range[1];
  if (text[start] === '[') {
    const inline = JSON.stringify(value);
    if (!isFirst || lastEnd === undefined) return intoBrackets(start, lastEnd, inline);
    return { from: start + 1, to: start + 1, text: `${inline}, ` };
  }
  const column = columnOf(text, start);
  const item = stringify([value], { lineWidth: 0 });
  return isFirst ? lines(text, start - column, column, item) : lines(text, lastEnd ?? end, column, item);
}

/** After the last item in brackets, or right after the bracket. */
function intoBrackets(start: number, lastEnd: number | undefined, text: string): Splice {
  const at = lastEnd ?? start + 1;
  return { from: at, to: at, text: lastEnd === undefined ? text : `, ${text}` };
}

/** Whole lines from the next line on that begins at a place or after it. */
function lines(text: string, place: number, column: number, block: string): Splice {
  const isLineStart = place === 0 || text[place - 1] === '\n';
  const next = isLineStart ? place : text.indexOf('\n', place) + 1;
  const at = next === 0 ? text.length : next;
  const indent = ' '.repeat(column);
  const indented = block.replace(/^(?=.)/gm, indent);
  return { from: at, to: at, text: next === 0 ? `\n${indented}` : indented };
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1);
}

function bounds(node: { range?: unknown }): [start: number, end: number] {
  const [start, end] = node.range as [number, number, number];
  return [start, end];
}
