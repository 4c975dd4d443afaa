import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Path } from '../../../../contract/problem.ts';
import type { FormSetting } from '../forms/form-setting.ts';
import type { HeapObject } from './references.ts';
import type { CanvasSequence } from './route-steps.ts';

/** The place that the next type of the catalogue goes to. */
export type Target =
  | { readonly kind: 'filter'; readonly sequence: CanvasSequence; readonly index: number }
  | { readonly kind: 'handler'; readonly path: Path }
  | { readonly kind: 'heap' };

/** Something that is dragged: a type of the catalogue, or a filter of the route. */
export type Dragged = { readonly type: string; readonly kind: string } | { readonly step: Path };

/** Surroundings of the parts of the canvas. */
export interface CanvasSetting extends FormSetting {
  readonly selected: Path | null;
  readonly heapObjects: readonly HeapObject[];
  readonly dragged: Dragged | null;
  readonly target: Target | null;
  /** Problems by the pointer of the step that they belong to. */
  readonly marks: ReadonlyMap<string, { readonly errors: number; readonly warnings: number }>;
  /** Selects an object and moves the focus to it; null selects nothing. */
  show(path: Path | null): void;
  /** Says what has happened, for readers of screens. */
  announce(text: string): void;
  drag(dragged: Dragged | null): void;
  /** Opens the catalogue for a place. */
  open(target: Target | null): void;
  /** Puts what is dragged to a place. */
  drop(target: Target): void;
}

export const CanvasContext = createContext<CanvasSetting | null>(null);

/** Returns the surroundings of a part of the canvas. */
export function useCanvas(): CanvasSetting {
  const setting = useContext(CanvasContext);
  if (setting === null) throw new Error('a part of the canvas is shown outside of it');
  return setting;
}
