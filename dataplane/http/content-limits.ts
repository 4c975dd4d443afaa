import { entityLimit } from './entity.ts';
import { heldContent } from './held-content.ts';
import type { ListenerLimits } from './limits.ts';
import { temporaryFileLimit } from './temporary-file-limit.ts';

/** Holds the content of all messages of this unit to what its listener allows. */
export function limitContent({ entityBytes, heldBytes, temporaryFileBytes }: ListenerLimits): void {
  entityLimit.bytes = entityBytes;
  heldContent.limit = heldBytes;
  temporaryFileLimit.bytes = temporaryFileBytes;
}
