import type { Logger } from 'pino';
import type { KeyManager, SecretsProvider, TlsKey, Trust, TrustManager } from '../heap/secrets.ts';
import type { ServerTls } from '../heap/tls.ts';
import type { Protocol } from '../http/connect.ts';
import type { Accepted, HandshakeFault, HandshakeOwner, TicketKeys } from '../http/secure-transport.ts';
import { alpnList } from './alpn.ts';
import type { ClientAuth } from './client-authentication.ts';
import { joinedTrust, trustText } from './context-options.ts';
import { beginPublicHandshake } from './public-server-handshake.ts';
import { ServerContexts, type ServerKeys } from './server-contexts.ts';
import { ServerHandshake } from './server-handshake.ts';
import { ChangingTicketKeys } from './ticket-keys.ts';
import type { TlsRules } from './tls-rules.ts';

/** Servers that clients ask for by name, and where their keys are. */
export interface NamedServers {
  /** Secret ids by server name in lower case. */
  readonly serverNames: ReadonlyMap<string, string>;
  readonly defaultSecretId: string;
  readonly secretsProvider: SecretsProvider;
}

/** What TLS from clients is made of. */
export interface ServerTlsParts {
  /** Where the keys are: with managers, or by the name of the server. */
  readonly keys: readonly KeyManager[] | NamedServers;
  readonly trustManagers: readonly TrustManager[];
  readonly clientAuth: ClientAuth;
  readonly rules: TlsRules;
  readonly alpn: boolean;
  readonly log: Logger;
  onClose(release: () => void): void;
}

/** TLS from clients by key and trust managers, whose changes count for new connections. */
export class ServerTransport implements ServerTls {
  readonly asksForCertificate: boolean;
  private readonly parts: ServerTlsParts;
  private tickets: TicketKeys | null = null;
  private contexts: ServerContexts | null = null;
  private keys: ServerKeys | null = null;
  private trust: Trust | null = null;
  private renewing: Promise<void> | null = null;
  private isStale = false;
  private lists: [readonly Protocol[], Buffer] | null = null;

  constructor(parts: ServerTlsParts) {
    this.parts = parts;
    this.asksForCertificate = parts.clientAuth !== 'NONE';
  }

  async prepare(tickets: TicketKeys | null): Promise<void> {
    if (this.tickets === null) {
      this.tickets = tickets ?? new ChangingTicketKeys();
      const { keys, trustManagers, onClose } = this.parts;
      for (const watched of [...('secretsProvider' in keys ? [keys.secretsProvider] : keys), ...trustManagers]) {
        onClose(watched.watch(() => this.changed()));
      }
    }
    await this.renew();
    if (this.contexts === null) throw new Error('the trust managers cannot say whom clients have to be issued by');
  }

  begin(accepted: Accepted, early: Buffer | null, protocols: readonly Protocol[], owner: HandshakeOwner): () => void {
    const { contexts } = this;
    const { clientAuth, alpn } = this.parts;
    const isHandle = 'useUserBuffer' in accepted;
    if (contexts === null) {
      if (isHandle) accepted.close();
      else accepted.destroy();
      this.changed(); // it may be known by now
      owner.unsecured('unavailable', 'it cannot be said whom clients have to be issued by');
      return () => {};
    }
    if (!isHandle) return beginPublicHandshake(accepted, early, contexts, clientAuth, alpn ? protocols : null, owner);
    const list = alpn ? this.listOf(protocols) : null;
    const handshake = new ServerHandshake(accepted, contexts, clientAuth, list, owner);
    handshake.begin(accepted, early);
    return handshake.stop;
  }

  private listOf(protocols: readonly Protocol[]): Buffer {
    if (this.lists?.[0] !== protocols) this.lists = [protocols, alpnList(protocols)];
    return this.lists[1];
  }

  noteFailure(fault: HandshakeFault, detail: string, remote: string): void {
    this.parts.log.debug({ remote, reason: fault, detail }, 'a TLS handshake with a client failed');
  }

  private changed(): void {
    this.renew().catch((error: unknown) => {
      this.parts.log.error({ err: error }, 'the TLS of a connector cannot be renewed');
    });
  }

  private renew(): Promise<void> {
    this.isStale = true;
    this.renewing ??= this.renewWhileStale().finally(() => {
      this.renewing = null;
    });
    return this.renewing;
  }

  private async renewWhileStale(): Promise<void> {
    while (this.isStale) {
      this.isStale = false;
      const keys = await this.currentKeys();
      const trust = await this.currentTrust();
      if (trust === undefined) this.contexts = null;
      else if (this.contexts === null || keys !== this.keys || trust !== this.trust) {
        this.contexts = new ServerContexts(this.parts.rules, keys, trust, this.tickets!);
        this.keys = keys;
        this.trust = trust;
      }
    }
  }

  /** Whoever has no key any more goes on with the last one: a client can tell for itself whether it is still good. */
  private async currentKeys(): Promise<ServerKeys> {
    try {
      const found = await keysOf(this.parts.keys);
      return this.keys !== null && keysText(found) === keysText(this.keys) ? this.keys : found;
    } catch (error) {
      if (this.keys === null) throw error;
      this.parts.log.error({ err: error }, 'there is no key for TLS any more: the last one is still used');
      return this.keys;
    }
  }

  /** Undefined when it cannot be said whom to trust: nobody comes in then. */
  private async currentTrust(): Promise<Trust | null | undefined> {
    const { trustManagers, clientAuth, log } = this.parts;
    if (clientAuth === 'NONE') return null;
    try {
      const found = joinedTrust(await Promise.all(trustManagers.map((manager) => manager.trust())));
      return this.trust !== null && found !== null && trustText(found) === trustText(this.trust) ? this.trust : found;
    } catch (error) {
      if (this.contexts === null && this.keys === null) throw error;
      log.error({ err: error }, 'it cannot be said whom clients have to be issued by: nobody is let in');
      return undefined;
    }
  }
}

async function keysOf(keys: readonly KeyManager[] | NamedServers): Promise<ServerKeys> {
  if (!('secretsProvider' in keys)) {
    const standard = (await Promise.all(keys.map((manager) => manager.keys()))).flat();
    return { standard, byName: new Map() };
  }
  const { serverNames, defaultSecretId, secretsProvider } = keys;
  const ids = [...new Set([defaultSecretId, ...serverNames.values()])];
  const found = new Map(await Promise.all(ids.map(async (id) => [id, await keysAt(secretsProvider, id)] as const)));
  return {
    standard: found.get(defaultSecretId)!,
    byName: new Map([...serverNames].map(([name, id]) => [name, found.get(id)!])),
  };
}

async function keysAt(provider: SecretsProvider, id: string): Promise<readonly TlsKey[]> {
  const found = (await provider.keys('sign', id)).filter(({ certificates }) => certificates.length > 0);
  if (found.length === 0) throw new Error(`the key '${id}' has no certificate`);
  return found.map(({ key: privateKey, certificates }) => ({ privateKey, certificates }));
}

/** The same text for the same certificates under the same names. */
function keysText({ standard, byName }: ServerKeys): string {
  const prints = (keys: readonly TlsKey[]): string[][] =>
    keys.map(({ certificates }) => certificates.map((certificate) => certificate.fingerprint256));
  return JSON.stringify([prints(standard), [...byName].map(([name, keys]) => [name, prints(keys)])]);
}
