import type { Path } from '../../../../contract/problem.ts';
import { isWithin } from '../forms/pointer.ts';
import type { HeapObject } from './references.ts';
import type { CanvasStep } from './route-steps.ts';

/**
 * Returns the path of the object on the canvas that a place of the document belongs to: the innermost one. The empty path
 * is the route itself.
 */
export function stepFor(path: Path, steps: readonly CanvasStep[], heap: readonly HeapObject[]): Path | null {
  const places = [...steps, ...heap].map((one) => one.path).filter((one) => isWithin(path, one));
  return places.reduce<Path>((best, one) => (one.length > best.length ? one : best), []);
}
