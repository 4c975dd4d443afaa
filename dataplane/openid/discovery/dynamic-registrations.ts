import type { JsonObject } from '../../../contract/document/json-value.ts';
import { Secret } from '../../../contract/secret.ts';
import type { Reference } from '../../../contract/vocabulary/reference.ts';
import type { Exchange, Next } from '../../engine/message/exchange.ts';
import type { Parts } from '../../heap/definition.ts';
import type { ClientRegistration, Issuer } from '../../heap/objects/openid-client.ts';
import { NoSuchSecret, type SecretsProvider } from '../../heap/objects/secrets.ts';
import type { AuthenticationMethod } from '../../oauth2/client/client-authentication.ts';
import { openIssuer } from '../../oauth2/registration/open-issuer.ts';
import { openRegistration } from '../../oauth2/registration/open-registration.ts';
import { SessionMemory } from '../../sessions/session-memory.ts';
import { SessionTable } from '../../sessions/session-table.ts';
import { SignInFailed } from '../client/sign-in-failed.ts';
import { DiscoveredIssuer } from '../discovered-issuer.ts';
import type { DiscoveryConfig } from './discovery-fields.ts';
import { type RegisteredClient, readClient, registerClient } from './registered-client.ts';

export interface DynamicTerms {
  /** What the gateway tells of itself, in the words of RFC 7591. */
  readonly metadata: JsonObject;
  readonly scopes: readonly string[];
  readonly redirectUris: readonly string[];
  readonly handler: Next;
  readonly method: AuthenticationMethod;
  readonly algorithm: string;
  /** The key of `private_key_jwt`. */
  readonly key: { readonly provider: SecretsProvider; readonly secretId: string } | null;
  /** Whether issuers may be at http URLs. */
  readonly allowsClearText: boolean;
}

/** Issuers that users may bring along, for all units. */
const LIMITS = { sessions: 500, bytes: 1 << 20 };
const LIFETIME = 30 * 86_400_000;
const LIVES = { idle: LIFETIME, absolute: LIFETIME };

/**
 * Registrations at issuers that users name. The gateway registers once at each issuer, and all units of the data plane
 * share the result. The name of a registration is the URL of its issuer.
 */
export class DynamicRegistrations {
  private readonly terms: DynamicTerms;
  private readonly parts: Parts;
  private readonly clients: SessionTable;
  private readonly issuers = new Map<string, Issuer>();
  private readonly opened = new Map<string, { readonly text: string; readonly registration: ClientRegistration }>();
  private readonly pending = new Map<string, Promise<ClientRegistration>>();

  constructor(terms: DynamicTerms, parts: Parts) {
    this.terms = terms;
    this.parts = parts;
    const memory = parts.plane.sharedMemory(`dynamic clients ${parts.identity}`, SessionMemory.bytes(LIMITS));
    parts.onClose(() => memory.release());
    this.clients = new SessionTable(memory.buffer, LIMITS, LIVES);
  }

  /** The registration at an issuer; null where there is none, or its secret has expired. */
  byName(issuer: string): ClientRegistration | null {
    const text = this.clients.find(issuer)?.text;
    const client = text === undefined ? null : readClient(text);
    if (text === undefined || client === null) return null;
    if (client.expiresAt !== null && client.expiresAt <= Date.now()) return null;
    const known = this.opened.get(issuer);
    if (known?.text === text) return known.registration;
    const registration = this.open(issuer, client);
    this.opened.set(issuer, { text, registration });
    return registration;
  }

  /** @throws SignInFailed for a URL that must not be asked */
  demandHttps(url: string): void {
    if (this.terms.allowsClearText || url.startsWith('https://')) return;
    throw new SignInFailed('sign-in-request', 'invalid_request', 'the issuer is not at an https URL');
  }

  /**
   * The registration at an issuer, which is made where there is none. Rejects with SignInFailed.
   * @throws SignInFailed for an issuer that must not be asked
   */
  register(issuer: string, exchange: Exchange): Promise<ClientRegistration> {
    this.demandHttps(issuer);
    const known = this.byName(issuer);
    if (known !== null) return Promise.resolve(known);
    const running = this.pending.get(issuer);
    if (running !== undefined) return running;
    const registering = this.registerNow(issuer, exchange).finally(() => this.pending.delete(issuer));
    this.pending.set(issuer, registering);
    return registering;
  }

  private async registerNow(issuer: string, exchange: Exchange): Promise<ClientRegistration> {
    const { handler } = this.terms;
    // whoever is asked may be anybody: what fails leaves nothing behind, and only its sign-in in the log
    const log = this.parts.log.child({}, { level: 'error' });
    const { endpoints } = await new DiscoveredIssuer({ issuer, wellKnown: null, handler, log }).metadata();
    if (endpoints.registration === undefined) {
      throw new SignInFailed('sign-in-failed', 'server_error', 'the issuer registers no clients dynamically');
    }
    const client = await registerClient(endpoints.registration, this.terms.metadata, handler, exchange);
    const found = this.byName(issuer); // another unit may have been faster
    if (found !== null) return found;
    this.clients.remove(issuer);
    if (!this.clients.create(issuer, JSON.stringify(client))) {
      throw new SignInFailed('sign-in-failed', 'temporarily_unavailable', 'there are too many issuers already');
    }
    return this.byName(issuer) ?? this.open(issuer, client);
  }

  private open(name: string, { clientId, secret }: RegisteredClient): ClientRegistration {
    const { scopes, redirectUris, handler, method, algorithm, key } = this.terms;
    const issuer = this.issuer(name);
    const isSecret = method !== 'private_key_jwt' && secret !== null;
    return openRegistration({
      name,
      issuer,
      scopes,
      redirectUris,
      keys: issuer.keys,
      handler,
      client: {
        type: 'AuthorizationCodeOAuth2ClientFilter',
        clientId,
        method: method === 'private_key_jwt' || isSecret ? method : 'none',
        provider: isSecret ? fixedSecret(secret) : (key?.provider ?? null),
        secretId: isSecret ? 'client_secret' : (key?.secretId ?? null),
        algorithm,
      },
    });
  }

  private issuer(url: string): Issuer {
    const known = this.issuers.get(url);
    if (known !== undefined) return known;
    const { handler } = this.terms;
    const options = {
      name: url,
      issuer: url,
      wellKnown: null,
      endpoints: {},
      supportedDomains: [],
      handler,
      keys: null,
    };
    const opened = openIssuer(options, this.parts);
    this.issuers.set(url, opened);
    return opened;
  }
}

/** The fields of a filter that dynamic registration uses. */
interface DynamicConfig extends DiscoveryConfig {
  readonly discoveryHandler: Reference<'handler'>;
  readonly secretsProvider?: Reference<'secretsProvider'> | undefined;
  readonly requireHttps: boolean;
}

/** The registrations of a filter at issuers that users name; null where it has no `metadata`. */
export function dynamicRegistrations(config: DynamicConfig, parts: Parts): DynamicRegistrations | null {
  const { metadata, discoverySecretId: secretId, secretsProvider } = config;
  if (metadata === undefined) return null;
  const isKeyed = secretId !== undefined && secretsProvider !== undefined;
  const method = config.tokenEndpointAuthMethod ?? (isKeyed ? 'private_key_jwt' : 'client_secret_basic');
  const terms: DynamicTerms = {
    metadata: { ...metadata.members, token_endpoint_auth_method: method },
    scopes: metadata.scopes,
    redirectUris: metadata.redirectUris,
    handler: parts.resolve(config.discoveryHandler),
    method,
    algorithm: config.tokenEndpointAuthSigningAlg ?? 'RS256',
    key: isKeyed ? { provider: parts.resolve(secretsProvider), secretId } : null,
    allowsClearText: !config.requireHttps,
  };
  return new DynamicRegistrations(terms, parts);
}

/** A provider of one secret that an issuer gave. */
function fixedSecret(text: string): SecretsProvider {
  const secret = new Secret(text);
  const none = (id: string) => Promise.reject(new NoSuchSecret(id, 'sign', ['dynamic registration']));
  return {
    active: () => Promise.resolve(secret),
    valid: () => Promise.resolve([secret]),
    key: (_usage, id) => none(id),
    keys: (_usage, id) => none(id),
    named: (_usage, id) => none(id),
    watch: () => () => {},
  };
}
