/** Namespace and name of a route in a cluster; empty where they are not written yet. */
export interface ClusterId {
  readonly namespace: string;
  readonly name: string;
}

/** Splits the id of a route in a cluster, such as `shop.orders`. An id without a dot is a name. */
export function clusterIdOf(id: string): ClusterId {
  const dot = id.indexOf('.');
  return dot < 0 ? { namespace: '', name: id } : { namespace: id.slice(0, dot), name: id.slice(dot + 1) };
}

/** Joins the parts of an id. */
export function idOf({ namespace, name }: ClusterId): string {
  return `${namespace}.${name}`;
}
