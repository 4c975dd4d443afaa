import { basename } from 'node:path';
import type { RotationOptions } from './file-options.ts';
import { readRotationSuffix } from './rotation-suffix.ts';

/** Tells the names of files that were put aside for a file from all others; null where none ever are. */
export function rotatedNames(path: string, rotation: RotationOptions | null): RegExp | null {
  if (rotation === null) return null;
  const name = RegExp.escape(`${rotation.prefix}${basename(path)}`);
  return new RegExp(`^${name}${readRotationSuffix(rotation.suffix).matching}(?:\\.\\d+)?$`);
}
