import type { Resource } from '../../../contract/resources/resource.ts';
import { isServiceKey } from '../../../contract/resources/service-reference.ts';
import type { SourceVersion } from '../../../contract/snapshot.ts';
import type { ResourceState } from './resource-state.ts';
import { knownIn } from './shared/service-drafts.ts';
import { partsOf, type SharedDrafts, type SharedOffer } from './shared/shared-drafts.ts';
import { storeResourceKey } from './store-drafts.ts';

/** The versions of what a shared resource is made of, by its key. */
export interface PassSources {
  /** The version of a Secret, by `namespace/name`; null for one that never was there. */
  ofSecret(key: string): SourceVersion | null;
  /** The same array as long as the versions are the same. */
  ofResource(key: string): readonly SourceVersion[];
  /** The same array as long as Routes see the same resource: a rotated Secret changes no Route. */
  ofRoutes(key: string): readonly SourceVersion[];
}

/**
 * The versions of what shared resources are made of. They go by name: what was there and is gone has a version too, the next
 * one after its last, so that whoever has not noticed yet does not bring it back. What comes back is newer than that.
 */
export class StoreSources {
  private readonly known = new Map<string, readonly SourceVersion[]>();
  private readonly offered = new Map<string, { offer: SharedOffer | null; sources: readonly SourceVersion[] }>();
  /** By kind and key, the last version of each, and at which it was gone last. */
  private readonly last = new Map<string, { readonly version: bigint; readonly gone: bigint | null }>();

  /** Answers for one pass. */
  at(shared: SharedDrafts, state: ResourceState): PassSources {
    const done = new Map<string, readonly SourceVersion[]>();
    const versions = (key: string): readonly SourceVersion[] => {
      const ready = done.get(key);
      if (ready !== undefined) return ready;
      const offer = shared.offer(key);
      const resources = new Set([key, ...(offer === null ? [] : partsOf(offer))]);
      const made = [
        ...[...resources].map((one) => this.version(one, resourceAt(one, state))),
        ...(offer?.secrets ?? []).map((one) => this.version(`Secret/${one}`, state.secrets.get(one))),
      ].filter((one) => one !== null);
      const before = this.known.get(key);
      const kept = before !== undefined && sameVersions(before, made) ? before : made;
      this.known.set(key, kept);
      done.set(key, kept);
      return kept;
    };
    return {
      ofSecret: (key) => this.version(`Secret/${key}`, state.secrets.get(key)),
      ofResource: versions,
      ofRoutes: (key) => {
        const now = versions(key);
        const offer = shared.offer(key);
        const before = this.offered.get(key);
        if (before !== undefined && before.offer === offer) return before.sources;
        this.offered.set(key, { offer, sources: now });
        return now;
      },
    };
  }

  private version(uid: string, found: { readonly resourceVersion: string } | null | undefined): SourceVersion | null {
    const last = this.last.get(uid) ?? null;
    if (found === null || found === undefined) {
      if (last === null) return null;
      const gone = last.gone ?? last.version + 1n;
      this.last.set(uid, { ...last, gone });
      return { uid, resourceVersion: String(gone) };
    }
    if (!/^\d+$/.test(found.resourceVersion)) return { uid, resourceVersion: found.resourceVersion };
    let version = BigInt(found.resourceVersion);
    const least = last === null ? version : last.gone === null ? last.version : last.gone + 1n;
    if (version < least) version = least;
    this.last.set(uid, { version, gone: null });
    return { uid, resourceVersion: String(version) };
  }
}

function resourceAt(
  key: string,
  { secretStores, auditServices, services }: ResourceState,
): Pick<Resource, 'resourceVersion'> | null | undefined {
  const name = key.slice(key.indexOf('/') + 1);
  if (isServiceKey(key)) return knownIn(services)?.get(name);
  return key === storeResourceKey(name) ? secretStores.get(name) : auditServices.get(name);
}

function sameVersions(a: readonly SourceVersion[], b: readonly SourceVersion[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ uid, resourceVersion }, at) => uid === b[at]?.uid && resourceVersion === b[at]?.resourceVersion)
  );
}
