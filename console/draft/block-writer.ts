import { stringify } from 'yaml';
import type { JsonValue } from '../../contract/document/json-value.ts';
import { indented, outdented, type Piece, plainPiece } from './piece.ts';
import { indentAt, lineEnd, lineStart, type Splice, type TextItem, type TextNode } from './text-node.ts';

const UNIT = '  ';

/** Edits lists and objects of YAML that are written by indentation. */
export class BlockWriter {
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  pieceOf(value: JsonValue): Piece {
    const isBlock = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
    // Below a key, because the lines of a long text are indented there.
    return plainPiece(isBlock ? yamlText(value) : yamlText({ k: value }).slice('k: '.length), isBlock);
  }

  wrapped(key: string | null, piece: Piece): Piece {
    return { before: [], lines: rendered(key, piece), after: '', isBlock: true };
  }

  /** Replaces the value of an item, or of the whole text. A comment behind a value in one line stays. */
  replace(item: TextItem | null, node: TextNode, piece: Piece): Splice[] {
    const to = node.isBlock ? lineEnd(this.text, node.to) : node.to;
    if (item === null) return [{ from: node.from, to, text: piece.lines.join('\n') }];
    const column = this.columnOf(item.from);
    const isDash = this.text[item.from] === '-' && typeof item.step === 'number';
    return [{ from: item.valueFrom, to, text: valueText(piece, ' '.repeat(column), isDash) }];
  }

  piece(container: TextNode, at: number): Piece {
    const item = container.items[at]!;
    const { from, after } = this.extent(container, at);
    const { node } = item;
    const start = lineStart(this.text, item.from);
    const before = from < start ? this.text.slice(from, start).trimEnd().split('\n') : [];
    const end = node.isBlock ? lineEnd(this.text, node.to) : node.to;
    const [first, ...rest] = this.text.slice(node.from, end).split('\n');
    const columns = this.columnOf(node.isBlock ? node.from : item.from);
    return {
      before: before.map((line) => line.trim()),
      lines: [first!, ...outdented(rest, columns)],
      after: node.isBlock ? '' : after,
      isBlock: node.isBlock,
    };
  }

  /** @param parent the item that the container is the value of; null for the whole text */
  remove(container: TextNode, at: number, parent: TextItem | null): Splice[] {
    const { items, kind } = container;
    if (items.length === 1) return this.replace(parent, container, plainPiece(kind === 'array' ? '[]' : '{}'));
    const { from, to, ownsLine } = this.extent(container, at);
    if (ownsLine) {
      const isAtEnd = to === this.text.length && this.text[to - 1] !== '\n' && from > 0;
      return [{ from: isAtEnd ? from - 1 : from, to, text: '' }];
    }
    // The first member of an object in a list is in the line of the dash, and the next one takes its place.
    const next = items[at + 1];
    const end = next === undefined ? items[at]!.to : next.from;
    const hasComment = /#/.test(this.text.slice(items[at]!.to, end));
    return [{ from: items[at]!.from, to: hasComment ? lineEnd(this.text, items[at]!.to) : end, text: '' }];
  }

  insert(container: TextNode, at: number, key: string | null, piece: Piece): Splice[] {
    const { items } = container;
    const pad = ' '.repeat(this.columnOf(items[0]!.from));
    const lines = indented(rendered(key, piece), pad);
    const next = items[at];
    if (next === undefined) {
      const end = lineEnd(this.text, items.at(-1)!.to);
      return [{ from: end, to: end, text: `\n${lines.join('\n')}` }];
    }
    const { from, ownsLine } = this.extent(container, at);
    if (ownsLine) return [{ from, to: from, text: `${lines.join('\n')}\n` }];
    return [{ from: next.from, to: next.from, text: `${lines.join('\n').trimStart()}\n${pad}` }];
  }

  private columnOf(offset: number): number {
    return offset - lineStart(this.text, offset);
  }

  /** The text that belongs to an item: its lines, comments in them, and comments in the lines above. */
  private extent(
    container: TextNode,
    at: number,
  ): { readonly from: number; readonly to: number; readonly after: string; readonly ownsLine: boolean } {
    const { text } = this;
    const item = container.items[at]!;
    const start = lineStart(text, item.from);
    const end = lineEnd(text, item.to);
    const after = text.slice(item.to, end).trim();
    const ownsLine = text.slice(start, item.from).trim() === '';
    const column = indentAt(text, item.from).length;
    // Comments at the top of a text are about all of it.
    const floor = at > 0 ? container.items[at - 1]!.to : column === 0 ? start : 0;
    let from = start;
    while (from > floor) {
      const above = lineStart(text, from - 1);
      const line = text.slice(above, from);
      if (above < floor || !/^\s*#/.test(line) || line.search(/\S/) !== column) break;
      from = above;
    }
    return { from: ownsLine ? from : item.from, to: Math.min(end + 1, text.length), after, ownsLine };
  }
}

/** Lines of a member or item, from its own column on. */
function rendered(key: string | null, piece: Piece): string[] {
  const value = valueText(piece, '', key === null);
  const after = piece.after === '' ? '' : ` ${piece.after}`;
  const lines = `${key === null ? '-' : `${keyText(key)}:`}${value}`.split('\n');
  return [...piece.before, ...(lines.length === 1 ? [`${lines[0]}${after}`] : lines)];
}

/** Text of a value behind a colon or dash, which is in a column. */
function valueText({ lines, isBlock }: Piece, column: string, isDash: boolean): string {
  const [first, ...rest] = lines;
  if (!isBlock) return [` ${first}`, ...indented(rest, column)].join('\n');
  if (isDash) return [` ${first}`, ...indented(rest, `${column}${UNIT}`)].join('\n');
  return ['', ...indented(lines, `${column}${UNIT}`)].join('\n');
}

/** A value as YAML, without a line feed at its end. */
function yamlText(value: JsonValue): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd();
}

function keyText(key: string): string {
  return yamlText(key).includes('\n') ? JSON.stringify(key) : yamlText(key);
}
