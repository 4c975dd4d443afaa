import type { KeyObject } from 'node:crypto';
import type { Parts } from '../../heap/definition.ts';
import { TEMPORARY_KEY_MEMORY, temporaryKey } from '../../sessions/temporary-key.ts';

const KEY_BYTES = 32;

/** Keys for affinity cookies: those of the group, or else one that the units share until the process ends. */
export function affinityKeys({ plane, identity, onClose }: Parts): () => readonly KeyObject[] {
  const memory = plane.sharedMemory(`affinity key ${identity}`, TEMPORARY_KEY_MEMORY);
  onClose(() => memory.release());
  const own = [temporaryKey(memory.buffer, KEY_BYTES)];
  return () => {
    const ofGroup = plane.groupSecrets?.() ?? [];
    return ofGroup.length > 0 ? ofGroup : own;
  };
}
