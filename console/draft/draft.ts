import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import { withoutMark } from '../../contract/document/text-place.ts';
import type { Path } from '../../contract/problem.ts';
import { convertedText } from './converted-text.ts';
import {
  type DraftFault,
  type DraftFormat,
  type DraftText,
  readDraft,
  rewrittenTexts,
  TextEdits,
} from './draft-text.ts';
import { isSame, valueAt, withInserted, withoutValue, withValue } from './edited-value.ts';
import type { Piece } from './piece.ts';
import { itemAt, nodeAt, pathAt } from './text-node.ts';

/** A part of a text. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** A state that one can go back to. */
interface Kept {
  readonly text: string;
  readonly format: DraftFormat;
}

const MOST_STEPS = 200;
/** Members that were removed and whose places are remembered. */
const MOST_PLACES = 100;

/**
 * A document that somebody edits. The text is the truth: edits by path change only the part of the text that they are
 * about, so that comments, order, layout and unknown members stay.
 */
export class Draft {
  private now: DraftText;
  private lastDocument: JsonValue | undefined;
  private readonly listeners = new Set<() => void>();
  private before: Kept[] = [];
  private after: Kept[] = [];
  /** Changes of one group, such as letters that are typed, are undone together. */
  private group: string | null = null;
  private isEditing = false;
  /** Members that came before one that was removed, by its path: a field that is cleared and filled keeps its place. */
  private readonly places = new Map<string, readonly string[]>();

  constructor(text: string, format: DraftFormat) {
    this.now = readDraft(withoutMark(text), format);
    if (this.now.root !== null) this.lastDocument = this.now.value;
  }

  get text(): string {
    return this.now.text;
  }

  get format(): DraftFormat {
    return this.now.format;
  }

  /** The last document that could be read; undefined if none could. */
  get document(): JsonValue | undefined {
    return this.lastDocument;
  }

  /** Places where the text cannot be read. Edits by path are refused while there are any. */
  get faults(): readonly DraftFault[] {
    return this.now.faults;
  }

  get canUndo(): boolean {
    return this.before.length > 0;
  }

  get canRedo(): boolean {
    return this.after.length > 0;
  }

  /** Calls back after each change. @returns a function that ends it */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** @param group changes of the same group, one after the other, are undone together */
  setText(text: string, group: string | null = null): void {
    this.change({ text: withoutMark(text), format: this.format }, group);
  }

  /** Writes the document in the other format, with its comments. @returns false if the text cannot be read */
  convert(format: DraftFormat): boolean {
    if (format === this.format) return true;
    const { root } = this.now;
    if (root === null) return false;
    this.change({ text: convertedText(this.now, root, format), format });
    return true;
  }

  /**
   * Sets a value. Missing objects on the way are made, and of lists and objects only the differing parts are written.
   *
   * @returns false if the text cannot be read, or if the path leads through a value that is no list or object
   */
  set(path: Path, value: JsonValue, group: string | null = null): boolean {
    return this.edit(() => this.put(path, value), group);
  }

  /** Removes a member or item with its comments. @returns false if there is none */
  remove(path: Path, group: string | null = null): boolean {
    this.rememberPlace(path);
    return this.edit(() => this.take(path), group);
  }

  /** Makes several edits as one change, or none of them if the function returns false. */
  together(steps: () => boolean, group: string | null = null): boolean {
    return this.edit(steps, group);
  }

  /**
   * Puts a value into a list, or a member into an object.
   *
   * @param path of the list or object; a missing one is made
   * @param index place in it; at the end for one that is larger
   * @param key name of a member; null for an item of a list
   */
  insert(path: Path, index: number, value: JsonValue, key: string | null = null): boolean {
    return this.edit(() => this.bring(path, index, key, value, null));
  }

  /**
   * Moves an item or member with its comments.
   *
   * @param to its path afterwards
   * @param place of a member among the others of another object; at the end by default
   */
  move(from: Path, to: Path, place = Number.MAX_SAFE_INTEGER): boolean {
    return this.edit(() => {
      const value = valueAt(this.now.value, from);
      const step = to.at(-1);
      if (value === undefined || step === undefined || from.length === 0) return false;
      const parent = to.slice(0, -1);
      const isMember = typeof step === 'string';
      if (isMember && valueAt(this.now.value, to) !== undefined) return false;
      const isRenamed = isMember && isSame(from.slice(0, -1), parent);
      const before = nodeAt(this.now.root!, from.slice(0, -1))!.items.findIndex((item) => item.step === from.at(-1));
      const piece = this.edits().pieceAt(from, this.beforeRemoval(from, parent));
      if (!this.take(from)) return false;
      const index = isRenamed ? before : isMember ? place : step;
      return this.bring(parent, index, isMember ? step : null, value, piece);
    });
  }

  /** Where a value is written, without its key; undefined if it is not in the text, or if the text cannot be read. */
  placeOf(path: Path): TextRange | undefined {
    const node = this.now.root === null ? undefined : nodeAt(this.now.root, path);
    return node === undefined ? undefined : { from: node.from, to: node.to };
  }

  /** Where the key of a member is written; for an item of a list where its value is. */
  keyPlaceOf(path: Path): TextRange | undefined {
    const item = this.now.root === null ? undefined : itemAt(this.now.root, path);
    if (item === undefined) return undefined;
    if (typeof item.step === 'number') return { from: item.node.from, to: item.node.to };
    const key = this.text.slice(item.from, item.valueFrom).replace(/\s*:$/, '');
    return { from: item.from, to: item.from + key.length };
  }

  /** Path of the innermost value at an offset; empty for the whole, and while the text cannot be read. */
  pathAt(offset: number): Path {
    return this.now.root === null ? [] : pathAt(this.now.root, offset);
  }

  undo(): boolean {
    return this.travel(this.before, this.after);
  }

  redo(): boolean {
    return this.travel(this.after, this.before);
  }

  private travel(from: Kept[], to: Kept[]): boolean {
    const kept = from.pop();
    if (kept === undefined) return false;
    to.push({ text: this.text, format: this.format });
    this.group = null;
    this.show(kept);
    return true;
  }

  private change(next: Kept, group: string | null = null): void {
    if (next.text === this.text && next.format === this.format) return;
    const joins = group !== null && group === this.group && this.before.length > 0;
    if (!joins) this.before = [...this.before, { text: this.text, format: this.format }].slice(-MOST_STEPS);
    this.group = group;
    this.after = [];
    this.show(next);
  }

  private show({ text, format }: Kept): void {
    this.read(text, format);
    for (const listener of this.listeners) listener();
  }

  private read(text: string, format = this.format): void {
    this.now = readDraft(text, format);
    if (this.now.root !== null) this.lastDocument = this.now.value;
  }

  /** Makes all steps of an edit or none. The outermost one is a change. */
  private edit(steps: () => boolean, group: string | null = null): boolean {
    if (this.now.root === null) return false;
    const [start, document, isInner] = [this.now, this.lastDocument, this.isEditing];
    this.isEditing = true;
    let isDone = false;
    try {
      isDone = steps();
    } finally {
      this.isEditing = isInner;
      const { text } = this.now;
      if (!isDone || !isInner) {
        this.now = start;
        this.lastDocument = document;
      }
      if (isDone && !isInner) this.change({ text, format: start.format }, group);
    }
    return isDone;
  }

  private edits(): TextEdits {
    return new TextEdits(this.now, this.now.root!);
  }

  private put(path: Path, value: JsonValue): boolean {
    const known = valueAt(this.now.value, path);
    if (known === undefined) return this.add(path, value);
    if (isSame(known, value)) return true;
    if (isJsonObject(known) && isJsonObject(value)) return this.putMembers(path, known, value);
    if (Array.isArray(known) && Array.isArray(value)) return this.putItems(path, known, value);
    return this.write(path, withValue(this.now.value, path, value), (edits) =>
      edits.replace(path, edits.pieceFor(path.slice(0, -1), value)),
    );
  }

  private putMembers(path: Path, known: JsonObject, value: JsonObject): boolean {
    const stays = Object.keys(known).filter((key) => Object.hasOwn(value, key));
    const isOrdered = isSame(stays, Object.keys(value).slice(0, stays.length));
    const gone = Object.keys(known).filter((key) => !Object.hasOwn(value, key));
    return (
      gone.every((key) => this.take([...path, key])) &&
      Object.entries(value).every(([key, member], at) =>
        Object.hasOwn(known, key)
          ? this.put([...path, key], member)
          : this.bring(path, isOrdered ? Number.MAX_SAFE_INTEGER : at, key, member, null),
      )
    );
  }

  private putItems(path: Path, known: readonly JsonValue[], value: readonly JsonValue[]): boolean {
    let head = 0;
    while (head < known.length && head < value.length && isSame(known[head], value[head])) head++;
    let tail = 0;
    const most = Math.min(known.length, value.length) - head;
    while (tail < most && isSame(known.at(-1 - tail), value.at(-1 - tail))) tail++;
    const [old, made] = [known.length - tail, value.length - tail];
    for (let at = head; at < Math.min(old, made); at++) if (!this.put([...path, at], value[at]!)) return false;
    for (let at = old - 1; at >= made; at--) if (!this.take([...path, at])) return false;
    for (let at = old; at < made; at++) if (!this.bring(path, at, null, value[at]!, null)) return false;
    return true;
  }

  /** Adds a value that is not there yet, with the objects on the way to it. */
  private add(path: Path, value: JsonValue): boolean {
    const parent = path.slice(0, -1);
    const step = path.at(-1)!;
    const index = typeof step === 'number' ? step : this.placeFor(path);
    return this.bring(parent, index, typeof step === 'number' ? null : step, value, null);
  }

  private rememberPlace(path: Path): void {
    const key = path.at(-1);
    const object = valueAt(this.now.value, path.slice(0, -1));
    if (typeof key !== 'string' || !isJsonObject(object) || !Object.hasOwn(object, key)) return;
    const keys = Object.keys(object);
    const name = JSON.stringify(path);
    this.places.delete(name);
    this.places.set(name, keys.slice(0, keys.indexOf(key)));
    const [oldest] = this.places.keys();
    if (this.places.size > MOST_PLACES && oldest !== undefined) this.places.delete(oldest);
  }

  /** Place of a new member: behind those that it came after before, or at the end. */
  private placeFor(path: Path): number {
    const before = this.places.get(JSON.stringify(path));
    const object = valueAt(this.now.value, path.slice(0, -1));
    if (before === undefined || !isJsonObject(object)) return Number.MAX_SAFE_INTEGER;
    return Object.keys(object).findLastIndex((key) => before.includes(key)) + 1;
  }

  private bring(path: Path, index: number, key: string | null, value: JsonValue, piece: Piece | null): boolean {
    const container = valueAt(this.now.value, path);
    if (container === undefined) return path.length > 0 && this.add(path, key === null ? [value] : { [key]: value });
    const isFitting =
      key === null ? Array.isArray(container) : isJsonObject(container) && !Object.hasOwn(container, key);
    if (!isFitting) return false;
    const at = Math.max(0, Math.min(index, Object.keys(container as object).length));
    return this.write(path, withInserted(this.now.value, path, at, key, value), (edits) =>
      edits.insert(path, at, key, piece ?? edits.pieceFor(path, value)),
    );
  }

  private take(path: Path): boolean {
    if (path.length === 0 || valueAt(this.now.value, path) === undefined) return false;
    return this.write(path.slice(0, -1), withoutValue(this.now.value, path), (edits) => edits.remove(path));
  }

  /**
   * Makes one step. The text is read again: where it does not have the wanted value, as with aliases of YAML, the value
   * is written anew.
   */
  private write(path: Path, wanted: JsonValue, make: (edits: TextEdits) => string): boolean {
    const hasWanted = (text: string): boolean => {
      const made = readDraft(text, this.format);
      return made.root !== null && isSame(made.value, wanted);
    };
    const isWritten = nodeAt(this.now.root!, path) !== undefined;
    const text = isWritten ? make(this.edits()) : this.text;
    const found = hasWanted(text) ? text : rewrittenTexts(this.now, path, wanted).find(hasWanted);
    if (found === undefined) return false;
    this.read(found);
    return true;
  }

  /** The path that a parent has before an item of a list is taken out in front of it. */
  private beforeRemoval(from: Path, parent: Path): Path {
    const depth = from.length - 1;
    const [gone, step] = [from[depth], parent[depth]];
    const isBehind = typeof gone === 'number' && typeof step === 'number' && step >= gone;
    if (!isBehind || !isSame(from.slice(0, depth), parent.slice(0, depth))) return parent;
    return parent.with(depth, step + 1);
  }
}
