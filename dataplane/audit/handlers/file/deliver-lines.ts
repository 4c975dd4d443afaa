import { errorText } from '../../../../platform/error-text.ts';
import type { AuditEvent } from '../../writer/audit-event.ts';
import { Undelivered } from '../../writer/audit-sink.ts';
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
  lineOf: (event: AuditEvent) => Buffer,
): Promise<void> {
  for (let from = 0; from < batch.length; ) {
    const { topic } = batch[from]!;
    const lines: Buffer[] = [];
    try {
      const file = fileOf(topic);
      for (let at = from; at < batch.length && batch[at]!.topic === topic; at++) lines.push(lineOf(batch[at]!));
      await file.append(lines);
    } catch (error) {
      const delivered = from + (error instanceof LinesUnwritten ? error.written : 0);
      throw new Undelivered({ delivered, message: errorText(error) });
    }
    from += lines.length;
  }
}
