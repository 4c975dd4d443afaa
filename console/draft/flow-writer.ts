import type { JsonValue } from '../../contract/document/json-value.ts';
import { indented, outdented, type Piece, plainPiece } from './piece.ts';
import { indentAt, lineEnd, lineStart, type Splice, type TextItem, type TextNode } from './text-node.ts';

/** Marker of comments up to the end of a line. */
export type CommentMarker = '//' | '#';

/** Edits lists and objects in brackets: those of JSON, and those of YAML that are written like JSON. */
export class FlowWriter {
  private readonly text: string;
  private readonly marker: CommentMarker;
  /** Blanks of one level. */
  private readonly unit: string;

  constructor(text: string, marker: CommentMarker) {
    this.text = text;
    this.marker = marker;
    this.unit = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  }

  pieceOf(value: JsonValue, isInline = false): Piece {
    return plainPiece(isInline ? inlineText(value) : JSON.stringify(value, null, this.unit));
  }

  /** Returns a piece as the only content of a new object or list. */
  wrapped(key: string | null, piece: Piece): Piece {
    const [open, close] = key === null ? '[]' : '{}';
    const inner = this.rendered(key, piece, false);
    return { before: [], lines: [open!, ...indented(inner, this.unit), close!], after: '', isBlock: false };
  }

  replace(node: TextNode, piece: Piece): Splice[] {
    const pad = indentAt(this.text, node.from);
    const [first, ...rest] = piece.lines;
    return [{ from: node.from, to: node.to, text: [first, ...indented(rest, pad)].join('\n') }];
  }

  /** Takes an item with its comments out of the text. */
  piece(container: TextNode, at: number): Piece {
    const item = container.items[at]!;
    const { from, after, ownsLine } = this.extent(container, at);
    const columns = indentAt(this.text, item.from).length;
    const [first, ...rest] = this.text.slice(item.node.from, item.node.to).split('\n');
    const before = ownsLine ? this.text.slice(from, lineStart(this.text, item.from)).split('\n').slice(0, -1) : [];
    return {
      before: before.map((line) => line.trim()),
      lines: [first!, ...outdented(rest, columns)],
      after,
      isBlock: false,
    };
  }

  remove(container: TextNode, at: number): Splice[] {
    const { items } = container;
    const item = items[at]!;
    if (items.length === 1) return [{ from: container.from + 1, to: container.to - 1, text: '' }];
    const { from, to, ownsLine } = this.extent(container, at);
    const isLast = at === items.length - 1;
    if (!isLast) return [{ from: ownsLine ? from : item.from, to: ownsLine ? to : items[at + 1]!.from, text: '' }];
    const before = items[at - 1]!;
    const comma = this.commaAfter(before, container);
    if (!ownsLine) return [{ from: before.to, to: item.to, text: '' }];
    return [
      { from: comma, to: comma + 1, text: '' },
      { from: Math.max(from, comma + 1), to, text: '' },
    ];
  }

  insert(container: TextNode, at: number, key: string | null, piece: Piece): Splice[] {
    const { items } = container;
    const next = items[at];
    const before = items[at - 1];
    if (next === undefined && before === undefined) return this.replace(container, this.wrapped(key, piece));
    if (!this.hasLines(container)) {
      const text = this.inline(key, piece);
      return next === undefined
        ? [{ from: before!.to, to: before!.to, text: `, ${text}` }]
        : [{ from: next.from, to: next.from, text: `${text}, ` }];
    }
    const pad = indentAt(this.text, items[0]!.from);
    if (next !== undefined) {
      const from = this.extent(container, at).from;
      return [{ from, to: from, text: `${indented(this.rendered(key, piece, true), pad).join('\n')}\n` }];
    }
    const end = this.extent(container, at - 1).to;
    const line = this.text[end - 1] === '\n' ? end - 1 : end;
    return [
      { from: before!.to, to: before!.to, text: ',' },
      { from: line, to: line, text: `\n${indented(this.rendered(key, piece, false), pad).join('\n')}` },
    ];
  }

  /** True if each item begins in a line of its own. */
  private hasLines({ from, items }: TextNode): boolean {
    return items.every((item, at) => this.text.slice(items[at - 1]?.to ?? from, item.from).includes('\n'));
  }

  private rendered(key: string | null, { before, lines, after }: Piece, withComma: boolean): string[] {
    const prefix = key === null ? '' : `${JSON.stringify(key)}: `;
    const all = [`${prefix}${lines[0]}`, ...lines.slice(1)];
    const last = `${all.at(-1)}${withComma ? ',' : ''}${after === '' ? '' : ` ${after}`}`;
    return [...before, ...all.slice(0, -1), last];
  }

  private inline(key: string | null, { lines }: Piece): string {
    const text = lines.map((line) => line.trim()).join(' ');
    return key === null ? text : `${JSON.stringify(key)}: ${text}`;
  }

  /**
   * The text that belongs to an item: comments in the lines above it and in its own line. It covers whole lines if the
   * item shares its lines with no other one.
   */
  private extent(
    container: TextNode,
    at: number,
  ): { readonly from: number; readonly to: number; readonly after: string; readonly ownsLine: boolean } {
    const { text } = this;
    const { items } = container;
    const item = items[at]!;
    const start = lineStart(text, item.from);
    const comma = at < items.length - 1 ? this.commaAfter(item, container) : item.to - 1;
    const rest = text.slice(comma + 1, lineEnd(text, comma + 1));
    const follows = this.comment(rest);
    const floor = items[at - 1]?.to ?? container.from + 1;
    const ownsLine = follows !== null && start >= floor && text.slice(start, item.from).trim() === '';
    if (!ownsLine) return { from: item.from, to: item.to, after: '', ownsLine };
    let from = start;
    for (let above = lineStart(text, from - 1); above >= floor && from > floor; above = lineStart(text, from - 1)) {
      if (!this.isComment(text.slice(above, from).trim())) break;
      from = above;
    }
    const end = lineEnd(text, comma + 1);
    return { from, to: Math.min(end + 1, text.length), after: follows, ownsLine };
  }

  /** Returns the comment in the rest of a line; empty for blanks only, null for anything else. */
  private comment(rest: string): string | null {
    const trimmed = rest.trim();
    return trimmed === '' || this.isComment(trimmed) ? trimmed : null;
  }

  private isComment(line: string): boolean {
    if (line.startsWith(this.marker)) return true;
    return this.marker === '//' && /^\/\*(?:(?!\*\/).)*\*\/$/s.test(line);
  }

  /** Offset of the comma behind an item. */
  private commaAfter(item: TextItem, container: TextNode): number {
    let at = item.to;
    while (at < container.to && this.text[at] !== ',') {
      if (this.text.startsWith(this.marker, at)) at = lineEnd(this.text, at);
      else if (this.marker === '//' && this.text.startsWith('/*', at)) at = this.text.indexOf('*/', at) + 2;
      else at++;
    }
    return at;
  }
}

/** A value in one line, with blanks inside of brackets. */
function inlineText(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(inlineText).join(', ')}]`;
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${inlineText(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
