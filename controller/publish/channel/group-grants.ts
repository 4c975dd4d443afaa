import type { TrustSettings } from '../../../contract/trust-settings.ts';
import { tenantsOf } from '../../compile/resources/compile-trust.ts';

/** Which groups of planes are for whom. */
export interface GroupGrants {
  /** The same text stands for the same grants. */
  readonly mark: string;
  /** Whether planes of a group may get Routes of a namespace; those of an operator, whose namespace is null, always. */
  serves(group: string, namespace: string | null): boolean;
}

export const EVERYBODY: GroupGrants = { mark: '', serves: () => true };

/** Reads the grants of groups from the trust settings of the operator. */
export function groupGrants({ groups, tenants }: Pick<TrustSettings, 'groups' | 'tenants'>): GroupGrants {
  const limits = new Map(groups.flatMap(({ name, tenants: only }) => (only === undefined ? [] : [[name, only]])));
  if (limits.size === 0) return EVERYBODY;
  const tenantOf = tenantsOf(tenants);
  return {
    mark: JSON.stringify([[...limits], tenants]),
    serves(group, namespace) {
      const only = limits.get(group);
      if (only === undefined || namespace === null) return true;
      const tenant = tenantOf(namespace);
      return tenant !== null && only.includes(tenant);
    },
  };
}
