import type { JsonObject } from '../../../contract/document/json-value.ts';

/** A store with these secrets in it, as a document declares it. */
export function inlineSecrets(secrets: Readonly<Record<string, string | Uint8Array>>): JsonObject {
  const encoded = Object.entries(secrets).map(([id, value]) => [id, Buffer.from(value).toString('base64')]);
  return { type: 'Base64EncodedSecretStore', config: { secrets: Object.fromEntries(encoded) } };
}
