import { z } from 'zod';
import { duration, flag, integer } from '../../../../contract/vocabulary/configured.ts';
import { auditHandler } from '../audit-handler.ts';
import { fileFields, fileOptions, fileRemarks } from '../file/file-fields.ts';
import { handlerFields } from '../handler-fields.ts';
import type { JsonFileOptions } from './json-file-sink.ts';

/** Most events of one write, however many are allowed. */
const MOST_EVENTS = 5000;

/** Events as lines of files. */
export const jsonAuditEventHandler = auditHandler({
  className: 'JsonAuditEventHandler',
  summary:
    'Appends events to the file `TOPIC.audit.json` in `logDirectory`, one line of JSON each. Characters that end a ' +
    'line or act on a terminal are escaped. Files have the mode 0600. An event counts as delivered when the operating ' +
    'system has taken it. On a full disk events wait, and the file never keeps a part of a line; a line that a killed ' +
    'process left unfinished is closed off. A file that is renamed or removed, for example by logrotate, is begun anew. It answers queries; each query reads all files of its topic.',
  operatorOnly: 'it writes files of the data plane',
  config: z.strictObject({
    ...handlerFields(),
    ...fileFields(),
    elasticsearchCompatible: flag()
      .default(false)
      .describe('Whether `_id` is written as `_eventId`, because Elasticsearch has an `_id` of its own.'),
    buffering: z
      .strictObject({
        maxSize: integer({ min: 1 })
          .default(100_000)
          .describe(`Maximum number of events in one write, at most ${MOST_EVENTS}. \`queue\` limits those that wait.`),
        writeInterval: duration({ zero: true, max: '1 minute' }).prefault('5 ms').describe('Time between two writes.'),
      })
      .prefault({})
      .describe('How many events are written at once.'),
  }),
  examples: [
    {
      title: 'A new file each day and after 100 MiB, for at most 30 files',
      config: {
        name: 'files',
        topics: ['access'],
        logDirectory: '/var/log/gatewarden',
        fileRotation: { rotationEnabled: true, maxFileSize: 104_857_600, rotationTimes: ['0 seconds'] },
        fileRetention: { maxNumberOfHistoryFiles: 30 },
      },
    },
  ],
  remarks(config) {
    return fileRemarks(config);
  },
  options(config) {
    const { elasticsearchCompatible, buffering } = config;
    const options: JsonFileOptions = {
      ...fileOptions(config),
      topics: config.topics,
      elasticsearchCompatible,
      mostEvents: Math.min(buffering.maxSize, MOST_EVENTS),
      writeInterval: buffering.writeInterval.milliseconds,
    };
    return options;
  },
});
