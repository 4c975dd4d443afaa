import { contentHash } from '../../contract/document/canonical.ts';
import type { CompiledRoute } from './snapshot.ts';

/** Routes that are hashed together. */
interface Part {
  readonly routes: readonly CompiledRoute[];
  readonly digest: string;
}

/**
 * Digest of all routes in their order, from digests of parts. Contents decide where a part ends, about once in 64 routes:
 * a change concerns its own part, wherever routes come and go, and the digest does not depend on what was there before.
 */
export class RouteDigest {
  /** By their first routes. */
  private readonly parts = new WeakMap<CompiledRoute, Part>();

  of(routes: readonly CompiledRoute[]): string {
    const digests: string[] = [];
    for (let at = 0; at < routes.length; ) {
      const { routes: own, digest } = this.partAt(routes, at);
      digests.push(digest);
      at += own.length;
    }
    return digests.join(' ');
  }

  private partAt(all: readonly CompiledRoute[], start: number): Part {
    const known = this.parts.get(all[start]!);
    if (known !== undefined && isPartAt(all, start, known)) return known;
    let end = start + 1;
    while (end < all.length && !endsPart(all[end - 1]!)) end++;
    const routes = all.slice(start, end);
    const part = { routes, digest: contentHash(routes.map(({ hash }) => hash).join(' ')) };
    this.parts.set(all[start]!, part);
    return part;
  }
}

function isPartAt(all: readonly CompiledRoute[], start: number, { routes }: Part): boolean {
  const end = start + routes.length;
  if (end > all.length || (end < all.length && !endsPart(all[end - 1]!))) return false;
  return routes.every((route, at) => route === all[start + at]);
}

function endsPart({ hash }: CompiledRoute): boolean {
  return hash.startsWith('A'); // one of 64 characters
}
