import { join } from 'node:path';
import type { AuditEvent } from '../../writer/audit-event.ts';
import type { AuditSink, OpenSink } from '../../writer/audit-sink.ts';
import { deliverLines } from '../file/deliver-lines.ts';
import type { FileOptions } from '../file/file-options.ts';
import { joinedLines } from '../file/lines.ts';
import { type UsedLogFile, useLogFile } from '../file/log-files.ts';
import { type CsvColumns, csvColumns } from './csv-columns.ts';
import { CsvForm } from './csv-form.ts';
import { type CsvLayout, csvRow } from './csv-layout.ts';

/** Options of the sink, as its definition makes them. */
export interface CsvOptions extends FileOptions, Readonly<Record<string, unknown>> {
  readonly layout: CsvLayout;
  /** Fields of custom topics, by topic. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  readonly security: {
    /** The one to use first. */
    readonly secrets: readonly Uint8Array[];
    /** In milliseconds. */
    readonly signatureInterval: number;
  } | null;
}

const BATCH = { events: 2000, bytes: 1 << 20 };

interface CsvFile extends UsedLogFile {
  readonly columns: CsvColumns;
}

/** Appends events to a CSV file for each topic, one row each. */
export const openCsvSink: OpenSink = (options, { log, now }): AuditSink => {
  const settings = options as CsvOptions;
  const { layout, security, directory, fields } = settings;
  const files = new Map<string, CsvFile>();
  const opened = (topic: string): CsvFile => {
    const columns = csvColumns(topic, fields[topic] ?? []);
    const path = join(directory, `${security === null ? '' : 'tamper-evident-'}${topic}.csv`);
    const secrets = security?.secrets ?? null;
    const form = new CsvForm({ path, columns: columns.names, layout, secrets, log, now });
    const shape = JSON.stringify([columns.names, layout]);
    const file = { columns, ...useLogFile({ path, options: settings, form, log, now, shape }) };
    files.set(topic, file);
    return file;
  };
  const fileOf = (topic: string): CsvFile => files.get(topic) ?? opened(topic);
  const lineOf = (event: AuditEvent): Buffer =>
    Buffer.from(`${csvRow(fileOf(event.topic).columns.valuesOf(event.fields), layout)}${layout.endOfLine}`);
  const signing =
    security === null
      ? null
      : setInterval(() => {
          for (const { file } of files.values()) void file.mark();
        }, security.signatureInterval);
  signing?.unref();
  return {
    batch: BATCH,
    async deliver(batch) {
      await deliverLines(
        batch,
        (topic) => fileOf(topic).file,
        (events) => joinedLines(events.map(lineOf)),
      );
      return [];
    },
    async close() {
      if (signing !== null) clearInterval(signing);
      await Promise.all([...files.values()].map((used) => used.close()));
    },
  };
};
