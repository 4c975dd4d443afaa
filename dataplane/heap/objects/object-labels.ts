import type { Parts } from '../definition.ts';

/** Metric labels of an object: its name and its route; the route is empty outside of routes. */
export interface ObjectLabels extends Readonly<Record<string, string>> {
  readonly fully_qualified_name: string;
  readonly name: string;
  readonly route: string;
  readonly router: string;
}

export function objectLabels(parts: Pick<Parts, 'name' | 'qualifiedName' | 'route'>): ObjectLabels {
  const { name, qualifiedName } = parts;
  const { router, id } = parts.route ?? { router: '', id: '' };
  return { fully_qualified_name: qualifiedName, name, route: id, router };
}
