import { contentHash } from '../../contract/document/canonical.ts';
import {
  type EgressRule,
  egressJudge,
  type ForbiddenPlace,
  type MayReach,
  readEgressRule,
} from '../../contract/egress.ts';
import { type Problem, ValueProblem } from '../../contract/problem.ts';
import { HostGrants } from '../../contract/resources/host-grants.ts';
import type { SharedResources } from '../../contract/shared-resources.ts';
import type { PlaneTrust } from '../../contract/snapshot.ts';
import { isOfThisMachine } from '../engine/wire/own-listeners.ts';

/** Addresses around a data plane that tenants must not reach, or may reach. */
export interface TenantSurroundings {
  readonly forbidden: readonly ForbiddenPlace[];
  /** What controllers forbid at the moment; another map after a change. */
  resources(): SharedResources;
  /** Ports of the application beside a sidecar. */
  readonly appPorts: readonly number[];
}

/** Permissions of tenants with which one generation of routes is built. */
export interface Tenancy {
  /** The same for the same trust. */
  readonly id: string;
  readonly grants: HostGrants;
  /** What connections for a tenant may be opened to. One for each, so that none uses the connections of another. */
  egressOf(tenant: string): MayReach;
  readonly sharedObjects: ReadonlySet<string>;
}

/** Defaults without settings for tenants. */
export const NO_TENANTS: Tenancy = {
  id: '',
  grants: new HostGrants([]),
  egressOf: () => () => false,
  sharedObjects: new Set(),
};

/** Without trust there are no tenants: nobody gets a host, and nothing is allowed. `mayReach` holds for everybody. */
export function tenancyOf(
  trust: PlaneTrust | undefined,
  surroundings: TenantSurroundings,
  mayReach: MayReach,
): Tenancy | Problem[] {
  const { tenants = [], egress = [], sharedObjects = [] } = trust ?? {};
  const problems: Problem[] = [];
  const rules = egress.flatMap((text, index) => readRule(text, index, problems));
  if (problems.length > 0) return problems;
  const judges = new Map<string, MayReach>();
  const { appPorts } = surroundings;
  const judge = egressJudge(rules, { forbidden: forbiddenNow(surroundings), appPorts, isOwnAddress: isOfThisMachine });
  return {
    id: contentHash({ tenants: tenants.map(({ name, hosts }) => ({ name, hosts })), egress, sharedObjects }),
    grants: new HostGrants(tenants),
    egressOf(tenant) {
      const known = judges.get(tenant) ?? ((address, port) => mayReach(address, port) && judge(address, port));
      judges.set(tenant, known);
      return known;
    },
    sharedObjects: new Set(sharedObjects),
  };
}

/** All that is forbidden at the moment: the same list as long as it does not change. */
function forbiddenNow({ forbidden, resources }: TenantSurroundings): () => readonly ForbiddenPlace[] {
  let known: SharedResources | null = null;
  let count = 0;
  let list: readonly ForbiddenPlace[] = [];
  return () => {
    // a controller may be found at another address while planes run: that list grows, and nothing leaves it
    if (known !== resources() || count !== forbidden.length) {
      known = resources();
      count = forbidden.length;
      list = [...forbidden, ...[...known.values()].flatMap((one) => ('places' in one ? one.places : []))];
    }
    return list;
  };
}

function readRule(text: string, index: number, problems: Problem[]): EgressRule[] {
  try {
    return [readEgressRule(text)];
  } catch (error) {
    if (!(error instanceof ValueProblem)) throw error;
    problems.push({ code: error.code, severity: 'error', path: ['egress', index], message: error.message });
    return [];
  }
}
