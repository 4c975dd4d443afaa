import { z } from 'zod';
import { defineService } from '../heap/definition.ts';
import { leaseExpiry, leaseMilliseconds, leaseRemarks } from './lease.ts';
import { LeasedStore } from './leased-store.ts';
import { storedValues } from './stored-values.ts';
import { formatFields, formatsOf } from './value-formats.ts';

/** Secrets in system properties and environment variables. */
export const systemAndEnvSecretStore = defineService({
  type: 'SystemAndEnvSecretStore',
  kind: 'secretStore',
  summary:
    'Reads secrets from the system properties (`-Dname=value`) and then from the environment of the gateway. The ' +
    'name of a property is the secret id. The name of a variable is the id in upper case with `_` for `.` and ' +
    '`-`: `am.agent` is `AM_AGENT`. Values are in base64 unless `format` says otherwise.',
  operatorOnly: 'it reads the environment of the data plane',
  config: z.strictObject({ ...formatFields, leaseExpiry: leaseExpiry() }),
  examples: [
    { title: 'Variables with plain passwords', config: { format: 'PLAIN' } },
    {
      title: 'A key in PEM, everything else in base64',
      config: { mappings: [{ secretId: 'tls.key', format: { type: 'PemPropertyFormat' } }] },
    },
  ],
  remarks: (config) => leaseRemarks(config.leaseExpiry),
  create(config, parts) {
    const { name, log, onClose, plane } = parts;
    const valueAt = (id: string): Uint8Array | null => {
      const value = plane.reach.system(id) ?? plane.reach.env(variableOf(id));
      return value === undefined ? null : Buffer.from(value);
    };
    const source = {
      ...storedValues({ store: name, valueAt, formatOf: formatsOf(config, parts) }),
      absence: (id: string) => `there is neither a system property '${id}' nor a variable '${variableOf(id)}'`,
    };
    const store = new LeasedStore({ name, source, lease: leaseMilliseconds(config.leaseExpiry), log });
    onClose(() => store.close());
    return store;
  },
});

function variableOf(id: string): string {
  return id.toUpperCase().replace(/[.-]/g, '_');
}
