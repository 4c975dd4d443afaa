import type { SourceVersion } from '../../../contract/snapshot.ts';
import type { ResourceState } from './resource-state.ts';
import type { StoreDrafts, StoreOffer } from './store-drafts.ts';

/** The versions of what a store is made of, by the key of the store. */
export interface PassSources {
  /** The same array as long as the versions are the same. */
  ofResource(key: string): readonly SourceVersion[];
  /** The same array as long as Routes see the same store: a rotated Secret changes no Route. */
  ofRoutes(key: string): readonly SourceVersion[];
}

/**
 * The versions of what SecretStores are made of. They go by name: what was there and is gone has a version too, the next
 * one after its last, so that whoever has not noticed yet does not bring it back. What comes back is newer than that.
 */
export class StoreSources {
  private readonly known = new Map<string, readonly SourceVersion[]>();
  private readonly offered = new Map<string, { offer: StoreOffer | null; sources: readonly SourceVersion[] }>();
  /** By kind and key, the last version of each, and at which it was gone last. */
  private readonly last = new Map<string, { readonly version: bigint; readonly gone: bigint | null }>();

  /** Answers for one pass. */
  at(stores: StoreDrafts, state: ResourceState): PassSources {
    const done = new Map<string, readonly SourceVersion[]>();
    const versions = (key: string): readonly SourceVersion[] => {
      const ready = done.get(key);
      if (ready !== undefined) return ready;
      const offer = stores.get(key)?.offer;
      const made = [
        ...(offer?.stores ?? [key]).map((one) => this.version('SecretStore', one, state.secretStores.get(one))),
        ...(offer?.secrets ?? []).map((one) => this.version('Secret', one, state.secrets.get(one))),
      ].filter((one) => one !== null);
      const before = this.known.get(key);
      const kept = before !== undefined && sameVersions(before, made) ? before : made;
      this.known.set(key, kept);
      done.set(key, kept);
      return kept;
    };
    return {
      ofResource: versions,
      ofRoutes: (key) => {
        const now = versions(key);
        const offer = stores.get(key)?.offer ?? null;
        const before = this.offered.get(key);
        if (before !== undefined && before.offer === offer) return before.sources;
        this.offered.set(key, { offer, sources: now });
        return now;
      },
    };
  }

  private version(
    kind: string,
    key: string,
    found: { readonly resourceVersion: string } | null | undefined,
  ): SourceVersion | null {
    const uid = `${kind}/${key}`;
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

function sameVersions(a: readonly SourceVersion[], b: readonly SourceVersion[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ uid, resourceVersion }, at) => uid === b[at]?.uid && resourceVersion === b[at]?.resourceVersion)
  );
}
