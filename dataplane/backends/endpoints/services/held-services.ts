import type { SharedResources } from '../../../../contract/shared-resources.ts';
import type { ServiceEndpoints } from '../../../../contract/snapshot.ts';
import type { LiveService } from '../../../heap/objects/live-service.ts';

interface Followed {
  readonly listeners: Set<() => void>;
  endpoints: ServiceEndpoints | null;
}

/** Services whose endpoints the objects of one unit follow, by the keys of their resources. */
export class HeldServices {
  private readonly followed = new Map<string, Followed>();
  private readonly held: () => SharedResources;
  private readonly zone: string | null;

  /** @param held the resources of the unit at the moment */
  constructor(held: () => SharedResources, zone: string | null) {
    this.held = held;
    this.zone = zone;
  }

  /** @param key such as `Service/shop/orders` */
  at(key: string): LiveService {
    const [, namespace = '', name = ''] = key.split('/');
    const endpoints = (): ServiceEndpoints | null => this.endpointsOf(key);
    return {
      ...{ namespace, name, zone: this.zone },
      get endpoints() {
        return endpoints();
      },
      follow: (changed) => this.follow(key, changed),
    };
  }

  /** Calls those back whose Services have other endpoints than at the last call. */
  tell(): void {
    for (const [key, followed] of this.followed) {
      const now = this.endpointsOf(key);
      if (now === followed.endpoints) continue;
      followed.endpoints = now;
      for (const changed of [...followed.listeners]) changed();
    }
  }

  private follow(key: string, changed: () => void): () => void {
    const followed = this.followed.get(key) ?? { listeners: new Set(), endpoints: this.endpointsOf(key) };
    this.followed.set(key, followed);
    const listener = (): void => changed(); // one function may follow twice
    followed.listeners.add(listener);
    return () => {
      followed.listeners.delete(listener);
      if (followed.listeners.size === 0 && this.followed.get(key) === followed) this.followed.delete(key);
    };
  }

  private endpointsOf(key: string): ServiceEndpoints | null {
    const resource = this.held().get(key);
    return resource?.type === 'service-endpoints' ? resource : null;
  }
}
