import { isOlder, type SourceVersion } from '../../contract/snapshot.ts';

/** Most resources that are gone and remembered; those that went first are forgotten first. */
const MOST_GONE = 10_000;

/** Versions at which resources were gone, by uid. What is given stays as it is: the first change makes a copy. */
export class GoneResources {
  private versions: ReadonlyMap<string, string>;
  private own: Map<string, string> | null = null;

  constructor(versions: ReadonlyMap<string, string>) {
    this.versions = versions;
  }

  get(uid: string): string | undefined {
    return this.versions.get(uid);
  }

  /** The resource is there again. */
  back(uid: string): void {
    if (this.versions.has(uid)) this.copied().delete(uid);
  }

  /** The resource was gone at this version. */
  add({ uid, resourceVersion }: SourceVersion): void {
    const before = this.versions.get(uid);
    if (before !== undefined && !isOlder({ uid, resourceVersion: before }, { uid, resourceVersion })) return;
    const copied = this.copied();
    copied.delete(uid); // what is set anew is remembered longest
    copied.set(uid, resourceVersion);
  }

  /** All that are remembered; the map that was given if nothing changed. */
  all(): ReadonlyMap<string, string> {
    for (const uid of this.versions.keys()) {
      if (this.versions.size <= MOST_GONE) break;
      this.copied().delete(uid);
    }
    return this.versions;
  }

  private copied(): Map<string, string> {
    if (this.own === null) this.versions = this.own = new Map(this.versions);
    return this.own;
  }
}
