import type { Resource as CrestResource } from '../../../contract/crest/resource.ts';
import type { Resource } from '../../../contract/resources/resource.ts';
import { compareTexts } from '../../../contract/route-order.ts';
import { routeIdOf } from '../../compile/resources/route-resource-draft.ts';

/** A Route as a resource of Common REST: its spec, with the resourceVersion as revision. */
export interface RouteItem extends CrestResource {
  readonly id: string;
  readonly revision: string;
  readonly namespace: string;
}

/** The Routes of the cache as resources. They are made once for each version of a Route, in the order of their ids. */
export class RouteItems {
  private readonly made = new WeakMap<Resource, RouteItem>();
  private routes: ReadonlyMap<string, Resource> | null = null;
  private items: readonly RouteItem[] = [];
  private found: readonly string[] = [];

  /** @param routes the same map while nothing has changed */
  all(routes: ReadonlyMap<string, Resource>): readonly RouteItem[] {
    if (routes !== this.routes) {
      this.items = Array.from(routes.values(), (route) => this.item(route)).sort((a, b) => compareTexts(a.id, b.id));
      this.found = [...new Set(this.items.map(({ namespace }) => namespace))];
      this.routes = routes;
    }
    return this.items;
  }

  /** Namespaces that have Routes. */
  namespaces(routes: ReadonlyMap<string, Resource>): readonly string[] {
    this.all(routes);
    return this.found;
  }

  item(route: Resource): RouteItem {
    const known = this.made.get(route);
    if (known !== undefined) return known;
    const item = {
      ...{ id: routeIdOf(route), revision: route.resourceVersion, namespace: route.namespace },
      content: route.spec,
    };
    this.made.set(route, item);
    return item;
  }
}
