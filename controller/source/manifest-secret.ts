import { Buffer } from 'node:buffer';
import { isJsonObject, type JsonObject } from '../../contract/document/json-value.ts';
import type { Problem } from '../../contract/problem.ts';
import { CONSENT, CONSENT_LABEL, type SecretContent } from '../../contract/resources/resource.ts';

/** Content of a Secret in a manifest; its values are never printed. */
export interface ManifestSecret {
  readonly type: string;
  readonly data: SecretContent['data'];
  readonly problems: readonly Problem[];
}

/** Reads a Secret: `data` in base64, over which `stringData` wins. Without consent its data is not kept. */
export function manifestSecret({ metadata, type: given, data, stringData }: JsonObject): ManifestSecret {
  const problems: Problem[] = [];
  const type = typeof given === 'string' ? given : 'Opaque';
  const labels = isJsonObject(metadata) ? metadata['labels'] : undefined;
  if (!isJsonObject(labels) || labels[CONSENT_LABEL] !== CONSENT) return { type, data: null, problems };
  const values = new Map<string, Uint8Array>();
  for (const [key, text] of Object.entries(isJsonObject(data) ? data : {})) {
    const bytes = typeof text === 'string' ? Buffer.from(text, 'base64') : null;
    if (bytes !== null && bytes.toString('base64') === text) values.set(key, bytes);
    else problems.push({ code: 'value', severity: 'error', path: ['data', key], message: 'must be a text in base64' });
  }
  for (const [key, text] of Object.entries(isJsonObject(stringData) ? stringData : {})) {
    if (typeof text === 'string') values.set(key, Buffer.from(text));
    else problems.push({ code: 'value', severity: 'error', path: ['stringData', key], message: 'must be a text' });
  }
  return { type, data: values, problems };
}
