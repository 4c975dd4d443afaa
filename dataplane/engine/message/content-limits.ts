import type { ListenerLimits } from '../head/limits.ts';
import { temporaryFileLimit } from '../wire/temporary-file-limit.ts';
import { entityLimit } from './entity.ts';
import { heldContent } from './held-content.ts';

/** Holds the content of all messages of this unit to what its listener allows. */
export function limitContent({ entityBytes, heldBytes, temporaryFileBytes }: ListenerLimits): void {
  entityLimit.bytes = entityBytes;
  heldContent.limit = heldBytes;
  temporaryFileLimit.bytes = temporaryFileBytes;
}
