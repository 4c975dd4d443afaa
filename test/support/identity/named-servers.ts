import type { KeyUsage } from '../../../dataplane/heap/objects/secrets.ts';
import type { NamedServers } from '../../../dataplane/tls/kept-keys.ts';
import type { Certified } from './certificates.ts';
import { tlsKey } from './changing-tls-secrets.ts';

/** Servers by name, each with keys under an id of the same name; `own` are the keys for all others. */
export function namedServers(
  own: readonly Certified[],
  servers: Readonly<Record<string, readonly Certified[]>>,
): NamedServers {
  const byId = new Map(Object.entries({ ...servers, own }));
  const keys = async (_usage: string, id: string) =>
    byId.get(id)!.map((certified) => {
      const { privateKey: key, certificates } = tlsKey(certified);
      return {
        kind: 'key' as const,
        stableId: id,
        key,
        certificates,
        usages: new Set<KeyUsage>(),
        algorithm: null,
        revocations: [],
      };
    });
  const unused = (): never => {
    throw new Error('only keys are asked for');
  };
  const rest = { active: unused, valid: unused, key: unused, named: unused, watch: () => () => {} };
  const serverNames = new Map(Object.keys(servers).map((name) => [name, name]));
  return { serverNames, defaultSecretId: 'own', secretsProvider: { keys, ...rest } };
}
