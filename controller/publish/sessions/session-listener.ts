import type { RouteProblems } from '../../../contract/channel.ts';
import type { PlaneFacts } from '../plane-facts.ts';

/**
 * Listener for the state of data planes. Facts are new objects each time, but their maps keep changing with the data
 * plane.
 */
export interface SessionListener {
  connected(facts: PlaneFacts): void;
  /** @param routes what may run otherwise than before, by `routeKeyText`; empty when it is something else */
  changed(facts: PlaneFacts, routes: readonly string[]): void;
  /** @param milliseconds from when the update was sent */
  acknowledged?(facts: PlaneFacts, milliseconds: number): void;
  nacked?(facts: PlaneFacts, problems: readonly RouteProblems[]): void;
  /** A plane sent more notices than are passed on. @param dropped how many entries */
  tooManyNotices?(facts: PlaneFacts, dropped: number): void;
  /** @param reason for people */
  closed(facts: PlaneFacts, reason: string): void;
}
