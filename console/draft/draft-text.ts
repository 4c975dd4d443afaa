import { parseDocument, stringify } from 'yaml';
import type { PlacedProblem } from '../../contract/document/document-text.ts';
import { readJsonText } from '../../contract/document/json-text.ts';
import type { JsonValue } from '../../contract/document/json-value.ts';
import { TextLines } from '../../contract/document/text-lines.ts';
import { readYamlText } from '../../contract/document/yaml-text.ts';
import type { Path } from '../../contract/problem.ts';
import { BlockWriter } from './block-writer.ts';
import { valueAt } from './edited-value.ts';
import { FlowWriter } from './flow-writer.ts';
import { jsonTree } from './json-tree.ts';
import type { Piece } from './piece.ts';
import { itemAt, nodeAt, type Splice, spliced, type TextItem, type TextNode } from './text-node.ts';
import { yamlTree } from './yaml-tree.ts';

export type DraftFormat = 'json' | 'yaml';

/** A place where a text cannot be read. */
export interface DraftFault {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly hint?: string;
}

/** A text that has been read, with its values and their places. */
export interface DraftText {
  readonly text: string;
  readonly format: DraftFormat;
  /** Null if there are faults. */
  readonly root: TextNode | null;
  readonly value: JsonValue;
  readonly faults: readonly DraftFault[];
}

/** Reads a text as the gateway reads files. */
export function readDraft(text: string, format: DraftFormat): DraftText {
  const { value, problems } = format === 'json' ? readJsonText(text) : readYamlText(text);
  const lines = new TextLines(text);
  const faults = problems.map((problem) => faultOf(problem, lines));
  const root = faults.length > 0 ? null : format === 'json' ? jsonTree(text) : yamlTree(text);
  return { text, format, root, value, faults };
}

function faultOf({ message, hint, place = { line: 1, column: 1 } }: PlacedProblem, lines: TextLines): DraftFault {
  let start = 0;
  for (let line = 1; line < place.line; line++) start = lines.text.indexOf('\n', start) + 1;
  return {
    offset: start + lines.offsetInLine(place),
    ...place,
    message: `The text ${message}`,
    ...(hint === undefined ? {} : { hint }),
  };
}

/** Returns the whole text of a value. */
export function writtenText(value: JsonValue, format: DraftFormat): string {
  return format === 'json'
    ? `${JSON.stringify(value, null, 2)}\n`
    : stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** Edits of a text that has no faults. Each returns the new text; nothing but the touched part changes. */
export class TextEdits {
  private readonly text: string;
  private readonly root: TextNode;
  private readonly flow: FlowWriter;
  private readonly block: BlockWriter | null;

  constructor({ text, format }: DraftText, root: TextNode) {
    this.text = text;
    this.root = root;
    this.flow = new FlowWriter(text, format === 'json' ? '//' : '#');
    this.block = format === 'json' ? null : new BlockWriter(text);
  }

  /** Returns the piece of a value for a place below a parent. @param path of the parent */
  pieceFor(path: Path, value: JsonValue): Piece {
    return this.blockAt(path)?.pieceOf(value) ?? this.flow.pieceOf(value, this.isInline(path));
  }

  /** Takes an item with its comments; null where the texts of the two places are written differently. */
  pieceAt(path: Path, target: Path): Piece | null {
    const [parent, at] = this.placed(path);
    const from = this.blockAt(path.slice(0, -1));
    const to = this.blockAt(target);
    if ((from === null) !== (to === null)) return null;
    return from === null ? this.flow.piece(parent, at) : from.piece(parent, at);
  }

  wrapped(path: Path, key: string | null, piece: Piece): Piece {
    return (this.blockAt(path) ?? this.flow).wrapped(key, piece);
  }

  replace(path: Path, piece: Piece): string {
    const node = nodeAt(this.root, path)!;
    const item = itemAt(this.root, path) ?? null;
    const block = this.blockAt(path.slice(0, -1));
    return this.made(block === null ? this.flow.replace(node, piece) : block.replace(item, node, piece));
  }

  remove(path: Path): string {
    const [parent, at] = this.placed(path);
    const above = path.slice(0, -1);
    const block = parent.isBlock ? this.block : null;
    if (block === null) return this.made(this.flow.remove(parent, at));
    const item: TextItem | null = itemAt(this.root, above) ?? null;
    return this.made(block.remove(parent, at, item));
  }

  /** @param path of the list or object */
  insert(path: Path, at: number, key: string | null, piece: Piece): string {
    const container = nodeAt(this.root, path)!;
    if (container.items.length === 0) return this.replace(path, this.wrapped(path, key, piece));
    const writer = container.isBlock && this.block !== null ? this.block : this.flow;
    return this.made(writer.insert(container, at, key, piece));
  }

  /** The writer for values below a node: an empty list of YAML becomes one by indentation, if it is in such a one. */
  private blockAt(path: Path): BlockWriter | null {
    if (this.block === null) return null;
    const node = nodeAt(this.root, path);
    if (node === undefined || node.isBlock || path.length === 0)
      return node?.isBlock !== false || isEmpty(node) ? this.block : null;
    const parent = nodeAt(this.root, path.slice(0, -1));
    return isEmpty(node) && parent?.isBlock === true ? this.block : null;
  }

  private isInline(path: Path): boolean {
    const node = nodeAt(this.root, path);
    return node !== undefined && node.items.length > 0 && !this.text.slice(node.from, node.to).includes('\n');
  }

  private placed(path: Path): readonly [TextNode, number] {
    const parent = nodeAt(this.root, path.slice(0, -1))!;
    return [parent, parent.items.findLastIndex(({ step }) => step === path.at(-1))];
  }

  private made(splices: readonly Splice[]): string {
    return spliced(this.text, splices);
  }
}

/** True for a scalar and for `{}` and `[]`. */
function isEmpty({ items }: TextNode): boolean {
  return items.length === 0;
}

/** Returns texts with another value that keep the comments of YAML, but not its layout; the best first. */
export function* rewrittenTexts({ text, format }: DraftText, path: Path, wanted: JsonValue): Generator<string> {
  for (let depth = format === 'yaml' ? path.length : 0; depth > 0; depth--) {
    const document = parseDocument(text);
    const above = path.slice(0, depth);
    // The value of an alias has no place of its own, but the alias has one.
    if (document.hasIn(above)) {
      document.setIn(above, valueAt(wanted, above));
      yield document.toString({ lineWidth: 0 });
    }
  }
  yield writtenText(wanted, format);
}
