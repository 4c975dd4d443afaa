import type { JsonObject, JsonValue } from '../../contract/document/json-value.ts';
import { pathText } from '../../contract/problem.ts';
import { annotationName, type PodWishes } from './pod-annotations.ts';
import { itemsOf, memberOf } from './pod-facts.ts';

const PROBES = ['startupProbe', 'readinessProbe', 'livenessProbe'];
/** Those that the kubelet makes over the network, from outside of the Pod. */
const NETWORK_PROBES = ['httpGet', 'tcpSocket', 'grpc'];

/** Warnings for the author of a Pod about its sidecar, each short enough for the API server to pass on. */
export function podWarnings(pod: JsonObject, wishes: PodWishes, appPorts: readonly number[]): readonly string[] {
  const ports = appPorts.join(', ');
  const annotation = annotationName('appListens');
  if (wishes.appListens !== 'loopback') {
    return [
      `gatewarden: if the application listens on the Pod address, clients can bypass the sidecar on port ${ports}; ` +
        `make it listen on 127.0.0.1 only and set ${annotation}: loopback, or block the port with a NetworkPolicy`,
    ];
  }
  return itemsOf(pod, 'containers').flatMap(({ item, path }) =>
    PROBES.filter((probe) => isOverNetwork(item[probe], item, appPorts)).map(
      (probe) =>
        `gatewarden: ${pathText([...path, probe])} probes the Pod address, where nothing listens on port ${ports} ` +
        `(${annotation}: loopback): use an exec probe, or probe through the sidecar`,
    ),
  );
}

function isOverNetwork(probe: JsonValue | undefined, container: JsonObject, appPorts: readonly number[]): boolean {
  return NETWORK_PROBES.some((way) => {
    const port = memberOf(memberOf(probe, way), 'port');
    return appPorts.some((one) => one === (typeof port === 'string' ? portNamed(port, container) : port));
  });
}

function portNamed(name: string, { ports }: JsonObject): JsonValue | undefined {
  const named = Array.isArray(ports) ? (ports as readonly JsonValue[]) : [];
  return memberOf(
    named.find((one) => memberOf(one, 'name') === name),
    'containerPort',
  );
}
