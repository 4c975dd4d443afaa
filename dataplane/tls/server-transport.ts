import type { Logger } from 'pino';
import type { Protocol } from '../engine/wire/connect.ts';
import type { Accepted, HandshakeFault, HandshakeOwner, TicketKeys } from '../engine/wire/secure-transport.ts';
import type { Trust, TrustManager } from '../heap/objects/secrets.ts';
import type { ServerTls } from '../heap/objects/tls.ts';
import { Complaints } from './complaints.ts';
import { joinedTrust, trustText } from './context-options.ts';
import { HandshakeLog } from './handshake-log.ts';
import type { HostCertificates } from './hosts/host-certificates.ts';
import { KeptKeys, type KeySource } from './kept-keys.ts';
import { alpnList } from './options/alpn.ts';
import type { ClientAuth } from './options/client-authentication.ts';
import type { TlsRules } from './options/tls-rules.ts';
import { beginPublicHandshake } from './public-server-handshake.ts';
import type { RenewalFigures } from './renewal-figures.ts';
import { ServerContexts, type ServerKeys } from './server-contexts.ts';
import { ServerHandshake } from './server-handshake.ts';
import { shownCertificates } from './shown-certificates.ts';
import { ChangingTicketKeys } from './ticket-keys.ts';

/** Parts of the TLS from clients. */
export interface ServerTlsParts {
  readonly keys: KeySource;
  readonly trustManagers: readonly TrustManager[];
  readonly clientAuth: ClientAuth;
  readonly rules: TlsRules;
  readonly alpn: boolean;
  readonly log: Logger;
  onClose(release: () => void): void;
  /** What metrics hear of it, where there are any. */
  readonly figures?: RenewalFigures;
  /** Certificates of tenants' hosts, where there are tenants. */
  readonly hosts?: HostCertificates | undefined;
}

/** What complaints are about, beside keys. No secret has an id with a space. */
const TRUST = 'the trust';
const RENEWAL = 'the renewal';

/** TLS from clients by key and trust managers, whose changes count for new connections. */
export class ServerTransport implements ServerTls {
  readonly asksForCertificate: boolean;
  private readonly parts: ServerTlsParts;
  private readonly complaints: Complaints;
  private readonly handshakeLog: HandshakeLog;
  private readonly keptKeys: KeptKeys;
  private tickets: TicketKeys | null = null;
  private contexts: ServerContexts | null = null;
  private keys: ServerKeys | null = null;
  private trust: Trust | null = null;
  private renewing: Promise<void> | null = null;
  private isStale = false;
  private lists: [readonly Protocol[], Buffer] | null = null;

  constructor(parts: ServerTlsParts) {
    this.parts = parts;
    const { figures } = parts;
    this.complaints = new Complaints(parts.log, (isNew, areThere) => {
      if (isNew) figures?.refused();
      figures?.failing(areThere);
    });
    this.handshakeLog = new HandshakeLog(parts.log);
    this.keptKeys = new KeptKeys(parts.keys, parts.rules, this.complaints);
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
    if (this.contexts === null) throw new Error('the trust managers have no CA certificates to verify clients with');
  }

  begin(accepted: Accepted, early: Buffer | null, protocols: readonly Protocol[], owner: HandshakeOwner): () => void {
    const { contexts } = this;
    const { clientAuth, alpn } = this.parts;
    const isHandle = 'useUserBuffer' in accepted;
    if (contexts === null) {
      if (isHandle) accepted.close();
      else accepted.destroy();
      this.changed(); // it may be known by now
      owner.unsecured('unavailable', 'there are no CA certificates to verify clients with');
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
    this.handshakeLog.add(fault, detail, remote);
  }

  private changed(): void {
    this.renew().then(
      () => this.complaints.settled(RENEWAL),
      (error: unknown) =>
        this.complaints.tell(RENEWAL, error, 'could not reload the TLS keys or CA certificates of a connector'),
    );
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
      const keys = await this.keptKeys.current();
      const trust = await this.currentTrust();
      if (trust === undefined) this.contexts = null;
      else if (this.contexts === null || keys !== this.keys || trust !== this.trust) {
        if (trust !== this.trust) this.contexts = null; // nobody comes in under a trust that is over
        const { rules, hosts, log } = this.parts;
        const ofHosts = hosts === undefined ? null : { certificates: hosts, log };
        this.contexts = new ServerContexts(rules, keys, trust, this.tickets!, ofHosts);
        this.tellRenewal(keys, trust);
        this.keys = keys;
        this.trust = trust;
      }
    }
  }

  private tellRenewal(keys: ServerKeys, trust: Trust | null): void {
    const { log, figures } = this.parts;
    const shown = [keys.standard, ...keys.byName.values()].flat();
    figures?.show(shown);
    if (this.keys === null) return;
    if (keys !== this.keys) {
      figures?.renewed();
      const certificates = shownCertificates(shown);
      log.info({ certificates }, 'connector certificates reloaded');
    }
    if (trust !== this.trust && trust !== null) {
      log.info({ authorities: trust.certificates.length }, 'client CA certificates reloaded');
    }
  }

  /** Undefined when it cannot be said whom to trust: nobody comes in then. */
  private async currentTrust(): Promise<Trust | null | undefined> {
    const { trustManagers, clientAuth } = this.parts;
    if (clientAuth === 'NONE') return null;
    try {
      const found = joinedTrust(await Promise.all(trustManagers.map((manager) => manager.trust())));
      this.complaints.settled(TRUST);
      return this.trust !== null && found !== null && trustText(found) === trustText(this.trust) ? this.trust : found;
    } catch (error) {
      if (this.contexts === null && this.keys === null) throw error;
      this.complaints.tell(TRUST, error, 'no CA certificates to verify clients with; all clients are rejected');
      return undefined;
    }
  }
}
