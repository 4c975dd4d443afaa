import { constants, createHash } from 'node:crypto';
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import type { Logger } from 'pino';
import { plainHost } from '../../contract/resources/plain-host.ts';
import type { ServerCertificate } from '../../contract/snapshot.ts';
import type { CertificateChoice, TicketKeys } from '../engine/wire/secure-transport.ts';
import type { TlsKey, Trust } from '../heap/objects/secrets.ts';
import { type ContextParts, NOBODY, trustText, withContextOptions } from './context-options.ts';
import type { HostCertificates } from './hosts/host-certificates.ts';
import { HostContexts } from './hosts/host-contexts.ts';
import { enableAlpn, wrapInTls } from './native-tls.ts';
import type { TlsRules } from './options/tls-rules.ts';
import { fixedTicketKeys, useTicketKeys } from './session-tickets.ts';

/** Seconds that a session can be resumed. */
const SESSION_SECONDS = 3600;

/** TLS contexts for clients, by server name. */
export interface ServerKeys {
  /** For clients that ask for no server, or for one that is not known. */
  readonly standard: readonly TlsKey[];
  /** By server name in lower case; one that begins with `*.` stands for one more label. */
  readonly byName: ReadonlyMap<string, readonly TlsKey[]>;
}

/** The contexts of a listener at one time. */
export class ServerContexts implements CertificateChoice {
  readonly standard: SecureContext;
  /** Whom clients have to be issued by; null when they are not asked. */
  readonly trust: Trust | null;
  private readonly byName: ReadonlyMap<string, SecureContext>;
  /** Those of tenants' hosts; null where there are no tenants. */
  private readonly hosts: HostContexts | null;
  private readonly parts: ContextParts;
  private readonly tickets: TicketKeys;

  constructor(
    rules: TlsRules,
    keys: ServerKeys,
    trust: Trust | null,
    tickets: TicketKeys,
    hosts: { readonly certificates: HostCertificates; readonly log: Logger } | null = null,
  ) {
    const made = new Map<readonly TlsKey[], SecureContext>();
    const fresh = (shown: readonly TlsKey[]): SecureContext =>
      newContext({ rules, keys: shown, trust: trust ?? NOBODY }, tickets);
    const contextOf = (shown: readonly TlsKey[]): SecureContext => {
      const known = made.get(shown);
      if (known !== undefined) return known;
      const context = fresh(shown);
      made.set(shown, context);
      return context;
    };
    this.trust = trust;
    this.tickets = tickets;
    this.parts = { rules, keys: keys.standard, trust: trust ?? NOBODY };
    this.standard = contextOf(keys.standard);
    this.byName = new Map([...keys.byName].map(([name, shown]) => [name, contextOf(shown)]));
    this.hosts = hosts === null ? null : new HostContexts(hosts.certificates, hosts.log, fresh);
  }

  /** Hands what the standard context is made of to `use`; the keys in it are gone when that returns. */
  withStandardOptions<T>(use: (options: SecureContextOptions) => T): T {
    const more = { ...serverOptions(this.parts), ticketKeys: fixedTicketKeys(this.tickets) };
    return withContextOptions(this.parts, (options) => use({ ...options, ...more }));
  }

  /** Whether it matters which server a client asks for. */
  get hasNames(): boolean {
    return this.byName.size > 0 || this.hosts?.hasNames === true;
  }

  isStandard(server: string): boolean {
    return this.named(server) === this.standard;
  }

  /**
   * The context for a server: the one of its name, then that of a wildcard, then the standard one. Where the connector
   * and a tenant both have one, that of the connector wins.
   */
  named(server: string): SecureContext {
    const name = plainHost(server);
    const chosen = this.chosen(name);
    if (!('privateKey' in chosen)) return chosen;
    return this.hosts?.contextOf(chosen) ?? this.wildcard(name) ?? this.standard;
  }

  /** Makes no context: requests may ask for any number of hosts. */
  isShownFor(host: string, server: string): boolean {
    if (!this.hasNames) return true;
    const wanted = this.chosen(plainHost(host));
    return wanted === this.standard || wanted === this.chosen(plainHost(server));
  }

  /** The certificate of a tenant for a host, whether it can be used or not, or a context of the connector. */
  private chosen(name: string): SecureContext | ServerCertificate {
    const own = this.byName.get(name);
    if (own !== undefined) return own;
    const host = this.hosts?.find(name) ?? null;
    if (host?.isExact === true) return host.certificate;
    return this.wildcard(name) ?? host?.certificate ?? this.standard;
  }

  private wildcard(name: string): SecureContext | undefined {
    const dot = name.indexOf('.');
    return dot > 0 ? this.byName.get(`*${name.slice(dot)}`) : undefined;
  }
}

function serverOptions({ trust }: ContextParts): SecureContextOptions {
  return {
    honorCipherOrder: true,
    // who asks for ChaCha first has no hardware for AES
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_PRIORITIZE_CHACHA,
    sessionTimeout: SESSION_SECONDS,
    // a session that began under another trust is not resumed under this one
    sessionIdContext: createHash('sha256').update(trustText(trust!)).digest('hex').slice(0, 32),
  };
}

function newContext(parts: ContextParts, tickets: TicketKeys): SecureContext {
  const more = serverOptions(parts);
  const context = withContextOptions(parts, (own) => createSecureContext({ ...own, ...more }));
  const wrap = wrapInTls();
  if (wrap !== null) enableAlpn(context, wrap);
  if (wrap !== null && useTicketKeys(context, tickets)) return context;
  const ticketKeys = fixedTicketKeys(tickets);
  return withContextOptions(parts, (own) => createSecureContext({ ...own, ...more, ticketKeys }));
}
