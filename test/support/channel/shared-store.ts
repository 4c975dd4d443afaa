import type { JsonObject } from '../../../contract/document/json-value.ts';
import { sharedResourceHash } from '../../../contract/shared-resources.ts';
import type { SharedObjects, SourceVersion } from '../../../contract/snapshot.ts';

/** A SecretStore as data planes get it, with one file `key` of this content. */
export function sharedStore(
  name: string,
  content: string,
  config: JsonObject = { format: 'PLAIN' },
  sources: readonly SourceVersion[] = [],
): SharedObjects {
  const resource = {
    type: 'objects',
    key: `SecretStore/${name}`,
    objects: [{ name, type: 'FileSystemSecretStore', config: { ...config, directory: name } }],
    files: { [`${name}/key`]: Buffer.from(content).toString('base64') },
  } as const;
  return { ...resource, hash: sharedResourceHash(resource), ...(sources.length > 0 && { sources }) };
}
