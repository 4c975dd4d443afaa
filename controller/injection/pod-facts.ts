import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import type { Path } from '../../contract/problem.ts';

/** A port that a container says it listens on. */
export interface ContainerPort {
  readonly container: string;
  readonly port: number;
  readonly name: string | null;
  /** Of the whole Pod, as it is of containers that run beside each other. */
  readonly path: Path;
}

/** The labels or annotations of a Pod; empty when it has none. */
export function metadataMap(pod: JsonObject, field: 'labels' | 'annotations'): JsonObject {
  const map = memberOf(pod['metadata'], field);
  return isJsonObject(map) ? map : {};
}

/** The member of an object; undefined when it is no object, or has none, or null, which says the same to Kubernetes. */
export function memberOf(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, key) ? (value[key] ?? undefined) : undefined;
}

/** The objects in a list of the Pod's spec, each with where it is. */
export function itemsOf(pod: JsonObject, list: string): readonly { readonly item: JsonObject; readonly path: Path }[] {
  return objectsIn(memberOf(pod['spec'], list), ['spec', list]);
}

/** The TCP ports of containers that run at the same time as the application, and of the application. */
export function containerPorts(pod: JsonObject): readonly ContainerPort[] {
  const beside = itemsOf(pod, 'initContainers').filter(({ item }) => item['restartPolicy'] === 'Always');
  return [...itemsOf(pod, 'containers'), ...beside].flatMap(portsOf);
}

/** The TCP ports of the application. */
export function applicationPorts(pod: JsonObject): readonly ContainerPort[] {
  return itemsOf(pod, 'containers').flatMap(portsOf);
}

/** Volume mounts of all containers, by the name of the volume. */
export function volumeMounts(
  pod: JsonObject,
): readonly { readonly name: JsonValue | undefined; readonly path: Path }[] {
  return [...itemsOf(pod, 'containers'), ...itemsOf(pod, 'initContainers')].flatMap(({ item, path }) =>
    objectsIn(memberOf(item, 'volumeMounts'), [...path, 'volumeMounts']).map((one) => ({
      name: one.item['name'],
      path: one.path,
    })),
  );
}

function portsOf({ item, path }: { readonly item: JsonObject; readonly path: Path }): ContainerPort[] {
  const container = String(item['name'] ?? '');
  return objectsIn(memberOf(item, 'ports'), [...path, 'ports']).flatMap(({ item: one, path: at }) => {
    const port = one['containerPort'];
    const isTcp = (one['protocol'] ?? 'TCP') === 'TCP';
    const name = typeof one['name'] === 'string' ? one['name'] : null;
    return isTcp && typeof port === 'number' ? [{ container, port, name, path: at }] : [];
  });
}

function objectsIn(list: JsonValue | undefined, path: Path): { item: JsonObject; path: Path }[] {
  if (!Array.isArray(list)) return [];
  return (list as readonly JsonValue[]).flatMap((item, at) =>
    isJsonObject(item) ? [{ item, path: [...path, at] }] : [],
  );
}
