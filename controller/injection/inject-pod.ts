import type { JsonObject, JsonValue } from '../../contract/document/json-value.ts';
import type { Problem } from '../../contract/problem.ts';
import { GROUP } from '../../contract/resources/resource.ts';
import { podWishes } from './pod-annotations.ts';
import { itemsOf, memberOf, metadataMap } from './pod-facts.ts';
import { appPortsOf, podObstacles } from './pod-obstacles.ts';
import type { Addition } from './pod-patch.ts';
import { podWarnings } from './pod-warnings.ts';
import { SIDECAR_NAME, sidecarContainer, sidecarVolumes } from './sidecar-container.ts';
import type { SidecarSettings } from './sidecar-settings.ts';

/** The label of Pods and namespaces that asks for a sidecar with "true"; of a Pod, "false" forbids it. */
const INJECT_LABEL = `${GROUP}/inject`;
/** The label that a Pod with a sidecar gets, by which Routes, monitors and policies select all of them. */
export const SIDECAR_LABEL = `${GROUP}/sidecar`;

/** Outcome for a Pod that may get a sidecar. */
export type Injection =
  | { readonly outcome: 'left-alone'; readonly why: string }
  | { readonly outcome: 'refused'; readonly problems: readonly Problem[] }
  | {
      readonly outcome: 'injected';
      readonly additions: readonly Addition[];
      /** What its writer should know. */
      readonly warnings: readonly string[];
    };

export interface InjectionTerms {
  /** Where the Pod is, or is to be. */
  readonly namespace: string;
  readonly settings: SidecarSettings;
  /** Authorities of controllers, in PEM. */
  readonly authorities: string;
}

/** Nothing in them may depend on us: without them there is no cluster. */
const KUBERNETES_NAMESPACES = ['kube-system', 'kube-public', 'kube-node-lease'];
/** What the kubelet tells the API server of Pods that it runs by itself: nobody can change those. */
const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/**
 * Puts a sidecar into a Pod, or the template of one, that asks for it or whose namespace does. The same Pod always gets
 * the same one, and a Pod that has one keeps it, so that it may be asked again.
 */
export function injectPod(pod: JsonObject, { namespace, settings, authorities }: InjectionTerms): Injection {
  const why = whyLeftAlone(pod, namespace, settings);
  if (why !== null) return { outcome: 'left-alone', why };
  const volumes = sidecarVolumes(settings);
  const { wishes, problems: unread } = podWishes(pod);
  const problems = [
    ...namespaceProblems(namespace, settings),
    ...labelProblems(pod),
    ...unread,
    ...podObstacles(pod, { settings, wishes, volumes }),
  ];
  if (problems.length > 0) return { outcome: 'refused', problems };
  const appPorts = appPortsOf(pod, wishes);
  const container = sidecarContainer({ settings, wishes, appPorts, authorities });
  const additions = [
    ...addLabel(pod),
    ...addItem(pod, 'initContainers', container, wishes.start === 'first' ? 0 : '-'),
    ...addItems(pod, 'volumes', volumes),
    ...addItems(pod, 'imagePullSecrets', missingPullSecrets(pod, settings)),
  ];
  return { outcome: 'injected', additions, warnings: podWarnings(pod, wishes, appPorts) };
}

function whyLeftAlone(pod: JsonObject, namespace: string, settings: SidecarSettings): string | null {
  if (metadataMap(pod, 'labels')[INJECT_LABEL] === 'false') return `its label ${INJECT_LABEL} is "false"`;
  if ([...KUBERNETES_NAMESPACES, ...settings.excludedNamespaces].includes(namespace)) {
    return `Pods of the namespace ${namespace} never get one`;
  }
  if (metadataMap(pod, 'annotations')[MIRROR_ANNOTATION] !== undefined) return 'the kubelet manages it (static Pod)';
  return itemsOf(pod, 'initContainers').some(({ item }) => isSidecar(item)) ? 'it has one already' : null;
}

/** Whether a container is a sidecar of ours, whoever has put it there. */
function isSidecar({ name, restartPolicy, args }: JsonObject): boolean {
  const isOurs = Array.isArray(args) && args[0] === 'dataplane' && args.includes('--sidecar');
  return name === SIDECAR_NAME && restartPolicy === 'Always' && isOurs;
}

/** A sidecar that no controller lets in would keep its Pod from ever being ready, and nobody would be told why. */
function namespaceProblems(namespace: string, { namespaces }: SidecarSettings): Problem[] {
  if (namespaces === undefined || namespaces.includes(namespace)) return [];
  const others = namespaces.length === 0 ? '' : `; they are admitted only in ${namespaces.join(', ')}`;
  const message = `sidecars are not admitted in the namespace ${namespace}${others}`;
  const hint = 'add it to sidecars.namespaces of the chart';
  return [{ code: 'not-allowed', severity: 'error', path: [], message, hint }];
}

function labelProblems(pod: JsonObject): Problem[] {
  const label = metadataMap(pod, 'labels')[INJECT_LABEL];
  if (label === undefined || label === 'true') return [];
  const message = `must be "true" or "false", not ${JSON.stringify(label)}`;
  return [{ code: 'value', severity: 'error', path: ['metadata', 'labels', INJECT_LABEL], message }];
}

function addLabel(pod: JsonObject): Addition[] {
  const path = ['metadata', 'labels'];
  const metadata = pod['metadata'] ?? undefined;
  if (memberOf(metadata, 'labels') !== undefined) return [{ path: [...path, SIDECAR_LABEL], value: 'true' }];
  const labels = { path, value: { [SIDECAR_LABEL]: 'true' } };
  return metadata === undefined ? [{ path: ['metadata'], value: {} }, labels] : [labels];
}

function addItems(pod: JsonObject, list: string, items: readonly JsonValue[]): Addition[] {
  const [first, ...others] = items;
  if (first === undefined) return [];
  return [...addItem(pod, list, first, '-'), ...others.map((value) => ({ path: ['spec', list, '-'], value }))];
}

/** @param at index, or `-` for the end */
function addItem(pod: JsonObject, list: string, value: JsonValue, at: number | '-'): Addition[] {
  const isThere = memberOf(pod['spec'], list) !== undefined;
  return isThere ? [{ path: ['spec', list, at], value }] : [{ path: ['spec', list], value: [value] }];
}

function missingPullSecrets(pod: JsonObject, { pullSecrets }: SidecarSettings): JsonObject[] {
  const known = itemsOf(pod, 'imagePullSecrets').map(({ item }) => item['name']);
  return pullSecrets.filter((name) => !known.includes(name)).map((name) => ({ name }));
}
