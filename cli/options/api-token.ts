import { readFileSync } from 'node:fs';

/** Variable with the token of the caller, for programs that have no file for it. */
export const TOKEN_VARIABLE = 'GATEWARDEN_TOKEN';

/** Returns the token of the caller; null for none. A token is never an argument: other users see those. */
export function callersToken(file: string | undefined): string | null {
  const text = file === undefined ? (process.env[TOKEN_VARIABLE] ?? '') : readFileSync(file, 'utf8');
  const token = text.trim();
  if (token === '') {
    if (file !== undefined) throw new Error(`the file ${file} holds no token`);
    return null;
  }
  if (/[^\x21-\x7e]/.test(token)) throw new Error('the token holds characters that a header cannot have');
  return token;
}
