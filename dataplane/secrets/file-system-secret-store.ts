import { join } from 'node:path';
import { z } from 'zod';
import type { Reach } from '../../contract/reach.ts';
import { text } from '../../contract/vocabulary/configured.ts';
import { unavailable } from '../../contract/vocabulary/field-notes.ts';
import { defineService } from '../heap/definition.ts';
import { UnreadableSecret } from '../heap/objects/secrets.ts';
import { autoRefresh, refreshing } from './auto-refresh.ts';
import { leaseExpiry, leaseMilliseconds, leaseRemarks } from './lease.ts';
import { LeasedStore } from './leased-store.ts';
import { storeDirectory } from './store-path.ts';
import { storedValues } from './stored-values.ts';
import { formatFields, formatsOf } from './value-formats.ts';

/** Secrets in the files of a directory. */
export const fileSystemSecretStore = defineService({
  type: 'FileSystemSecretStore',
  kind: 'secretStore',
  summary:
    'Reads secrets from the files of a directory, one secret per file. The name of a file is the secret id plus ' +
    'the suffix. Files contain base64 unless `format` says otherwise; with `PLAIN` every byte counts, including ' +
    'a line break at the end. Changed, replaced and removed files are detected at once, also when Kubernetes ' +
    'updates a mounted Secret. If a changed file cannot be read, the previous value is used until its lease ' +
    'expires.',
  config: z.strictObject({
    directory: storeDirectory().describe('Directory of the files.'),
    ...formatFields,
    suffix: text({ allowEmpty: true })
      .refine((suffix) => !suffix.includes('/'), 'must be the end of a file name, without a slash')
      .default('')
      .describe('Suffix of the file names, after the secret id.'),
    leaseExpiry: leaseExpiry(),
    autoRefresh: autoRefresh('Detects changes of the files.'),
    versionSuffix: unavailable('string').describe('Suffix of the names of versioned files, after the secret id.'),
  }),
  examples: [
    {
      title: 'Plain passwords, and a TLS key with its certificates',
      config: {
        directory: '/etc/gatewarden/secrets',
        format: 'PLAIN',
        mappings: [{ secretId: 'server.tls', format: { type: 'PemPropertyFormat' } }],
      },
    },
  ],
  remarks: (config) => leaseRemarks(config.leaseExpiry),
  create(config, parts) {
    const { name, log, onClose, plane } = parts;
    const { directory, suffix } = config;
    if (plane.reach.listDirectory(directory) === null) throw new Error(`the directory '${directory}' cannot be read`);
    const valueAt = (id: string): Uint8Array | null => fileContent(plane.reach, directory, id, suffix, name);
    const source = {
      ...storedValues({ store: name, valueAt, formatOf: formatsOf(config, parts) }),
      absence: (id: string) => `there is no file '${join(directory, `${id}${suffix}`)}'`,
    };
    const store = new LeasedStore({ name, source, lease: leaseMilliseconds(config.leaseExpiry), log });
    onClose(() => store.close());
    if (!config.autoRefresh.enabled) return store;
    refreshing(config.autoRefresh.executor, directory, () => store.changed(), parts);
    return store;
  },
});

/** Null when there is no such file; one that is there and cannot be read is something else. */
function fileContent(reach: Reach, directory: string, id: string, suffix: string, store: string): Uint8Array | null {
  const file = `${id}${suffix}`;
  if (!/^[\w-]+(?:\.[\w-]+)*$/.test(id)) throw new UnreadableSecret(id, store, 'it is not a secret id');
  const path = join(directory, file);
  const content = reach.readFile(path);
  if (content !== null) return content;
  const names = reach.listDirectory(directory);
  if (names === null) throw new UnreadableSecret(id, store, `the directory '${directory}' cannot be read`);
  if (names.includes(file)) throw new UnreadableSecret(id, store, `the file '${path}' cannot be read`);
  return null;
}
