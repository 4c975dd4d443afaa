import type { Parts } from './definition.ts';

/** What the metrics of an object are labelled with: which object it is, and in which route; empty outside of routes. */
export interface ObjectLabels extends Readonly<Record<string, string>> {
  readonly fully_qualified_name: string;
  readonly name: string;
  readonly route: string;
  readonly router: string;
}

export function objectLabels({
  name,
  qualifiedName,
  heap,
}: Pick<Parts, 'name' | 'qualifiedName' | 'heap'>): ObjectLabels {
  const { scope } = heap;
  return { fully_qualified_name: qualifiedName, name, ...routeOf(scope.name, scope.parent?.name ?? '') };
}

/** The heap of a route is named after the heap around it, its router and itself; that of config.json has no route. */
function routeOf(scope: string, outer: string): { readonly route: string; readonly router: string } {
  const inner = scope.startsWith(`${outer}.`) ? scope.slice(outer.length + 1) : '';
  const dot = inner.indexOf('.');
  if (dot < 0) return { route: '', router: '' };
  return { route: inner.slice(dot + 1), router: `${outer}.${inner.slice(0, dot)}` };
}
