import { z } from 'zod';
import { GROUP } from '../../../contract/resources/resource.ts';
import type { PlaneFacts } from '../plane-facts.ts';
import type { PlaneLedger } from '../plane-ledger.ts';

/** Most characters of the note: it is written with every renewal of the Lease. */
const MOST_CHARACTERS = 32_768;

const note = z.array(
  z.strictObject({
    id: z.string(),
    name: z.string(),
    namespace: z.string(),
    group: z.string(),
    labels: z.record(z.string(), z.string()),
    isSidecar: z.boolean(),
    since: z.number(),
  }),
);

/** Annotation of the Lease in which a leader names planes that no controller reaches and that may take requests. */
const CUT_OFF_PLANES = `${GROUP}/planes-without-controller`;

/** Keeps the planes that no controller reaches in the Lease, from one leader to the next. */
export function cutOffNotes(ledger: PlaneLedger): {
  readonly annotation: string;
  write(): string | null;
  read(text: string): void;
} {
  return {
    annotation: CUT_OFF_PLANES,
    write: () => cutOffNote(ledger.planes),
    read: (text) => ledger.remember(readCutOffNote(text)),
  };
}

/** Notes the planes that no controller reaches and that may take requests, for the next leader; null when there are none. */
export function cutOffNote(planes: readonly PlaneFacts[]): string | null {
  const entries: z.infer<typeof note> = [];
  let length = 2;
  for (const { identity, cutOffSince: since } of planes) {
    const { id, name, namespace, group, labels, isSidecar } = identity;
    if (since === undefined || namespace === null) continue;
    const entry = { id, name, namespace, group, labels: { ...labels }, isSidecar, since };
    length += JSON.stringify(entry).length + 1;
    if (length > MOST_CHARACTERS) break;
    entries.push(entry);
  }
  return entries.length === 0 ? null : JSON.stringify(entries);
}

/** Reads what an earlier leader noted. What such planes run is not known, so that they count as running nothing. */
export function readCutOffNote(text: string): readonly PlaneFacts[] {
  return noted(text).map(({ since, ...identity }) => ({
    identity: { ...identity, until: null },
    controller: '',
    connectedSince: since,
    version: '',
    pending: null,
    revision: null,
    running: new Map(),
    problems: new Map(),
    lastReport: null,
    cutOffSince: since,
  }));
}

function noted(text: string): z.infer<typeof note> {
  try {
    return note.safeParse(JSON.parse(text)).data ?? [];
  } catch {
    return [];
  }
}
