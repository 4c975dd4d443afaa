import type { PlaneSelector } from '../compile/resources/resource-verdict.ts';
import type { PlaneFacts } from './plane-facts.ts';
import type { PlaneLedger } from './plane-ledger.ts';
import { isSelected } from './plane-selection.ts';
import type { RouteSelection } from './published-state.ts';

/** Which planes are to run a route. Routes with the same selection share the answer until planes change. */
export class RoutePlanes {
  private readonly ledger: PlaneLedger;
  private readonly selectors = new WeakMap<PlaneSelector, string>();
  private readonly answers = new Map<string, readonly PlaneFacts[]>();
  private defaultGroup = 'default';

  constructor(ledger: PlaneLedger) {
    this.ledger = ledger;
  }

  /** Planes, or what is said of them, have changed. */
  forget(): void {
    this.answers.clear();
  }

  /** Names the group that gets routes that select no planes. */
  setDefaultGroup(group: string): void {
    if (group === this.defaultGroup) return;
    this.defaultGroup = group;
    this.forget();
  }

  of(selection: RouteSelection): readonly PlaneFacts[] {
    const key = this.keyOf(selection);
    const known = this.answers.get(key);
    if (known !== undefined) return known;
    const found = this.ledger.counted.filter(({ identity }) => isSelected(identity, selection, this.defaultGroup));
    this.answers.set(key, found);
    return found;
  }

  private keyOf({ namespace, dataPlanes }: RouteSelection): string {
    if (dataPlanes === null) return '';
    const known = this.selectors.get(dataPlanes) ?? JSON.stringify(dataPlanes);
    this.selectors.set(dataPlanes, known);
    return `${namespace}/${known}`;
  }
}
