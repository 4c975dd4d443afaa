import { type PlaneClaims, type PlaneGrant, PlaneRefused } from './plane-authentication.ts';

/** Grant for data planes outside of a cluster, by a credential that an operator issued. */
export interface OutsidePlanes {
  readonly group: string;
  /** Labels that they have, whatever they say. */
  readonly labels: Readonly<Record<string, string>>;
  /** Keys of further labels that they may say. */
  readonly mayClaim: readonly string[];
}

const NAME = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/;

/**
 * The grant of a plane outside of a cluster. It stands as long as the stream does.
 * @param certified the name that its certificate says; null when it may say one itself
 * @param until when its credential ends, in milliseconds since 1970; null for never
 */
export function outsideGrant(planes: OutsidePlanes, certified: string | null, until: number | null = null): PlaneGrant {
  return {
    identify(claims) {
      const name = certified ?? claims.name;
      if (!NAME.test(name))
        throw new PlaneRefused('PERMISSION_DENIED', 'the data plane needs a name of letters and digits');
      const labels = { ...claimedLabels(planes, claims), ...planes.labels };
      // With its group, so that no plane can take the place of one with another credential, or of a Pod.
      const id = `${planes.group}/${name}`;
      return { id, name, group: planes.group, namespace: null, labels, isSidecar: false, until };
    },
    watch: () => () => undefined,
  };
}

function claimedLabels({ mayClaim, labels }: OutsidePlanes, claims: PlaneClaims): Record<string, string> {
  const claimed: Record<string, string> = {};
  for (const [key, value] of Object.entries(claims.labels)) {
    if (Object.hasOwn(labels, key) && labels[key] === value) continue;
    if (!mayClaim.includes(key))
      throw new PlaneRefused('PERMISSION_DENIED', `the data plane may not set its label ${key}`);
    if (!LABEL_VALUE.test(value)) throw new PlaneRefused('PERMISSION_DENIED', `the label ${key} has no valid value`);
    claimed[key] = value;
  }
  return claimed;
}
