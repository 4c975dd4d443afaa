import type { SourceVersion } from '../../../contract/snapshot.ts';
import type { ResourceState } from './resource-state.ts';
import type { StoreDrafts } from './store-drafts.ts';

/**
 * The versions of what SecretStores are made of. They go by name: a store that is gone has a version too, the one at
 * which that was noticed, so that whoever has not noticed yet does not bring it back.
 */
export class StoreSources {
  private readonly known = new Map<string, readonly SourceVersion[]>();
  private readonly goneSince = new Map<string, string>();

  /** What answers for one look at the cluster; the same array as long as the versions are the same. */
  at(stores: StoreDrafts, state: ResourceState): (key: string) => readonly SourceVersion[] {
    const done = new Map<string, readonly SourceVersion[]>();
    return (key) => {
      const ready = done.get(key);
      if (ready !== undefined) return ready;
      const draft = stores.get(key);
      const made = [
        ...(draft?.stores ?? [key]).map((one) => this.version('SecretStore', one, state.secretStores.get(one), state)),
        ...(draft?.secrets ?? []).map((one) => this.version('Secret', one, state.secrets.get(one), state)),
      ].filter((one) => one !== null);
      const before = this.known.get(key);
      const kept = before !== undefined && sameVersions(before, made) ? before : made;
      this.known.set(key, kept);
      done.set(key, kept);
      return kept;
    };
  }

  private version(
    kind: string,
    key: string,
    found: { readonly resourceVersion: string } | null | undefined,
    { seen }: ResourceState,
  ): SourceVersion | null {
    const uid = `${kind}/${key}`;
    if (found !== null && found !== undefined) {
      this.goneSince.delete(uid);
      return { uid, resourceVersion: found.resourceVersion };
    }
    const since = this.goneSince.get(uid) ?? seen;
    if (since === null) return null;
    this.goneSince.set(uid, since);
    return { uid, resourceVersion: since };
  }
}

function sameVersions(a: readonly SourceVersion[], b: readonly SourceVersion[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ uid, resourceVersion }, at) => uid === b[at]?.uid && resourceVersion === b[at]?.resourceVersion)
  );
}
