import { isIP } from 'node:net';
import { MOST_USED_ENDPOINTS } from '../../../../contract/resources/service-reference.ts';
import type { ServiceEndpoints, ServiceTarget } from '../../../../contract/snapshot.ts';

/** Facts about a data plane that decide which endpoints it uses. */
export interface PlanePlace {
  /** Null where it is not known. */
  readonly zone: string | null;
  /** Address families that it can reach others by (4, 6); empty where that is not known. */
  readonly families: ReadonlySet<number>;
}

/** Endpoint of a Service as a data plane uses it. */
export interface UsedTarget {
  readonly address: string;
  readonly port: number;
  /** Whether it is for clients of other zones: it gets requests only if those of this zone cannot take them. */
  readonly isFar: boolean;
}

/** Chooses the endpoints of a Service that requests for one of its ports go to, by the rules of EndpointSlices. */
export function usedTargets(
  { ports, targets }: Pick<ServiceEndpoints, 'ports' | 'targets'>,
  wanted: number | string,
  { zone, families }: PlanePlace,
): readonly UsedTarget[] {
  const name = typeof wanted === 'string' ? wanted : ports.find(({ port }) => port === wanted)?.name;
  if (name === undefined) return [];
  const serving = targets.filter((target) => Object.hasOwn(target.ports, name));
  const reached = serving.filter((target) => addressOf(target, families) !== null);
  // none of a family that it has: it may reach them by a translation that it does not know of
  const [usable, known] = reached.length > 0 ? [reached, families] : [serving, new Set<number>()];
  const ready = usable.filter(({ draining }) => draining !== true);
  const used = ready.length > 0 ? ready : usable;
  const isHinted = zone !== null && used.every((target) => (target.zones ?? []).length > 0);
  const isNear = ({ zones = [] }: ServiceTarget): boolean => !isHinted || zones.includes(zone);
  const hasNear = used.some(isNear);
  const found = new Map<string, UsedTarget>();
  for (const target of used) {
    const address = addressOf(target, known);
    const port = target.ports[name];
    if (address === null || port === undefined || found.size >= MOST_USED_ENDPOINTS) continue;
    const key = `${address} ${port}`;
    const isFar = hasNear && !isNear(target) && found.get(key)?.isFar !== false;
    found.set(key, { address, port, isFar });
  }
  return [...found.values()];
}

/** The address of a target by which it is reached: one target is one endpoint. */
function addressOf({ addresses }: ServiceTarget, families: ReadonlySet<number>): string | null {
  return addresses.find((address) => families.size === 0 || families.has(isIP(address))) ?? null;
}
