import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditSink, OpenSink } from '../../writer/audit-sink.ts';
import { deliverLines } from '../file/deliver-lines.ts';
import type { FileOptions } from '../file/file-options.ts';
import type { FileForm, LogFile } from '../file/log-file.ts';
import { type UsedLogFile, useLogFile } from '../file/log-files.ts';
import { rotatedNames } from '../file/rotated-names.ts';
import { WritePace } from '../file/write-pace.ts';
import { fileQueries } from '../queries/file-queries.ts';
import { JsonLines } from './json-line.ts';

/** Options of the sink, as its definition makes them. */
export interface JsonFileOptions extends FileOptions, Readonly<Record<string, unknown>> {
  readonly elasticsearchCompatible: boolean;
  /** Topics that have files. */
  readonly topics: readonly string[];
  /** Most events of one write. */
  readonly mostEvents: number;
  /** Milliseconds between writes. */
  readonly writeInterval: number;
}

const MOST_BYTES = 1 << 20;
const END = Buffer.from('\n');
const NOTHING = Buffer.alloc(0);

/** Lines of JSON need no beginning; a line that a killed process left unfinished gets its end. */
const form: FileForm = {
  async begin(file: FileHandle, bytes: number) {
    if (bytes === 0) return NOTHING;
    const last = Buffer.alloc(1);
    await file.read(last, 0, 1, bytes - 1);
    return last.equals(END) ? NOTHING : END;
  },
};

/** Appends events to a file for each topic, one line each. */
export const openJsonFileSink: OpenSink = (options, { log, now }): AuditSink => {
  const settings = options as JsonFileOptions;
  const { elasticsearchCompatible, directory, mostEvents, writeInterval, topics } = settings;
  const files = new Map<string, UsedLogFile>();
  const pace = new WritePace(writeInterval);
  const lines = new JsonLines(elasticsearchCompatible);
  const fileOf = (topic: string): LogFile => {
    const path = join(directory, `${topic}.audit.json`);
    const used = files.get(topic) ?? useLogFile({ path, options: settings, form, log, now, shape: 'json' });
    files.set(topic, used);
    return used.file;
  };
  const queries = fileQueries({
    fileOf(topic) {
      if (!topics.includes(topic)) return null;
      const path = join(directory, `${topic}.audit.json`);
      return { path, rotated: rotatedNames(path, settings.rotation) };
    },
  });
  return {
    queries,
    batch: { events: mostEvents, bytes: MOST_BYTES },
    async deliver(batch) {
      await pace.turn();
      await deliverLines(batch, fileOf, (events) => lines.of(events));
      return [];
    },
    hurry: () => pace.hurry(),
    async close() {
      await Promise.all([...files.values()].map((used) => used.close()));
    },
  };
};
