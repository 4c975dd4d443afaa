import { errorText } from '../../../../platform/error-text.ts';
import type { AuditEvent } from '../../writer/audit-event.ts';
import { type RefusedEvent, Undelivered } from '../../writer/audit-sink.ts';

/** What became of some events: delivered but for the refused ones, or refused together because of one of them. */
export type PartResult =
  | { readonly refused: readonly RefusedEvent[] }
  /** `at` is the place of the one that is to blame; null when that is not known. */
  | { readonly blame: string; readonly at: number | null };

/**
 * Delivers a batch to a destination that refuses a whole request for one event in it: the batch is split until that
 * event stands alone and can be refused for good.
 *
 * @throws Undelivered with the places of the whole batch
 */
export async function inParts(
  batch: readonly AuditEvent[],
  send: (events: readonly AuditEvent[]) => Promise<PartResult>,
): Promise<readonly RefusedEvent[]> {
  const refused: RefusedEvent[] = [];
  const parts: (readonly [from: number, to: number])[] = [[0, batch.length]];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    const [from, to] = part;
    if (from === to) continue;
    const result = await send(batch.slice(from, to)).catch((error: unknown) => {
      const { delivered = 0, refused: more = [] } = error instanceof Undelivered ? error : {};
      throw new Undelivered({
        delivered: from + delivered,
        message: errorText(error),
        refused: [...refused, ...shifted(more, from)],
      });
    });
    if ('refused' in result) {
      refused.push(...shifted(result.refused, from));
    } else if (to - from === 1) {
      refused.push({ at: from, reason: result.blame });
    } else {
      const middle = result.at === null ? (from + to) >> 1 : from + result.at;
      if (result.at === null) parts.push([middle, to], [from, middle]);
      else parts.push([middle + 1, to], [middle, middle + 1], [from, middle]);
    }
  }
  return refused;
}

function shifted(refused: readonly RefusedEvent[], by: number): RefusedEvent[] {
  return refused.map(({ at, reason }) => ({ at: at + by, reason }));
}
