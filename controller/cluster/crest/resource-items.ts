import type { Resource as CrestResource } from '../../../contract/crest/resource.ts';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { Resource } from '../../../contract/resources/resource.ts';
import { compareTexts } from '../../../contract/route-order.ts';
import { routeId } from './route-place.ts';

/** A resource of the cluster as one of Common REST, with the resourceVersion as revision. */
export interface ResourceItem extends CrestResource {
  readonly id: string;
  readonly revision: string;
  readonly namespace: string;
}

/** The resources of the cache as those of Common REST. They are made once for each version, in the order of their ids. */
export class ResourceItems {
  private readonly contentOf: (resource: Resource) => JsonObject;
  private readonly made = new WeakMap<Resource, ResourceItem>();
  private resources: ReadonlyMap<string, Resource> | null = null;
  private items: readonly ResourceItem[] = [];
  private found: readonly string[] = [];

  /** @param contentOf returns what is shown of a resource; by default its spec */
  constructor(contentOf: (resource: Resource) => JsonObject = ({ spec }) => spec) {
    this.contentOf = contentOf;
  }

  /** @param resources the same map while nothing has changed */
  all(resources: ReadonlyMap<string, Resource>): readonly ResourceItem[] {
    if (resources !== this.resources) {
      this.items = Array.from(resources.values(), (one) => this.item(one)).sort((a, b) => compareTexts(a.id, b.id));
      this.found = [...new Set(this.items.map(({ namespace }) => namespace))];
      this.resources = resources;
    }
    return this.items;
  }

  /** Namespaces that have resources. */
  namespaces(resources: ReadonlyMap<string, Resource>): readonly string[] {
    this.all(resources);
    return this.found;
  }

  item(resource: Resource): ResourceItem {
    const known = this.made.get(resource);
    if (known !== undefined) return known;
    const { namespace, resourceVersion: revision } = resource;
    const item = { id: routeId(resource), revision, namespace, content: this.contentOf(resource) };
    this.made.set(resource, item);
    return item;
  }
}
