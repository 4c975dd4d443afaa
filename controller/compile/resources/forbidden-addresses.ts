import type { ForbiddenPlace } from '../../../contract/egress.ts';
import { sharedResourceHash } from '../../../contract/shared-resources.ts';
import type { SharedResource } from '../../../contract/snapshot.ts';
import type { TrustSettings } from '../../../contract/trust-settings.ts';
import type { PlatformFacts, PodFacts, ServiceFacts } from './platform-facts.ts';

type Groups = TrustSettings['groups'];

/**
 * Addresses of the control plane that tenants' routes must not reach, as resources of the snapshot: the API server, and
 * controllers and planes of each namespace with their Services and nodes. One for each namespace, so that a Pod that comes
 * or goes costs no more than its own namespace.
 */
export function forbiddenAddresses(platform: PlatformFacts, groups: Groups): readonly SharedResource[] {
  const { apiServer, pods, services, controller } = platform;
  const found: SharedResource[] = [];
  const add = (key: string, places: readonly ForbiddenPlace[]): void => {
    if (places.length > 0) found.push(resourceOf(key, places));
  };
  add('api-server', apiServer);
  const controllers = pods.get(controller.namespace)?.get(`${controller.namespace}/${controller.pod}`);
  for (const [namespace, all] of [...pods].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const ours = [...all.values()].flatMap((pod) => {
      const isController = namespace === controller.namespace && pod.serviceAccount === controllers?.serviceAccount;
      const group = isController ? null : groupOfPod(pod, groups);
      return isController || group !== null ? [{ pod, isSidecar: group?.sidecars === true }] : [];
    });
    const whole = ours.filter(({ isSidecar }) => !isSidecar).map(({ pod }) => pod);
    const own = [...services.values()].filter((one) => one.namespace === namespace && isFor(one, whole));
    add(`pods/${namespace}`, [
      ...ours.flatMap(({ pod, isSidecar }) => podPlaces(pod, isSidecar)),
      ...own.flatMap(servicePlaces),
    ]);
  }
  return found;
}

/** Namespaces whose Pods have to be known, beside that of the controllers. */
export function planeNamespaces(groups: Groups): ReadonlySet<string> {
  return new Set(groups.flatMap(({ serviceAccounts }) => serviceAccounts.map((account) => account.split('/')[0]!)));
}

/** The group whose data plane a Pod is, as `PlaneReview` would have it; null when it is none. */
export function groupOfPod(
  { namespace, serviceAccount, sidecarAdminPort }: PodFacts,
  groups: Groups,
): Groups[number] | null {
  const thatLists = (entry: string) => groups.find(({ serviceAccounts }) => serviceAccounts.includes(entry));
  const group = thatLists(`${namespace}/${serviceAccount}`) ?? thatLists(`${namespace}/*`);
  if (group === undefined) return null;
  return group.sidecars && sidecarAdminPort === null ? null : group;
}

/** A Pod with a sidecar is an application, which may be reached: only the port of its sidecar's figures may not. */
function podPlaces(pod: PodFacts, isSidecar: boolean): ForbiddenPlace[] {
  const port = isSidecar ? pod.sidecarAdminPort : null;
  return [
    ...pod.addresses.map((address) => (port === null ? { address } : { address, port })),
    ...pod.nodeAddresses.map((address) => ({ address })),
  ];
}

function servicePlaces({ addresses, sharedAddresses, ports }: ServiceFacts): ForbiddenPlace[] {
  return [
    ...addresses.map((address) => ({ address })),
    ...sharedAddresses.flatMap((address) => ports.map((port) => ({ address, port }))),
  ];
}

function isFor({ selector }: ServiceFacts, pods: readonly PodFacts[]): boolean {
  if (selector === null) return false;
  const wanted = Object.entries(selector);
  return pods.some(({ labels }) => wanted.every(([name, value]) => labels[name] === value));
}

/** Places in an order of their own: controllers that list objects in another order make the same resource. */
function resourceOf(name: string, places: readonly ForbiddenPlace[]): SharedResource {
  const byText = new Map(places.map((place) => [`${place.address} ${place.port ?? 0}`, place]));
  const sorted = [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, place]) => place);
  const resource = { type: 'forbidden-addresses', key: `forbidden/${name}`, places: sorted } as const;
  return { ...resource, hash: sharedResourceHash(resource) };
}
