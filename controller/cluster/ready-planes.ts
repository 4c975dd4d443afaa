import type { TrustSettings } from '../../contract/trust-settings.ts';
import { groupOfPod } from '../compile/resources/forbidden-addresses.ts';
import type { PlatformFacts } from '../compile/resources/platform-facts.ts';
import type { PlaneIdentity } from '../publish/channel/plane-identity.ts';

/** Data planes whose Pods are Ready: Services send them requests, whether a controller reaches them or not. */
export function readyPlanes(platform: PlatformFacts, groups: TrustSettings['groups']): readonly PlaneIdentity[] {
  const found: PlaneIdentity[] = [];
  for (const pods of platform.pods.values()) {
    for (const pod of pods.values()) {
      const group = pod.isReady ? groupOfPod(pod, groups) : null;
      if (group === null) continue;
      const { uid: id, name, namespace, labels } = pod;
      found.push({ id, name, namespace, labels, group: group.name, isSidecar: group.sidecars, until: null });
    }
  }
  return found;
}
