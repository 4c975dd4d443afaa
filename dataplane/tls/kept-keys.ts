import { createSecureContext } from 'node:tls';
import type { KeyManager, SecretsProvider, TlsKey } from '../heap/objects/secrets.ts';
import type { Complaints } from './complaints.ts';
import { NOBODY, withContextOptions } from './context-options.ts';
import { canBeShown, type TlsRules } from './options/tls-rules.ts';
import type { ServerKeys } from './server-contexts.ts';

/** Servers that clients ask for by name, and where their keys are. */
export interface NamedServers {
  /** Secret ids by server name in lower case. */
  readonly serverNames: ReadonlyMap<string, string>;
  readonly defaultSecretId: string;
  readonly secretsProvider: SecretsProvider;
}

/** Where the keys of a listener are: with managers, or by the name of the server. */
export type KeySource = readonly KeyManager[] | NamedServers;

/**
 * The keys of a listener. Where there is no good one any more the last one is used, because a client can tell for itself
 * whether it is still good, and the others are renewed all the same.
 */
export class KeptKeys {
  private readonly source: KeySource;
  private readonly rules: TlsRules;
  private readonly complaints: Complaints;
  private readonly last = new Map<string, readonly TlsKey[]>();
  private made: ServerKeys | null = null;

  constructor(source: KeySource, rules: TlsRules, complaints: Complaints) {
    this.source = source;
    this.rules = rules;
    this.complaints = complaints;
  }

  /** The same object while nothing changes. @throws what is wrong with a key that never was good. */
  async current(): Promise<ServerKeys> {
    const found = await this.found();
    if (this.made === null || keysText(found) !== keysText(this.made)) this.made = found;
    return this.made;
  }

  private async found(): Promise<ServerKeys> {
    const { source } = this;
    if (!('secretsProvider' in source)) {
      const read = async (manager: KeyManager): Promise<readonly TlsKey[]> => {
        const keys = await manager.keys();
        if (source.length === 1) this.proveType(keys);
        return keys;
      };
      const all = await Promise.all(source.map((manager, at) => this.kept(`manager ${at}`, () => read(manager))));
      const standard = all.flat();
      if (this.made === null) this.proveType(standard); // of several, one may be enough
      return { standard, byName: new Map() };
    }
    const { serverNames, defaultSecretId, secretsProvider } = source;
    const ids = [...new Set([defaultSecretId, ...serverNames.values()])];
    const read = async (id: string): Promise<readonly TlsKey[]> => {
      const keys = await keysAt(secretsProvider, id);
      this.proveType(keys);
      return keys;
    };
    const keys = await Promise.all(ids.map((id) => this.kept(id, () => read(id))));
    const byId = new Map(ids.map((id, at) => [id, keys[at]!]));
    return {
      standard: byId.get(defaultSecretId)!,
      byName: new Map([...serverNames].map(([name, id]) => [name, byId.get(id)!])),
    };
  }

  private async kept(place: string, read: () => Promise<readonly TlsKey[]>): Promise<readonly TlsKey[]> {
    const before = this.last.get(place);
    try {
      const keys = await read();
      if (before === undefined || prints(keys) !== prints(before)) this.prove(keys);
      this.last.set(place, keys);
      this.complaints.settled(place);
      return keys;
    } catch (error) {
      if (before === undefined) throw error;
      this.complaints.tell(place, error, 'TLS key not found any more; still using the last one');
      return before;
    }
  }

  /** @throws when no client could ever be shown one of these keys. */
  private proveType(keys: readonly TlsKey[]): void {
    const types = keys.map(({ privateKey }) => privateKey.asymmetricKeyType ?? '');
    if (types.some((type) => canBeShown(this.rules, type))) return;
    const [own] = keys.map(({ certificates: [first] }) => first?.subject.replaceAll('\n', ', '));
    throw new Error(`the key of ${own} cannot be used: no cipher suite is for one of the type ${types.join(', ')}`);
  }

  /** @throws what OpenSSL holds against these keys, such as that they are too short. */
  private prove(keys: readonly TlsKey[]): void {
    try {
      withContextOptions({ rules: this.rules, keys, trust: NOBODY }, createSecureContext);
    } catch (error) {
      const [own] = keys.map(({ certificates: [first] }) => first?.subject.replaceAll('\n', ', '));
      const reason = (error as { readonly reason?: unknown }).reason;
      throw new Error(
        `the key of ${own} cannot be used: ${typeof reason === 'string' ? reason : 'OpenSSL refuses it'}`,
      );
    }
  }
}

async function keysAt(provider: SecretsProvider, id: string): Promise<readonly TlsKey[]> {
  const found = (await provider.keys('sign', id)).filter(({ certificates }) => certificates.length > 0);
  if (found.length === 0) throw new Error(`the key '${id}' has no certificate`);
  return found.map(({ key: privateKey, certificates }) => ({ privateKey, certificates }));
}

/** The same text for the same certificates under the same names. */
function keysText({ standard, byName }: ServerKeys): string {
  return JSON.stringify([prints(standard), [...byName].map(([name, keys]) => [name, prints(keys)])]);
}

/** The same text for the same certificates. */
function prints(keys: readonly TlsKey[]): string {
  return JSON.stringify(keys.map(({ certificates }) => certificates.map((one) => one.fingerprint256)));
}
