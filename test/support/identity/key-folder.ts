import type { KeyObject } from 'node:crypto';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { secretFolder } from './secret-folder.ts';

/** A secret key and the algorithm that it is for, as Java calls it. */
export interface SymmetricKey {
  readonly bytes: Buffer;
  readonly algorithm: 'AES' | 'HmacSHA256' | 'HmacSHA384' | 'HmacSHA512';
}

/** A store of files with these keys, by their ids, as a document declares it. */
export function keyFolder(keys: Readonly<Record<string, KeyObject | SymmetricKey>>): JsonObject {
  const files: Record<string, string | Uint8Array> = {};
  const mappings: JsonObject[] = [];
  for (const [secretId, key] of Object.entries(keys)) {
    if ('bytes' in key) {
      files[secretId] = key.bytes;
      const config = { format: 'PLAIN', algorithm: key.algorithm };
      mappings.push({ secretId, format: { type: 'SecretKeyPropertyFormat', config } });
    } else {
      const type = key.type === 'private' ? 'pkcs8' : 'spki';
      files[secretId] = key.export({ type, format: 'pem' });
      mappings.push({ secretId, format: { type: 'PemPropertyFormat' } });
    }
  }
  return { type: 'FileSystemSecretStore', config: { directory: secretFolder(files), mappings } };
}
