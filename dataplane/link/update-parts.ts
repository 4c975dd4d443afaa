import type { UpdateMessage } from '../../contract/channel.ts';
import type { WholeUpdate } from './newest-update.ts';

/** An update with the number by which it is answered. */
export interface NumberedUpdate {
  readonly nonce: number;
  readonly update: WholeUpdate;
}

/** Puts the parts of updates together. A part of another one means that the rest will not come. */
export class UpdateParts {
  private parts: UpdateMessage[] = [];

  /** @returns the whole when this was its last part */
  add(part: UpdateMessage): NumberedUpdate | null {
    if (this.parts.length > 0 && this.parts[0]!.nonce !== part.nonce) this.parts = [];
    this.parts.push(part);
    if (part.more === true) return null;
    const { parts } = this;
    this.parts = [];
    const { nonce, revision, full, seen, defaults } = part;
    const resources = parts.flatMap((one) => one.resources ?? []);
    const base = parts.map((one) => one.base).find((one) => one !== null) ?? null;
    return {
      nonce,
      update: {
        revision,
        full,
        base,
        set: parts.flatMap((one) => one.set),
        remove: parts.flatMap((one) => one.remove),
        keep: parts.flatMap((one) => one.keep),
        defaults,
        seen,
        ...(resources.length > 0 && {
          resources: {
            set: resources.flatMap((one) => one.set),
            remove: resources.flatMap((one) => one.remove),
          },
        }),
      },
    };
  }
}
