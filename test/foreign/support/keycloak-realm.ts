import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { administratorToken } from './keycloak.ts';

/** A client of a realm, as Keycloak's administration describes it; its secret is known. */
export interface RealmClient {
  readonly clientId: string;
  readonly secret: string;
}

interface RealmObject {
  readonly id: string;
}

/** A realm of the shared Keycloak that belongs to one test file, with one client. */
export class KeycloakRealm {
  readonly name: string;
  /** The issuer of its tokens. */
  readonly issuer: string;
  readonly client: RealmClient = { clientId: 'gateway', secret: 'a-secret-of-the-client' };
  private readonly server: string;

  private constructor(server: string, name: string) {
    this.server = server;
    this.name = name;
    this.issuer = `${server}/realms/${name}`;
  }

  /** Creates one with a user `ada`, whose password is `lovelace`. */
  static async create(): Promise<KeycloakRealm> {
    const server = inject('keycloak');
    const realm = new KeycloakRealm(server, `r-${randomUUID()}`);
    await realm.administer('POST', '', {
      realm: realm.name,
      enabled: true,
      sslRequired: 'none',
      users: [
        {
          username: 'ada',
          enabled: true,
          email: 'ada@example.com',
          emailVerified: true,
          firstName: 'Ada',
          lastName: 'Lovelace',
          credentials: [{ type: 'password', value: 'lovelace', temporary: false }],
        },
      ],
      clients: [
        {
          clientId: realm.client.clientId,
          secret: realm.client.secret,
          enabled: true,
          publicClient: false,
          serviceAccountsEnabled: true,
          directAccessGrantsEnabled: true,
          redirectUris: ['*'],
        },
      ],
    });
    return realm;
  }

  /** An endpoint of its OpenID provider, such as `token` or `certs`. */
  endpoint(name: string): string {
    return `${this.issuer}/protocol/openid-connect/${name}`;
  }

  /** Asks an endpoint as the client. */
  async post(name: string, fields: Readonly<Record<string, string>>): Promise<Record<string, unknown>> {
    const { clientId: client_id, secret: client_secret } = this.client;
    const body = new URLSearchParams({ client_id, client_secret, ...fields });
    const response = await fetch(this.endpoint(name), { method: 'POST', body });
    const text = await response.text();
    if (!response.ok) throw new Error(`${name} answered ${response.status} ${text}`);
    return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  }

  /** An access token of the user. */
  async accessToken(): Promise<string> {
    const fields = { grant_type: 'password', username: 'ada', password: 'lovelace', scope: 'openid' };
    return String((await this.post('token', fields))['access_token']);
  }

  /** Has Keycloak tell the client by this URL when a session ends (OpenID Connect Back-Channel Logout). */
  async tellEndsTo(url: string): Promise<void> {
    const { clientId } = this.client;
    const [client] = (await this.administer('GET', `/${this.name}/clients?clientId=${clientId}`)) as RealmObject[];
    const attributes = { 'backchannel.logout.url': url, 'backchannel.logout.session.required': 'true' };
    await this.administer('PUT', `/${this.name}/clients/${client!.id}`, { clientId, attributes });
  }

  /** Ends all sessions of the user, as an administrator does. */
  async endSessions(): Promise<void> {
    const [user] = (await this.administer('GET', `/${this.name}/users?username=ada`)) as RealmObject[];
    await this.administer('POST', `/${this.name}/users/${user!.id}/logout`);
  }

  /** Makes a new key that signs from now on; the earlier ones stay valid. */
  async rotateKeys(): Promise<void> {
    const { id } = (await this.administer('GET', `/${this.name}`)) as { id: string };
    await this.administer('POST', `/${this.name}/components`, {
      name: randomUUID(),
      providerId: 'rsa-generated',
      providerType: 'org.keycloak.keys.KeyProvider',
      parentId: id,
      config: { priority: ['1000'], enabled: ['true'], active: ['true'], algorithm: ['RS256'], keySize: ['2048'] },
    });
  }

  private async administer(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${this.server}/admin/realms${path}`, {
      method,
      headers: {
        authorization: `Bearer ${await administratorToken(this.server)}`,
        'content-type': 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  }
}
