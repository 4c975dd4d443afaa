import type { z } from 'zod';
import { ValueProblem } from '../../contract/problem.ts';
import type { Reach } from '../../contract/reach.ts';
import { readConfigured, wrongType } from '../../contract/vocabulary/configured.ts';
import { leaf } from '../../contract/vocabulary/leaf.ts';
import { theReading } from '../../contract/vocabulary/reading.ts';

/** The path of a file that a store reads: an operator's on the machine of the plane, a tenant's among its own files. */
export function storeFile(): z.ZodType<string, unknown> {
  return storePath((reach, path) => reach.readFile(path) !== null);
}

/** The same for a directory. */
export function storeDirectory(): z.ZodType<string, unknown> {
  return storePath((reach, path) => reach.listDirectory(path) !== null);
}

function storePath(isThere: (reach: Reach, path: string) => boolean): z.ZodType<string, unknown> {
  return leaf('configuration expression<path>', { type: 'string', minLength: 1 }, (value) =>
    readConfigured(value, (path) => {
      if (typeof path !== 'string' || path === '') throw wrongType('a path', path);
      const { reach } = theReading();
      if (reach.origin !== 'tenant' || isThere(reach, path)) return path;
      const hint = 'files of Kubernetes Secrets are those of a SecretStore, to which routes refer by its name';
      throw new ValueProblem(
        'not-allowed',
        'is for operators only: it is a path on the machine of the data plane',
        hint,
      );
    }),
  );
}
