import { tmpdir } from 'node:os';
import { z } from 'zod';
import { integer } from '../../contract/vocabulary/configured.ts';
import { noEffect } from '../../contract/vocabulary/field-notes.ts';
import { errorText } from '../../platform/error-text.ts';
import { defineService } from '../heap/definition.ts';
import { operatorPath } from '../heap/operator-path.ts';
import { makeDirectory } from './made-directory.ts';
import { SpillingStorage } from './spilling-storage.ts';
import { TEMPORARY_FILES_MEMORY, TemporaryFiles } from './temporary-files.ts';

const KIBIBYTE = 1024;
const GIBIBYTE = 1024 ** 3;
/** What messages may take together where nobody says how much one may: files cost more than ten times as much. */
const SPARE = 16 * 1024 ** 2;

/** Keeps the content of messages that cannot be passed on at once. */
export const temporaryStorage = defineService({
  type: 'TemporaryStorage',
  kind: 'temporaryStorage',
  summary:
    'Buffers the content of messages: in memory up to a limit, beyond it in a file. Only the gateway can open ' +
    'the files. They have no name in the directory once they are open, so no file is left behind after a crash. ' +
    'Every configuration has one named `TemporaryStorage`.',
  config: z.strictObject({
    initialLength: noEffect(integer({ min: 1 }), 'memory is taken as content arrives, and none before').describe(
      'Size of a new buffer in bytes.',
    ),
    memoryLimit: integer({ min: 1 })
      .optional()
      .describe(
        'Maximum size of one message in memory; by default 65536 bytes, and more while all messages of a gateway ' +
          'unit together use at most 16 MB.',
      ),
    fileLimit: integer({ min: 1 })
      .default(GIBIBYTE)
      .describe(
        'Maximum size of one message in a file, in bytes; a larger message is rejected. All temporary files of the ' +
          'data plane together have the limit `temporaryFileBytes` of docs/limits.md.',
      ),
    directory: operatorPath()
      .optional()
      .describe('Directory of the files, made if it is missing; by default the temporary directory of the instance.'),
  }),
  examples: [
    {
      title: 'A megabyte in memory, then files of at most 100 MB',
      config: { memoryLimit: 1048576, fileLimit: 104857600 },
    },
  ],
  create({ memoryLimit: given, fileLimit, directory }, { onClose, plane }) {
    const memoryLimit = given ?? 64 * KIBIBYTE;
    if (directory !== undefined) makeForFiles(directory);
    const memory = plane.sharedMemory('temporary files', TEMPORARY_FILES_MEMORY);
    const storage = new SpillingStorage({
      files: new TemporaryFiles(memory, plane.unit ?? 0),
      memoryLimit,
      spare: given === undefined ? SPARE : 0,
      limit: Math.max(memoryLimit, fileLimit),
      directory: directory ?? plane.temporaryDirectory ?? plane.reach.directories?.temp ?? tmpdir(),
    });
    onClose(() => storage.close());
    return storage;
  },
});

function makeForFiles(directory: string): void {
  try {
    makeDirectory(directory);
  } catch (error) {
    const reason = errorText(error);
    throw new Error(`its directory ${directory} cannot be made: ${reason}`);
  }
}
