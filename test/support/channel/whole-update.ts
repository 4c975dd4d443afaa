import type { WholeUpdate } from '../../../dataplane/link/newest-update.ts';

/** An update that says nothing but these parts. */
export function wholeUpdate(parts: Partial<WholeUpdate> = {}): WholeUpdate {
  return {
    revision: 'new',
    full: false,
    base: null,
    set: [],
    remove: [],
    keep: [],
    defaults: [],
    seen: null,
    ...parts,
  };
}
