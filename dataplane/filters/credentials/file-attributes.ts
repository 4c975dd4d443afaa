import { dirname } from 'node:path';
import { z } from 'zod';
import type { Reach } from '../../../contract/reach.ts';
import { choice, flag, text } from '../../../contract/vocabulary/configured.ts';
import { rulesAbout } from '../../../contract/vocabulary/rules-about.ts';
import { runtimeText, target } from '../../../contract/vocabulary/runtime.ts';
import { errorText } from '../../../platform/error-text.ts';
import { watchDirectory } from '../../../platform/watched-directory.ts';
import { charsetDecoder } from '../../engine/message/content-charset.ts';
import { defineFilter } from '../../heap/definition.ts';
import { operatorPath } from '../../heap/operator-path.ts';
import { warnIfReadOnly } from '../read-only-target.ts';
import { readSeparatedValues, type SeparatorName } from './separated-values.ts';

/** Longest file in bytes: each unit holds it in memory. */
const MOST_BYTES = 16 << 20;
/** A program that replaces a file does it in several steps, which are one change. */
const SETTLE_MILLISECONDS = 20;

type Rows = ReadonlyMap<string, ReadonlyMap<string, string>>;

interface FileConfig {
  readonly file: string;
  readonly charset: string;
  readonly separator: SeparatorName;
  readonly header: boolean;
  readonly fields?: readonly string[] | undefined;
  readonly key: string;
}

/** Looks up a line of a file and hands its values to later filters. */
export const fileAttributesFilter = defineFilter({
  type: 'FileAttributesFilter',
  summary:
    'Looks up a line of a file with separated values, such as a CSV file of user names and passwords, and assigns it to ' +
    'a target as a map of field names and values. The first line whose `key` field equals `value` counts, character by ' +
    'character; without such a line, or without a value, the map is empty. The file has at most 16 MiB and 200,000 ' +
    'lines. It is read when the filter is built, and again when it changes; a changed file that cannot be read leaves ' +
    'the former content in use, and the log has the reason.',
  lendsCredentials: true,
  config: z
    .strictObject({
      file: operatorPath().describe('Path of the file.'),
      charset: text()
        .refine((name) => charsetDecoder(name) !== null, { error: ({ input }) => `there is no charset '${input}'` })
        .default('UTF-8')
        .describe('Charset of the file.'),
      separator: choice(['COMMA', 'COLON', 'TAB'])
        .default('COMMA')
        .describe(
          'What separates values. With `COMMA`, a value can be in double quotes; otherwise a backslash escapes a ' +
            'character.',
        ),
      header: flag().default(true).describe('Whether the first line has the names of the fields.'),
      fields: z
        .array(text())
        .min(1)
        .optional()
        .describe('Names of the fields in their order; wins over the names of a first line.'),
      key: text().describe('Name of the field to search.'),
      value: runtimeText().describe('What the field must be, such as `${contexts.oauth2.accessToken.info.sub}`.'),
      target: target().describe('What the map is assigned to, such as `${attributes.credentials}`.'),
    })
    .check(
      rulesAbout(['header', 'fields'], ({ header, fields }, add) => {
        if (!header && fields === undefined) {
          add(['fields'], "is required: the file has no first line with names ('header' is false)", 'missing');
        }
        if (fields !== undefined && new Set(fields).size < fields.length)
          add(['fields'], 'must not contain a name twice');
      }),
    )
    .check(
      rulesAbout(['fields', 'key'], ({ fields, key }, add) => {
        if (fields !== undefined && !fields.includes(key)) add(['key'], "must be one of the names in 'fields'");
      }),
    ),
  examples: [
    {
      title: 'The password of a user for an application',
      config: {
        file: '/etc/gatewarden/users.csv',
        key: 'user',
        value: '${contexts.oauth2.accessToken.info.sub}',
        target: '${attributes.credentials}',
      },
    },
  ],
  create(config, { log, onClose, plane }) {
    const { file, value, target: place } = config;
    warnIfReadOnly(place, log);
    let rows = readRows(config, plane.reach);
    let timer: NodeJS.Timeout | null = null;

    function reload(): void {
      timer = null;
      try {
        rows = readRows(config, plane.reach);
        log.info({ file, lines: rows.size }, 'attribute file reloaded');
      } catch (error) {
        log.warn({ file, reason: errorText(error) }, 'could not reload an attribute file; using its former content');
      }
    }
    const changed = (): void => {
      timer ??= setTimeout(reload, SETTLE_MILLISECONDS);
      timer.unref();
    };
    const cannotWatch = (error: unknown): void =>
      log.warn({ err: error, file }, 'cannot watch an attribute file; changes are not picked up');
    const endWatch = watchDirectory(dirname(file), changed, cannotWatch);
    onClose(() => {
      endWatch();
      if (timer !== null) clearTimeout(timer);
    });

    return function lookUp(exchange, next) {
      const wanted = value.read(exchange, null);
      const found = wanted === null ? undefined : rows.get(wanted);
      place.assign(exchange, null, new Map(found));
      return next(exchange);
    };
  },
});

/** @throws an error that names the file and shows nothing of its values */
function readRows({ file, charset, separator, header, fields, key }: FileConfig, reach: Reach): Rows {
  const content = reach.readFile(file);
  if (content === null) throw new Error(`the file '${file}' cannot be read`);
  if (content.length > MOST_BYTES) throw new Error(`the file '${file}' has more than ${MOST_BYTES} bytes`);
  try {
    const lines = readSeparatedValues(charsetDecoder(charset)!.decode(content), separator);
    const names = fields ?? lines[0] ?? [];
    const at = names.indexOf(key);
    if (at < 0) throw new Error(`its first line has no field '${key}'`);
    const rows = new Map<string, ReadonlyMap<string, string>>();
    for (const line of header ? lines.slice(1) : lines) {
      const id = line[at];
      if (id === undefined || rows.has(id)) continue;
      rows.set(
        id,
        new Map(names.flatMap((name, index) => (index < line.length ? [[name, line[index]!] as const] : []))),
      );
    }
    return rows;
  } catch (error) {
    throw new Error(`the file '${file}' cannot be used: ${errorText(error)}`);
  }
}
