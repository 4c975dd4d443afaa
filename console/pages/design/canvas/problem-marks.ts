import type { ShownProblem } from '../forms/form-setting.ts';
import { pointerOf } from '../forms/pointer.ts';
import type { HeapObject } from './references.ts';
import type { CanvasStep } from './route-steps.ts';
import { stepFor } from './step-for.ts';

/** Returns the number of problems of each object on the canvas, by its pointer; that of the route is empty. */
export function problemMarks(
  problems: readonly ShownProblem[],
  steps: readonly CanvasStep[],
  heap: readonly HeapObject[],
): ReadonlyMap<string, { readonly errors: number; readonly warnings: number }> {
  const marks = new Map<string, { errors: number; warnings: number }>();
  for (const { path, severity } of problems) {
    const pointer = pointerOf(stepFor(path, steps, heap) ?? []);
    const mark = marks.get(pointer) ?? { errors: 0, warnings: 0 };
    if (severity === 'error') mark.errors++;
    else mark.warnings++;
    marks.set(pointer, mark);
  }
  return marks;
}
