import { z } from 'zod';
import { ValueProblem } from '../../../../contract/problem.ts';
import { duration, flag, readConfigured, secretId, wrongType } from '../../../../contract/vocabulary/configured.ts';
import { noEffect, refused } from '../../../../contract/vocabulary/field-notes.ts';
import { leaf } from '../../../../contract/vocabulary/leaf.ts';
import { ref } from '../../../../contract/vocabulary/reference.ts';
import { rulesAbout } from '../../../../contract/vocabulary/rules-about.ts';
import { auditHandler } from '../audit-handler.ts';
import { fileFields, fileOptions, fileRemarks } from '../file/file-fields.ts';
import { handlerFields } from '../handler-fields.ts';
import type { CsvOptions } from './csv-sink.ts';

/** Shortest secret of a tamper-evident file, in bytes. */
const LEAST_SECRET = 16;
const KEYSTORE = "keystores of OpenIG are not used; give 'secretsProvider' and 'secretId'";
const WRITTEN = 'events are written as soon as the rows before them are';

/** A character that separates or encloses values. */
const separator = () =>
  leaf('configuration expression<character>', { type: 'string', minLength: 1, maxLength: 1 }, (value) =>
    readConfigured(value, (text) => {
      if (typeof text !== 'string') throw wrongType('one character', text);
      if (!/^(?:\t|[ -~])$/.test(text) || /[\w+/=:-]/.test(text)) {
        const message = 'must be one ASCII character that is no letter, no digit and none of + / = : - _';
        throw new ValueProblem('value', message);
      }
      return text;
    }),
  );

const endOfLine = () =>
  leaf('configuration expression<string>', { enum: ['\n', '\r\n'] }, (value) =>
    readConfigured(value, (text) => {
      if (text === '\n' || text === '\r\n') return text;
      throw new ValueProblem('value', 'must be a line feed (\\n), or a carriage return and a line feed (\\r\\n)');
    }),
  );

const formatting = z
  .strictObject({
    quoteChar: separator().default('"').describe('Character around values; it is doubled within them.'),
    delimiterChar: separator().default(',').describe('Character between values.'),
    endOfLineSymbols: endOfLine().default('\n').describe('End of a row.'),
  })
  .check(
    rulesAbout(['quoteChar', 'delimiterChar'], ({ quoteChar, delimiterChar }, add) => {
      if (quoteChar === delimiterChar) add(['delimiterChar'], "must differ from 'quoteChar'");
    }),
  );

const security = z
  .strictObject({
    enabled: flag().default(false).describe('Whether files are tamper-evident.'),
    secretsProvider: ref('secretsProvider').optional().describe('Provider of the secret. Required when enabled.'),
    secretId: secretId()
      .optional()
      .describe(
        `Id of the secret of the codes, a GenericSecret of at least ${LEAST_SECRET} bytes. Required when enabled.`,
      ),
    signatureInterval: duration({ max: '1 day' })
      .prefault('1 minute')
      .describe('Interval at which the rows so far are signed: rows that are cut off after that are detected.'),
    filename: refused(KEYSTORE).describe('Keystore of OpenIG.'),
    password: refused(KEYSTORE).describe('Password of that keystore.'),
    keystoreHandlerName: refused(KEYSTORE).describe('Handler of that keystore.'),
  })
  .check(
    rulesAbout(['enabled', 'secretsProvider', 'secretId'], (value, add) => {
      for (const name of ['secretsProvider', 'secretId'] as const) {
        if (value.enabled && value[name] === undefined) add([name], "is required: 'enabled' needs it", 'missing');
      }
    }),
  );

/** Events as rows of CSV files. */
export const csvAuditEventHandler = auditHandler({
  className: 'CsvAuditEventHandler',
  summary:
    'Appends events to the file `TOPIC.csv` in `logDirectory`, one row each. Control characters are written as ' +
    '`\\u000a`, so that a row is one line. A text that begins with `=`, `+`, `-` or `@` gets an apostrophe before it, ' +
    'so that no spreadsheet runs it as a formula. With `security` the file is `tamper-evident-TOPIC.csv`: each row has ' +
    'a keyed code that depends on all rows before it, and `gatewarden verify-audit` finds rows that were changed, ' +
    'added, removed, reordered or cut off. Files have the mode 0600. Queries are not supported.',
  operatorOnly: 'it writes files of the data plane',
  config: z.strictObject({
    ...handlerFields(),
    ...fileFields(),
    formatting: formatting.prefault({}).describe('How rows are written.'),
    buffering: z
      .strictObject({
        enabled: noEffect(flag(), WRITTEN).describe('Whether events are buffered.'),
        autoFlush: noEffect(flag(), WRITTEN).describe('Whether the buffer is written after each event.'),
      })
      .optional()
      .describe('Buffer of earlier versions.'),
    security: security.prefault({}).describe('Tamper evidence.'),
  }),
  examples: [
    {
      title: 'Tamper-evident files, signed each minute',
      config: {
        name: 'csv',
        topics: ['access'],
        logDirectory: '/var/log/gatewarden',
        security: {
          enabled: true,
          secretsProvider: { type: 'FileSystemSecretStore', config: { directory: '/run/secrets', format: 'PLAIN' } },
          secretId: 'audit.key',
        },
      },
    },
  ],
  remarks(config) {
    const { enabled, secretId: id, secretsProvider } = config.security;
    const unused = Object.entries({ secretId: id, secretsProvider }).filter(
      ([, value]) => !enabled && value !== undefined,
    );
    const message = "has no effect: 'enabled' is not true, so the files are not tamper-evident";
    return [
      ...fileRemarks(config),
      ...unused.map(([name]) => ({ at: ['security', name], code: 'no-effect' as const, message })),
    ];
  },
  async options(config, { resolve }, fieldsOf) {
    const { quoteChar: quote, delimiterChar: delimiter, endOfLineSymbols } = config.formatting;
    const { enabled, secretsProvider, secretId: id, signatureInterval } = config.security;
    const secrets: Uint8Array[] = [];
    if (enabled && secretsProvider !== undefined && id !== undefined) {
      for (const secret of await resolve(secretsProvider).valid(id)) secrets.push(secret.reveal());
      if (secrets.length === 0 || secrets.some(({ length }) => length < LEAST_SECRET)) {
        throw new Error(`the secret '${id}' of tamper-evident files is shorter than ${LEAST_SECRET} bytes`);
      }
    }
    const options: CsvOptions = {
      ...fileOptions(config),
      layout: { quote, delimiter, endOfLine: endOfLineSymbols },
      fields: Object.fromEntries(config.topics.map((topic) => [topic, fieldsOf(topic)])),
      security: enabled ? { secrets, signatureInterval: signatureInterval.milliseconds } : null,
    };
    return options;
  },
});
