import type { Logger } from 'pino';
import { Secret } from '../../contract/secret.ts';
import type { PropertyFormat, StoredSecret } from '../heap/objects/secrets.ts';
import { base64Bytes } from './base64-bytes.ts';

const LINE_FEED = 0x0a;

/** The value as it stands. */
export function plainFormat(log: Logger): PropertyFormat {
  return {
    async decode(id, value) {
      if (value.at(-1) === LINE_FEED) {
        log.warn({ secretId: id }, 'secret value ends with a line break, which is part of the secret');
      }
      return generic(id, value);
    },
  };
}

/** The bytes that the value writes in base64. */
export const base64Format: PropertyFormat = {
  async decode(id, value) {
    const bytes = base64Bytes(Buffer.from(value).toString('latin1'));
    if (bytes === null) throw new Error(notBase64(value));
    if (bytes.length === 0) throw new Error('it is empty');
    return generic(id, bytes);
  },
};

/** What somebody who forgot `format` is told; nothing of the value is in it. */
function notBase64(value: Uint8Array): string {
  return Buffer.from(value).includes('-----BEGIN ')
    ? "it is PEM and not base64: its 'format' has to be a PemPropertyFormat"
    : "it is not base64, and its 'format' is not PLAIN";
}

function generic(id: string, bytes: Uint8Array): readonly StoredSecret[] {
  return [{ kind: 'generic', stableId: id, bytes: new Secret(bytes) }];
}
