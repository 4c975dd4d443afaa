import { contentHash } from '../../../contract/document/canonical.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import type { BaseEntry, SourceVersion } from '../../../contract/snapshot.ts';
import type { FoundRouter } from '../checker.ts';
import type { CompiledRoute } from '../snapshot.ts';

/** Stands for a certificate that sidecars do not get: one that has no port of its own does not listen without TLS. */
const NO_TLS = 'sidecars do not serve TLS';

/**
 * The base that sidecars get, whose Pods tenants make: of `config.json` what its handler needs and what their Routes
 * refer to, of `admin.json` what clients are held to.
 */
export class SidecarBase {
  private readonly whole: BaseEntry;
  private readonly router: FoundRouter;
  private readonly sharedObjects: ReadonlySet<string>;
  private readonly admin: JsonObject | null;
  private readonly usedByResource: (resource: string) => readonly string[];
  private readonly used = new WeakMap<CompiledRoute, readonly string[]>();
  private readonly made = new Map<string, BaseEntry>();

  /** @param usedBy names of the objects of `config.json` that a shared resource refers to, by its key */
  constructor(
    whole: BaseEntry,
    router: FoundRouter,
    sharedObjects: readonly string[],
    usedBy: (resource: string) => readonly string[],
  ) {
    this.usedByResource = usedBy;
    this.whole = whole;
    this.router = router;
    this.sharedObjects = new Set(sharedObjects);
    this.admin = whole.admin === undefined ? null : sidecarAdmin(whole.admin);
  }

  /**
   * The base for sidecars that run these routes.
   * @param hasUnknown whether they also run routes that are known by their hash only, which may need whatever is usable
   */
  of(routes: Iterable<CompiledRoute>, hasUnknown: boolean): BaseEntry {
    const names = new Set<string>(hasUnknown ? this.router.usable(this.sharedObjects) : []);
    const sources: SourceVersion[] = [];
    for (const route of routes) {
      const used = this.usedBy(route);
      for (const name of used) names.add(name);
      // a controller that is behind must not take away what a newer Route needs
      if (used.length > 0) sources.push(...(route.sources?.slice(0, 1) ?? []));
    }
    const made = this.with([...names].sort());
    return sources.length === 0 ? made : { ...made, sources: [...(made.sources ?? []), ...sources] };
  }

  private usedBy(route: CompiledRoute): readonly string[] {
    const known = this.used.get(route);
    if (known !== undefined) return known;
    const means = { sharedObjects: this.sharedObjects, files: {} };
    const own = route.router === this.router.name ? this.router.uses(route.document, route.name, means) : [];
    const used = [...own, ...Object.values(route.resources ?? {}).flatMap(this.usedByResource)];
    this.used.set(route, used);
    return used;
  }

  private with(names: readonly string[]): BaseEntry {
    const key = JSON.stringify(names);
    const known = this.made.get(key);
    if (known !== undefined) return known;
    const { hash: _hash, sources, admin: _admin, ...rest } = this.whole;
    const admin = this.admin === null ? {} : { admin: this.admin };
    const shown = { ...rest, document: this.router.needed(names), ...admin };
    const hash = contentHash(JSON.parse(JSON.stringify(shown)) as JsonValue);
    const made = { ...shown, hash, ...(sources === undefined ? {} : { sources }) };
    this.made.set(key, made);
    return made;
  }
}

/** `admin.json` without certificates, and without objects but the storage that it names. */
function sidecarAdmin({ heap, properties, connectors, ...rest }: JsonObject): JsonObject {
  const storage = rest['temporaryStorage'];
  const objects = Array.isArray(heap) ? (heap as readonly JsonValue[]) : [];
  const kept = objects.filter((object) => isJsonObject(object) && object['name'] === storage);
  const parts: JsonObject = {
    ...rest,
    ...(kept.length === 0 ? {} : { heap: kept }),
    ...(Array.isArray(connectors) ? { connectors: connectors.map(withoutTls) } : {}),
  };
  const text = JSON.stringify(parts);
  const named = isJsonObject(properties) ? Object.entries(properties).filter(([name]) => text.includes(name)) : [];
  return named.length === 0 ? parts : { ...parts, properties: Object.fromEntries(named) };
}

function withoutTls(connector: JsonValue): JsonValue {
  return isJsonObject(connector) && connector['tls'] !== undefined ? { ...connector, tls: NO_TLS } : connector;
}
