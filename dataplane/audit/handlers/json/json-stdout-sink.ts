import type { AuditSink, OpenSink } from '../../writer/audit-sink.ts';
import { authoredLine } from './json-line.ts';

export interface JsonStdoutOptions {
  readonly elasticsearchCompatible: boolean;
}

/** Writes events to the standard output of the data plane, one line each. */
export const openJsonStdoutSink: OpenSink = (options, { writeStdout, service, realm }): AuditSink => {
  const { elasticsearchCompatible } = options as unknown as JsonStdoutOptions;
  return {
    batch: { events: 1000, bytes: 1 << 20 },
    async deliver(batch) {
      const lines = batch.map((event) => authoredLine(event, elasticsearchCompatible, { service, realm }));
      await writeStdout(Buffer.from(lines.join('')));
      return [];
    },
    async close() {},
  };
};
