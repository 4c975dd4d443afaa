import type { Secret } from '../../../contract/secret.ts';
import { formEncoded } from './form-encoding.ts';

/** The `Authorization` of Basic authentication (RFC 7617); `encoded` as OAuth wants it, each part written as in a form. */
export function basicCredentials(name: string, password: Secret, encoded: boolean): string {
  const parts = encoded
    ? [Buffer.from(`${formEncoded(name)}:${formEncoded(password.reveal())}`)]
    : [Buffer.from(`${name}:`), password.reveal()];
  return `Basic ${Buffer.concat(parts).toString('base64')}`;
}
