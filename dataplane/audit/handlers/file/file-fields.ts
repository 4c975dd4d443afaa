import { z } from 'zod';
import { ValueProblem } from '../../../../contract/problem.ts';
import { duration, flag, integer, readConfigured, wrongType } from '../../../../contract/vocabulary/configured.ts';
import { leaf } from '../../../../contract/vocabulary/leaf.ts';
import type { Remark } from '../../../heap/definition.ts';
import { operatorPath } from '../../../heap/operator-path.ts';
import type { FileOptions } from './file-options.ts';
import { isPath, readRotationSuffix } from './rotation-suffix.ts';

const DEFAULT_SUFFIX = '-yyyy.MM.dd-HH.mm.ss';
const DAY = 86_400_000;

const suffixField = () =>
  leaf('configuration expression<date pattern>', { type: 'string' }, (value) =>
    readConfigured(value, (text) => {
      if (typeof text !== 'string') throw wrongType('a date pattern', text);
      readRotationSuffix(text);
      return text;
    }),
  );

const prefixField = () =>
  leaf('configuration expression<string>', { type: 'string' }, (value) =>
    readConfigured(value, (text) => {
      if (typeof text !== 'string') throw wrongType('a string', text);
      if (isPath(text)) throw new ValueProblem('value', "must not contain '/' or control characters");
      return text;
    }),
  );

/** A size in bytes, or -1 for no limit. */
const limit = () => integer({ min: -1 }).default(-1);

/** Fields of handlers that write files. */
export const fileFields = () => ({
  logDirectory: operatorPath().describe('Directory of the files, made if it is missing.'),
  fileRotation: z
    .strictObject({
      rotationEnabled: flag().default(false).describe('Whether files are rotated: put aside under another name.'),
      maxFileSize: limit().describe('Rotates a file before it exceeds this size in bytes; -1 for no limit.'),
      rotationFilePrefix: prefixField().default('').describe('Text before the name of a rotated file.'),
      rotationFileSuffix: suffixField()
        .default(DEFAULT_SUFFIX)
        .describe(
          'Date pattern after the name of a rotated file, in the time zone of the process: `y`, `M`, `d`, `H`, `m`, ' +
            '`s` and `S`; text in single quotes. A name that exists gets a number.',
        ),
      rotationInterval: duration({ zero: true, unlimited: true })
        .prefault('disabled')
        .describe('Rotates a file of this age; `disabled` for no limit.'),
      rotationTimes: z
        .array(duration({ zero: true, max: '1 day' }))
        .max(1000)
        .default([])
        .describe('Rotates files at these times of the day, as durations after midnight.'),
    })
    .prefault({})
    .describe('Rotation of the files.'),
  fileRetention: z
    .strictObject({
      maxNumberOfHistoryFiles: limit().describe('Maximum number of rotated files for each topic; -1 for no limit.'),
      maxDiskSpaceToUse: limit().describe(
        'Maximum size of all files of a topic together, in bytes; -1 for no limit. Only rotated files are deleted.',
      ),
      minFreeSpaceRequired: limit().describe(
        'Free space of the file system in bytes under which rotated files are deleted; -1 for none.',
      ),
    })
    .prefault({})
    .describe('Deletes the oldest rotated files.'),
  rotationRetentionCheckInterval: duration({ max: '1 day' })
    .prefault('5 seconds')
    .describe('Interval at which the age of files, their size together and the free space are checked.'),
});

const fields = z.strictObject(fileFields());
type FileFields = z.output<typeof fields>;

/** The same as plain data. */
export function fileOptions(config: FileFields): FileOptions {
  const { rotationEnabled, maxFileSize, rotationFilePrefix, rotationFileSuffix, rotationInterval, rotationTimes } =
    config.fileRotation;
  const { maxNumberOfHistoryFiles, maxDiskSpaceToUse, minFreeSpaceRequired } = config.fileRetention;
  const isTimed = !rotationInterval.zero && !rotationInterval.unlimited;
  return {
    directory: config.logDirectory,
    checkInterval: Math.max(1, config.rotationRetentionCheckInterval.milliseconds),
    rotation: rotationEnabled
      ? {
          maxFileSize: maxFileSize > 0 ? maxFileSize : null,
          prefix: rotationFilePrefix,
          suffix: rotationFileSuffix,
          interval: isTimed ? Math.max(1, rotationInterval.milliseconds) : null,
          times: rotationTimes.map(({ milliseconds }) => milliseconds % DAY),
        }
      : null,
    retention: {
      maxFiles: maxNumberOfHistoryFiles < 0 ? null : maxNumberOfHistoryFiles,
      maxBytes: maxDiskSpaceToUse < 0 ? null : maxDiskSpaceToUse,
      minFreeBytes: minFreeSpaceRequired < 0 ? null : minFreeSpaceRequired,
    },
  };
}

/** Warnings about rotation and retention that have nothing to act on. */
export function fileRemarks(config: FileFields): Remark[] {
  const { rotation, retention } = fileOptions(config);
  if (rotation === null) {
    const limits = Object.values(retention).some((one) => one !== null);
    if (!limits) return [];
    const message = "deletes rotated files only, and rotation is off: set 'fileRotation.rotationEnabled'";
    return [{ at: ['fileRetention'], code: 'no-effect', message }];
  }
  if (rotation.maxFileSize !== null || rotation.interval !== null || rotation.times.length > 0) return [];
  const message = "has no effect: give one of 'maxFileSize', 'rotationInterval' and 'rotationTimes'";
  return [{ at: ['fileRotation', 'rotationEnabled'], code: 'no-effect', message }];
}
