import type { Path, Step } from '../../contract/problem.ts';

/** A value in a text, and where it is written. */
export interface TextNode {
  readonly kind: 'object' | 'array' | 'scalar';
  readonly from: number;
  readonly to: number;
  /** True for a list or object of YAML that is written by indentation and not in brackets. */
  readonly isBlock: boolean;
  readonly items: readonly TextItem[];
}

/** A member of an object or an item of a list, and where it is written. */
export interface TextItem {
  readonly step: Step;
  /** Offset of the key, of the dash of a YAML list, or else of the value. */
  readonly from: number;
  /** Offset after the colon or dash; the same as `from` for an item in brackets. */
  readonly valueFrom: number;
  readonly to: number;
  readonly node: TextNode;
}

/** A part of a text and the text that takes its place. */
export interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Returns a text with parts replaced that do not overlap. */
export function spliced(text: string, splices: readonly Splice[]): string {
  return splices
    .toReversed()
    .toSorted((a, b) => b.from - a.from)
    .reduce((result, splice) => result.slice(0, splice.from) + splice.text + result.slice(splice.to), text);
}

/** Returns the node at a path; undefined if there is none. Of equal keys the last one counts. */
export function nodeAt(root: TextNode, path: Path): TextNode | undefined {
  return path.length === 0 ? root : itemAt(root, path)?.node;
}

/** Returns the member or item at a path; undefined for the root. */
export function itemAt(root: TextNode, path: Path): TextItem | undefined {
  let node = root;
  let item: TextItem | undefined;
  for (const step of path) {
    item = node.items.findLast((one) => one.step === step);
    if (item === undefined) return undefined;
    node = item.node;
  }
  return item;
}

/** Returns the path of the innermost value whose text, with its key, contains an offset. */
export function pathAt(root: TextNode, offset: number): Path {
  const path: Step[] = [];
  for (let node = root; ; ) {
    const item = node.items.find(({ from, to }) => from <= offset && offset <= to);
    if (item === undefined) return path;
    path.push(item.step);
    node = item.node;
  }
}

/** Offset of the first character of a line. */
export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** Offset of the line feed at the end of a line, or of the end of the text. */
export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end < 0 ? text.length : end;
}

/** Blanks that a line begins with. */
export function indentAt(text: string, offset: number): string {
  return /[ \t]*/y.exec(text.slice(lineStart(text, offset)))![0];
}
