import type { JsonObject, JsonValue } from '../../../../contract/document/json-value.ts';
import { type AccessRow, observedAccess, replayedAccess } from './replayed-access-row.ts';
import { type FilterRow, replayedFilterRow } from './replayed-filter-row.ts';
import { replayedFile, replayedService, replayedSyslog } from './replayed-handler-row.ts';
import { replayedJms } from './replayed-jms-row.ts';

/** What a row says and what we do, or why it is left out. */
export type Replay = { readonly observed: JsonValue; readonly ours: JsonValue } | { readonly left: string };

/** A row of a file such as test/vectors/audit-events.jsonl. */
export type AuditRow = JsonObject & { readonly id: string; readonly kind: string; readonly case: string };

const LEFT: Readonly<Record<string, string>> = {
  outage: 'observations of outages, which tests of delivery cover',
  speed: 'measured on another machine',
  'jms-destination': 'needs a consumer of a real broker',
};

/** The rows of a file. */
export function auditRows(text: string): AuditRow[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as AuditRow);
}

/** Does what a row did. */
export async function replay(row: AuditRow): Promise<Replay> {
  switch (row.kind) {
    case 'filter': {
      const { published = null, refused } = row;
      const ours = replayedFilterRow(row as unknown as FilterRow);
      return { observed: refused === undefined ? published : 'refused', ours };
    }
    case 'gateway-access': {
      const ours = await replayedAccess(row as unknown as AccessRow);
      return { observed: observedAccess(row as unknown as AccessRow), ours };
    }
    case 'jms':
      return replayedJms(row);
    case 'service':
      return replayedService(row);
    case 'file':
      return replayedFile(row);
    case 'syslog':
      return replayedSyslog(row);
    default:
      return { left: LEFT[row.kind] ?? `rows of kind '${row.kind}' are not known` };
  }
}
