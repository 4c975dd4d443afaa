import { type CST, isAlias, isMap, isScalar, isSeq, type ParsedNode } from 'yaml';
import { parseYaml } from '../../contract/document/yaml-parse.ts';
import type { TextItem, TextNode } from './text-node.ts';

/** Returns the values of a YAML text without faults, with their places. */
export function yamlTree(text: string): TextNode {
  const documents = parseYaml(text, { keepSourceTokens: true }) ?? [];
  const filled = documents.find(({ contents }) => contents !== null && !isBlank(contents));
  return filled === undefined ? scalar(0, 0) : read(filled.contents!, text);
}

function isBlank(node: ParsedNode): boolean {
  return isScalar(node) && node.value === null && node.source === '';
}

function read(node: ParsedNode, text: string): TextNode {
  const [from, end] = node.range;
  if (isAlias(node) || isScalar(node)) return scalar(from, from + text.slice(from, end).trimEnd().length);
  const kind = isSeq(node) ? 'array' : 'object';
  const token = node.srcToken as CST.BlockMap | CST.BlockSequence | CST.FlowCollection;
  const isBlock = token.type !== 'flow-collection';
  const items = isSeq<ParsedNode>(node)
    ? node.items.map((item, step) => listItem(item, step, token.items[step], isBlock, text))
    : isMap<ParsedNode, ParsedNode | null>(node)
      ? node.items.map((pair) => member(pair, text))
      : [];
  return { kind, from, to: isBlock ? (items.at(-1)?.to ?? end) : end, isBlock, items };
}

type SourceItem = CST.BlockSequence['items'][number] | CST.FlowCollection['items'][number] | undefined;

function listItem(item: ParsedNode, step: number, source: SourceItem, isBlock: boolean, text: string): TextItem {
  const dash = source?.start.find(({ type }) => type === 'seq-item-ind')?.offset;
  if (isBlock && dash !== undefined) {
    const node = isBlank(item) ? scalar(dash + 1, dash + 1) : read(item, text);
    return { step, from: dash, valueFrom: dash + 1, to: node.to, node };
  }
  const node = read(item, text);
  return { step, from: node.from, valueFrom: node.from, to: node.to, node };
}

interface ParsedPair {
  readonly key: ParsedNode;
  readonly value: ParsedNode | null;
  readonly srcToken?: CST.CollectionItem;
}

function member({ key, value, srcToken }: ParsedPair, text: string): TextItem {
  const step = isScalar(key) ? String(key.value) : '';
  const [from, keyEnd] = key.range;
  const colon = srcToken?.sep?.find(({ type }) => type === 'map-value-ind')?.offset;
  const valueFrom = colon === undefined ? keyEnd : colon + 1;
  const node = value === null || isBlank(value) ? scalar(valueFrom, valueFrom) : read(value, text);
  return { step, from, valueFrom, to: node.to, node };
}

function scalar(from: number, to: number): TextNode {
  return { kind: 'scalar', from, to, isBlock: false, items: [] };
}
