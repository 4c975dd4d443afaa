import { createHmac } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { errorCode } from '../../../../platform/error-code.ts';
import { isSameMac } from './csv-chain.ts';

/** What the file beside a tamper-evident file says. */
export type CsvState =
  | { readonly kind: 'none' }
  /** Not written with any of the secrets. */
  | { readonly kind: 'foreign' }
  /** Code of the row that was last known to be in the file. */
  | { readonly kind: 'known'; readonly mac: string };

const NAME = '.state';

/** Path of the state of a file. */
export function statePath(path: string): string {
  return `${path}${NAME}`;
}

/** Reads the state of a file. @throws an error of the file system */
export async function readCsvState(path: string, secrets: readonly Uint8Array[]): Promise<CsvState> {
  let text: string;
  try {
    text = await readFile(statePath(path), 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { kind: 'none' };
    throw error;
  }
  const [mac = '', seal = ''] = text.trimEnd().split(' ');
  const isOwn = secrets.some((secret) => isSameMac(seal, sealOf(secret, mac)));
  return isOwn ? { kind: 'known', mac } : { kind: 'foreign' };
}

/** Notes the code of the last row, in one step. @throws an error of the file system */
export async function writeCsvState(path: string, secret: Uint8Array, mac: string): Promise<void> {
  const target = statePath(path);
  const part = `${target}.part`;
  await rm(part, { force: true });
  await writeFile(part, `${mac} ${sealOf(secret, mac)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(part, target);
}

function sealOf(secret: Uint8Array, mac: string): string {
  return createHmac('sha256', secret).update(`gatewarden audit csv state\0${mac}`).digest('base64');
}
