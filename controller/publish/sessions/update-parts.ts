import type { UpdateMessage } from '../../../contract/channel.ts';
import { PART_BYTES } from '../../../contract/channel-codec.ts';
import type { RemovedRoute, ResourceChanges, RouteEntry, RouteKey } from '../../../contract/snapshot.ts';

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

/** Length of the JSON of routes, measured once for all updates. The JSON itself would double the memory of a route. */
export class RouteLengths {
  private readonly lengths = new WeakMap<RouteEntry, number>();

  lengthOf(route: RouteEntry): number {
    const known = this.lengths.get(route);
    if (known !== undefined) return known;
    const measured = JSON.stringify(route).length;
    this.lengths.set(route, measured);
    return measured;
  }
}

/** A part that was encoded, as long as somebody sends it. */
interface Part {
  readonly routes: readonly RouteEntry[];
  encoded: WeakRef<Buffer> | null;
}

/**
 * An update in messages that lack their beginning, which holds the nonce, so that planes can share them. What is removed
 * and kept goes with the last part: nothing of an update counts before it is whole. A part is encoded when a plane is
 * about to be sent it, so that a large update is never in memory as a whole.
 */
export class UpdateParts {
  /** About how many bytes all parts have. */
  readonly bytes: number;
  private readonly content: UpdateContent;
  private readonly parts: readonly Part[];

  constructor(content: UpdateContent, lengths: RouteLengths, partBytes = PART_BYTES) {
    const { groups, length } = grouped(content.set, lengths, partBytes);
    this.content = { ...content, set: [] };
    this.parts = groups.map((routes) => ({ routes, encoded: null }));
    const { base, resources, remove, keep } = content;
    this.bytes = length + JSON.stringify([base, resources, remove, keep]).length;
  }

  get count(): number {
    return this.parts.length;
  }

  /** A part as bytes. Planes that are sent it at the same time share them; nobody else keeps them. */
  encoded(index: number): Buffer {
    const part = this.parts[index];
    if (part === undefined) throw new RangeError(`the update has ${this.count} parts and none at ${index}`);
    const ready = part.encoded?.deref();
    if (ready !== undefined) return ready;
    const made = this.encode(index, part.routes);
    part.encoded = new WeakRef(made);
    return made;
  }

  private encode(index: number, set: readonly RouteEntry[]): Buffer {
    const { revision, full, base, remove, keep, defaults, seen, resources } = this.content;
    const isLast = index === this.count - 1;
    const text = JSON.stringify({
      revision,
      full,
      ...(isLast ? {} : { more: true }),
      base: index === 0 ? base : null,
      remove: isLast ? remove : [],
      keep: isLast ? keep : [],
      defaults,
      seen,
      ...(index === 0 && resources !== null ? { resources } : {}),
      set,
    });
    return Buffer.from(text.slice(1));
  }
}

/** A part of an update as a message. */
export function updateMessage(nonce: number, part: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`{"type":"update","nonce":${nonce},`), part]);
}

function grouped(
  routes: readonly RouteEntry[],
  lengths: RouteLengths,
  partBytes: number,
): { readonly groups: readonly (readonly RouteEntry[])[]; readonly length: number } {
  let group: RouteEntry[] = [];
  let ofGroup = 0;
  let ofAll = 0;
  const groups = [group];
  for (const route of routes) {
    const length = lengths.lengthOf(route);
    ofAll += length;
    if (group.length > 0 && ofGroup + length > partBytes) {
      group = [];
      ofGroup = 0;
      groups.push(group);
    }
    group.push(route);
    ofGroup += length;
  }
  return { groups, length: ofAll };
}
