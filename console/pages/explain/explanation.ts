import type { RequestExplanation } from '../../../contract/shown/explanation.ts';

/** Answer of the action `explain`. */
export interface Explanation extends RequestExplanation {
  readonly route: string | null;
}
