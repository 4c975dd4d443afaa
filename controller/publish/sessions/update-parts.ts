import type { UpdateMessage } from '../../../contract/channel.ts';
import { PART_BYTES } from '../../../contract/channel-codec.ts';
import type {
  RemovedRoute,
  ResourceChanges,
  RouteEntry,
  RouteKey,
  SharedResource,
} from '../../../contract/snapshot.ts';

/** Content of an update without the nonce, which differs for each data plane. */
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

/** Length of the JSON of routes and resources, measured once for all updates. The JSON itself would double their memory. */
export class EntryLengths {
  private readonly lengths = new WeakMap<RouteEntry | SharedResource, number>();

  lengthOf(entry: RouteEntry | SharedResource): number {
    const known = this.lengths.get(entry);
    if (known !== undefined) return known;
    const measured = JSON.stringify(entry).length;
    this.lengths.set(entry, measured);
    return measured;
  }
}

/** A part that was encoded, as long as somebody sends it. */
interface Part {
  readonly resources: readonly SharedResource[];
  readonly routes: readonly RouteEntry[];
  encoded: WeakRef<Buffer> | null;
  /** The nonce in what was encoded. */
  nonce: number;
}

/**
 * An update in messages. What is removed and kept goes with the last part: nothing of an update counts before it is
 * whole. A part is encoded when a plane is about to be sent it, so that a large update is never in memory as a whole.
 * Planes with the same nonce share the bytes: it is the first one for all that hold nothing.
 */
export class UpdateParts {
  /** About how many bytes all parts have. */
  readonly bytes: number;
  private readonly content: UpdateContent;
  private readonly parts: readonly Part[];

  constructor(content: UpdateContent, lengths: EntryLengths, partBytes = PART_BYTES) {
    const { base, resources, remove, keep } = content;
    const { groups, length } = grouped([...(resources?.set ?? []), ...content.set], lengths, partBytes);
    this.content = { ...content, set: [], resources: resources && { set: [], remove: resources.remove } };
    this.parts = groups.map((group) => ({
      resources: group.filter((entry) => 'type' in entry),
      routes: group.filter((entry) => 'router' in entry),
      encoded: null,
      nonce: 0,
    }));
    this.bytes = length + JSON.stringify([base, resources?.remove, remove, keep]).length;
  }

  get count(): number {
    return this.parts.length;
  }

  /** A part as a message. Planes that are sent it at the same time share it; nobody else keeps it. */
  message(index: number, nonce: number): Buffer {
    const part = this.parts[index];
    if (part === undefined) throw new RangeError(`the update has ${this.count} parts and none at ${index}`);
    const ready = part.encoded?.deref();
    if (ready !== undefined) return part.nonce === nonce ? ready : withNonce(ready, part.nonce, nonce);
    const made = this.encode(index, part, nonce);
    part.encoded = new WeakRef(made);
    part.nonce = nonce;
    return made;
  }

  private encode(index: number, { routes: set, resources: shared }: Part, nonce: number): Buffer {
    const { revision, full, base, remove, keep, defaults, seen, resources } = this.content;
    const gone = index === 0 ? (resources?.remove ?? []) : [];
    const isLast = index === this.count - 1;
    const message = {
      type: 'update',
      nonce,
      revision,
      full,
      ...(isLast ? {} : { more: true }),
      base: index === 0 ? base : null,
      remove: isLast ? remove : [],
      keep: isLast ? keep : [],
      defaults,
      seen,
      ...(shared.length + gone.length > 0 && { resources: { set: shared, remove: gone } }),
      set,
    };
    return Buffer.from(JSON.stringify(message));
  }
}

function withNonce(message: Buffer, before: number, after: number): Buffer {
  return Buffer.concat([Buffer.from(beginning(after)), message.subarray(beginning(before).length)]);
}

/** How a message begins, up to what all planes share. */
function beginning(nonce: number): string {
  return `{"type":"update","nonce":${nonce},`;
}

function grouped(
  entries: readonly (RouteEntry | SharedResource)[],
  lengths: EntryLengths,
  partBytes: number,
): { readonly groups: readonly (readonly (RouteEntry | SharedResource)[])[]; readonly length: number } {
  let group: (RouteEntry | SharedResource)[] = [];
  let ofGroup = 0;
  let ofAll = 0;
  const groups = [group];
  for (const entry of entries) {
    const length = lengths.lengthOf(entry);
    ofAll += length;
    if (group.length > 0 && ofGroup + length > partBytes) {
      group = [];
      ofGroup = 0;
      groups.push(group);
    }
    group.push(entry);
    ofGroup += length;
  }
  return { groups, length: ofAll };
}
