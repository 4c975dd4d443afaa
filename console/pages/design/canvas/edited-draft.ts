import type { JsonValue } from '../../../../contract/document/json-value.ts';
import type { Path } from '../../../../contract/problem.ts';

/** A document that forms and the canvas edit by path. Each edit returns false if it is not possible. */
export interface EditedDraft {
  /** The last document that could be read. */
  readonly document: JsonValue | undefined;
  /** Places where the text cannot be read; nothing can be edited by path meanwhile. */
  readonly faults: readonly object[];
  subscribe(listener: () => void): () => void;
  /** @param group edits of the same group, one after the other, are undone together */
  set(path: Path, value: JsonValue, group?: string): boolean;
  remove(path: Path, group?: string): boolean;
  /** @param key name of a new member; null for an item of a list */
  insert(path: Path, index: number, value: JsonValue, key?: string | null): boolean;
  /** @param place of a member among those of another object; at the end by default */
  move(from: Path, to: Path, place?: number): boolean;
  /** Makes several edits one, or none of them. */
  together(steps: () => boolean): boolean;
}
