import type { PlaneSelector } from '../compile/resources/resource-verdict.ts';
import { EVERYBODY, type GroupGrants } from './channel/group-grants.ts';
import type { PlaneFacts } from './plane-facts.ts';
import type { PlaneLedger } from './plane-ledger.ts';
import type { RouteSelection } from './published-state.ts';
import { isSelected } from './sessions/plane-selection.ts';

/** Data planes that get a route. */
export interface SelectedPlanes {
  readonly planes: readonly PlaneFacts[];
  /** Groups whose planes it asks for in vain, because they are not for its tenant. */
  readonly withheld: readonly string[];
}

/** Which planes are to run a route. Routes with the same selection share the answer until planes change. */
export class RoutePlanes {
  private readonly ledger: PlaneLedger;
  private readonly selectors = new WeakMap<PlaneSelector, string>();
  private readonly answers = new Map<string, SelectedPlanes>();
  private defaultGroup = 'default';
  private grants: GroupGrants = EVERYBODY;

  constructor(ledger: PlaneLedger) {
    this.ledger = ledger;
  }

  /** Planes, or what is said of them, have changed. */
  forget(): void {
    this.answers.clear();
  }

  /** Names the group that gets routes that select no planes, and says which groups are for whom. @returns whether that is new */
  regroup(defaultGroup: string, grants: GroupGrants): boolean {
    if (defaultGroup === this.defaultGroup && grants.mark === this.grants.mark) return false;
    this.defaultGroup = defaultGroup;
    this.grants = grants;
    this.forget();
    return true;
  }

  of(selection: RouteSelection): SelectedPlanes {
    const key = this.keyOf(selection);
    const known = this.answers.get(key);
    if (known !== undefined) return known;
    const asked = this.ledger.counted.filter(({ identity }) => isSelected(identity, selection, this.defaultGroup));
    const serves = ({ identity: { group } }: PlaneFacts): boolean => this.grants.serves(group, selection.namespace);
    const withheld = new Set(asked.filter((plane) => !serves(plane)).map(({ identity }) => identity.group));
    const found = { planes: withheld.size === 0 ? asked : asked.filter(serves), withheld: [...withheld] };
    this.answers.set(key, found);
    return found;
  }

  private keyOf({ namespace, dataPlanes }: RouteSelection): string {
    if (dataPlanes === null) return this.grants === EVERYBODY ? '' : `${namespace}`;
    const known = this.selectors.get(dataPlanes) ?? JSON.stringify(dataPlanes);
    this.selectors.set(dataPlanes, known);
    return `${namespace}/${known}`;
  }
}
