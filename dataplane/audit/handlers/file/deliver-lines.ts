import { errorText } from '../../../../platform/error-text.ts';
import type { AuditEvent } from '../../writer/audit-event.ts';
import { Undelivered } from '../../writer/audit-sink.ts';
import type { Lines } from './lines.ts';
import { LinesUnwritten, type LogFile } from './log-file.ts';

/**
 * Writes the events of a batch to the files of their topics. Events of one topic that follow each other are one write,
 * so that those that are safe after a failure are the first of the batch.
 *
 * @throws Undelivered
 */
export async function deliverLines(
  batch: readonly AuditEvent[],
  fileOf: (topic: string) => LogFile,
  linesOf: (events: readonly AuditEvent[]) => Lines,
): Promise<void> {
  for (let from = 0; from < batch.length; ) {
    const { topic } = batch[from]!;
    let to = from + 1;
    while (to < batch.length && batch[to]!.topic === topic) to++;
    try {
      await fileOf(topic).append(linesOf(batch.slice(from, to)));
    } catch (error) {
      const delivered = from + (error instanceof LinesUnwritten ? error.written : 0);
      throw new Undelivered({ delivered, message: errorText(error) });
    }
    from = to;
  }
}
