import type { JsonObject } from '../../../contract/document/json-value.ts';
import { routeHash } from '../../../contract/route-hash.ts';
import type { SourceVersion } from '../../../contract/snapshot.ts';
import type { RouteIdentity } from '../route-identity.ts';
import type { CompiledRoute } from '../snapshot.ts';
import type { RouteBody } from './judged-route.ts';

/** Parts of a compiled route. */
export interface EntryParts {
  readonly router: string;
  readonly identity: RouteIdentity;
  readonly tenant: string;
  readonly body: RouteBody;
  readonly generation: number;
  readonly sources: readonly SourceVersion[];
}

interface KnownEntry extends EntryParts {
  readonly route: CompiledRoute;
}

/** The compiled routes of one Route: the same parts make the same object. */
export class RouteEntries {
  private readonly known = new Map<'serves' | 'refuses', KnownEntry>();
  private refusal: { readonly document: JsonObject; readonly body: RouteBody } | null = null;

  serving(parts: EntryParts): CompiledRoute {
    return this.entry('serves', parts);
  }

  /** A route that takes the requests it is about and refuses them: its condition and what that may name are kept. */
  refusing(document: JsonObject, parts: Omit<EntryParts, 'body'>): CompiledRoute {
    if (this.refusal?.document !== document) {
      const kept: Record<string, JsonObject[string]> = {};
      for (const key of ['properties', 'condition']) {
        const value = document[key];
        if (value !== undefined && value !== null) kept[key] = value;
      }
      this.refusal = { document, body: { document: kept } };
    }
    return this.entry('refuses', { ...parts, body: this.refusal.body });
  }

  private entry(slot: 'serves' | 'refuses', parts: EntryParts): CompiledRoute {
    const { router, identity, tenant, body, generation, sources } = parts;
    const known = this.known.get(slot);
    const isSameRoute =
      known !== undefined &&
      known.body === body &&
      known.tenant === tenant &&
      known.router === router &&
      known.identity.name === identity.name;
    if (isSameRoute && known.sources === sources && known.generation === generation) return known.route;
    const refuses = slot === 'refuses' ? { refuses: true as const } : {};
    const hashed = { router, id: identity.id, name: identity.name, ...body, ...refuses, tenant };
    const hash = isSameRoute ? known.route.hash : routeHash(hashed);
    const route: CompiledRoute = { ...hashed, hash, generation, sources };
    this.known.set(slot, { ...parts, route });
    return route;
  }
}
