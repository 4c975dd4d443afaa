import { accessSync, constants } from 'node:fs';
import { makeDirectory } from '../../dataplane/services/made-directory.ts';
import { errorText } from '../../platform/error-text.ts';

/** Makes the directory for temporary files if it is missing. @throws Error when no files can be made there. */
export function makeTemporaryDirectory(path: string): void {
  try {
    makeDirectory(path);
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = errorText(error);
    throw new Error(`temporaryDirectory of admin.json, ${path}, cannot be used: ${reason}`);
  }
}
