import type { UpdateMessage } from '../../contract/channel.ts';
import { PART_BYTES } from '../../contract/channel-codec.ts';
import type { RemovedRoute, ResourceChanges, RouteEntry, RouteKey } from '../../contract/snapshot.ts';

/** What an update says, apart from the nonce, which is each plane's own. */
export interface UpdateContent {
  readonly revision: string;
  readonly full: boolean;
  readonly base: UpdateMessage['base'];
  readonly set: readonly RouteEntry[];
  readonly remove: readonly RemovedRoute[];
  readonly keep: readonly (RouteKey & { readonly hash: string })[];
  readonly defaults: readonly string[];
  readonly seen: string | null;
  /** Null when all shared resources stay as they are. */
  readonly resources: ResourceChanges | null;
}

/** The JSON of routes, written once for all planes and kept as long as the route is. */
export class RouteTexts {
  private readonly texts = new WeakMap<RouteEntry, string>();

  textOf(route: RouteEntry): string {
    const known = this.texts.get(route);
    if (known !== undefined) return known;
    const made = JSON.stringify(route);
    this.texts.set(route, made);
    return made;
  }
}

/**
 * An update in messages that lack their beginning, which holds the nonce, so that planes can share them. What is removed
 * and kept goes with the last part: nothing of an update counts before it is whole.
 */
export function updateParts(content: UpdateContent, texts: RouteTexts, partBytes = PART_BYTES): readonly Buffer[] {
  const { revision, full, base, set, remove, keep, defaults, seen, resources } = content;
  const groups = grouped(set, texts, partBytes);
  return groups.map((routes, index) => {
    const isLast = index === groups.length - 1;
    const head = JSON.stringify({
      revision,
      full,
      ...(isLast ? {} : { more: true }),
      base: index === 0 ? base : null,
      remove: isLast ? remove : [],
      keep: isLast ? keep : [],
      defaults,
      seen,
      ...(index === 0 && resources !== null ? { resources } : {}),
    });
    return Buffer.from(`${head.slice(1, -1)},"set":[${routes.join(',')}]}`);
  });
}

/** A part of an update as a message. */
export function updateMessage(nonce: number, part: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`{"type":"update","nonce":${nonce},`), part]);
}

function grouped(routes: readonly RouteEntry[], texts: RouteTexts, partBytes: number): string[][] {
  let group: string[] = [];
  let length = 0;
  const groups = [group];
  for (const route of routes) {
    const text = texts.textOf(route);
    if (group.length > 0 && length + text.length > partBytes) {
      group = [];
      length = 0;
      groups.push(group);
    }
    group.push(text);
    length += text.length;
  }
  return groups;
}
