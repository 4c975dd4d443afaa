import type { Reach } from '../../contract/reach.ts';
import { documentReading } from '../../dataplane/routes/document-reading.ts';
import { operatorReach } from '../../dataplane/unit/operator-reach.ts';

/** Returns the reach of an operator without an instance, and a reading of documents with it. */
export function bareReading(system: Readonly<Record<string, string>>): {
  readonly reach: Reach;
  readonly reading: ReturnType<typeof documentReading>;
} {
  const nowhere = { instance: '', config: '', temp: '' };
  const reach = { ...operatorReach({ env: process.env, system, directories: nowhere }), directories: null };
  return { reach, reading: documentReading(reach, [], () => {}) };
}
