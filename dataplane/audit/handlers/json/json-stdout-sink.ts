import type { AuditSink, OpenSink } from '../../writer/audit-sink.ts';
import { jsonLine } from './json-line.ts';

export interface JsonStdoutOptions {
  readonly elasticsearchCompatible: boolean;
}

/** Writes events to the standard output of the data plane, one line each. */
export const openJsonStdoutSink: OpenSink = (options, { writeStdout }): AuditSink => {
  const { elasticsearchCompatible } = options as unknown as JsonStdoutOptions;
  return {
    batch: { events: 1000, bytes: 1 << 20 },
    async deliver(batch) {
      await writeStdout(Buffer.from(batch.map((event) => jsonLine(event, elasticsearchCompatible, true)).join('')));
      return [];
    },
    async close() {},
  };
};
