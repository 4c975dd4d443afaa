import type { RouteProblems } from '../../../contract/channel.ts';
import type { PlaneFacts } from '../plane-facts.ts';

/** Hears how planes fare. Facts are made anew each time, but their maps go on changing as the plane does. */
export interface SessionListener {
  connected(facts: PlaneFacts): void;
  /** @param routes what may run otherwise than before, by `routeKeyText`; empty when it is something else */
  changed(facts: PlaneFacts, routes: readonly string[]): void;
  /** @param milliseconds from when the update was sent */
  acknowledged?(facts: PlaneFacts, milliseconds: number): void;
  nacked?(facts: PlaneFacts, problems: readonly RouteProblems[]): void;
  /** @param reason for people */
  closed(facts: PlaneFacts, reason: string): void;
}
