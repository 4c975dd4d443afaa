import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Certified } from '../identity/certificates.ts';
import { type AmAnswer, type AmCall, amError, apiVersion } from './am-call.ts';
import { AmIdentities, type IdentityOptions } from './am-identities.ts';
import { AmOauth2 } from './am-oauth2.ts';
import { HeldPolicies, type Policy, policySetOf } from './am-policies.ts';
import { realmPath } from './am-realm-path.ts';
import { HeldSessions } from './am-sessions.ts';
import { serveLogin } from './login-page.ts';
import { NotificationSockets } from './notification-sockets.ts';

export interface AccessManagerOptions extends IdentityOptions {
  /** Realms beside the root, such as `/customers`. */
  readonly realms?: readonly string[];
  readonly policies?: readonly Policy[];
  /** Policy sets without policies; those of policies are known anyway. */
  readonly policySets?: readonly string[];
  /** By default `iPlanetDirectoryPro`. */
  readonly cookieName?: string;
  /**
   * By default `16.0.5`, that of OpenAM; null for an access manager that does not tell. Versions below 10 are those of
   * PingAM: agents may read sessions of others, and sessions have properties.
   */
  readonly version?: string | null;
  /** Topic of events about revoked tokens, by default `/oauth2/grant`. */
  readonly tokenTopic?: string;
  /** Port of 127.0.0.1; by default a free one. */
  readonly port?: number;
  /** Serves HTTPS and WSS with this certificate. */
  readonly tls?: Pick<Certified, 'key' | 'chain'>;
}

/** Answers in place of the usual answer, or lets that be where it returns undefined. */
export type AnswerInstead = (call: AmCall) => AmAnswer | undefined | Promise<AmAnswer | undefined>;

/** Answers that wait for a test. */
export interface HeldAnswers {
  /** How many requests wait. */
  readonly waiting: number;
  /** Resolves when as many requests wait. */
  untilWaiting(count?: number): Promise<void>;
  /** Lets go of all that wait and of all that come. */
  release(): void;
}

/** The double of an access manager, which is closed after the test. */
export async function startAccessManager(options: AccessManagerOptions = {}): Promise<AccessManager> {
  const started = await AccessManager.start(options);
  onTestFinished(() => started.close());
  return started;
}

/**
 * A double of an access manager: a real HTTP and WebSocket server that answers as OpenAM 16.0.5 does. The same table of
 * wire cases runs against both (test/support/access-manager/wire-cases.ts), so that the double stays true.
 *
 *     const am = await startAccessManager({ policies: [{ name: 'p', resources: ['http://app.test/a*'], actions: { GET: true } }] });
 *     const { tokenId } = am.sessions.create('demo');          // or log in at `${am.url}/json/authenticate`
 *     am.policies.set({ name: 'p', … });                       // sends an event to subscribed sockets
 *     am.sessions.end(tokenId);                                // likewise; forget(tokenId) sends none
 *     am.oauth2.tokens.set('t', { scope: 'read', authGrantId: 'g' }); am.revokeGrant('g');
 *     am.answer('POST /json/policies', () => ({ status: 500 })); // instead of the usual answer
 *     const held = am.hold('/json/sessions'); await held.untilWaiting(); held.release();
 *     am.notifications.terminate(); am.notifications.isSilent = true; am.notifications.refusal = 503;
 *     await am.notifications.untilSubscribed('/agent/policy');
 *     am.callsTo('/json/authenticate').length; await am.untilCalled('/json/policies', 2);
 *
 * The agent is `AGENT`, a user `DEMO`, the administrator `ADMIN` (am-identities.ts).
 */
export class AccessManager {
  /** Without a slash at the end: `http://127.0.0.1:PORT/openam`. */
  readonly url: string;
  readonly cookieName: string;
  /** Every request that arrived, in order. */
  readonly calls: AmCall[] = [];
  readonly sessions: HeldSessions;
  readonly policies: HeldPolicies;
  readonly identities: AmIdentities;
  readonly oauth2: AmOauth2;
  readonly notifications: NotificationSockets;
  version: string | null;
  private readonly server: Server;
  private readonly port: number;
  private readonly realms: ReadonlySet<string>;
  private readonly tokenTopic: string;
  private readonly instead: { readonly pattern: string | RegExp; readonly answer: AnswerInstead }[] = [];
  private readonly watchers = new Set<() => void>();

  private constructor(server: Server, options: AccessManagerOptions) {
    const { port } = server.address() as AddressInfo;
    this.server = server;
    this.port = port;
    this.url = `http${options.tls === undefined ? '' : 's'}://127.0.0.1:${port}/openam`;
    this.cookieName = options.cookieName ?? 'iPlanetDirectoryPro';
    this.version = options.version === undefined ? '16.0.5' : options.version;
    this.realms = new Set(['/', ...(options.realms ?? [])]);
    this.tokenTopic = options.tokenTopic ?? '/oauth2/grant';
    const product = this.isPing ? 'PingAM' : 'OpenAM';
    this.sessions = new HeldSessions(product, this.cookieName, ({ tokenId, uid }, eventType) => {
      this.notifications?.push('/agent/session', { tokenId, eventType });
      this.notifications?.push('/agent/session.v2', { sessionuid: uid, eventType });
    });
    this.notifications = new NotificationSockets(this.sessions, this.cookieName);
    this.policies = new HeldPolicies(this.sessions, (policy, eventType) => {
      const { name, realm = '/' } = policy;
      this.notifications.push('/agent/policy', { realm, policy: name, policySet: policySetOf(policy), eventType });
    });
    this.identities = new AmIdentities(options, this.sessions, this.cookieName);
    this.oauth2 = new AmOauth2({ url: this.url, cookieName: this.cookieName, sessions: this.sessions });
    for (const name of options.policySets ?? []) this.policies.policySets.add(name);
    for (const policy of options.policies ?? []) this.policies.set(policy);
  }

  /** Starts one that the caller closes. */
  static async start(options: AccessManagerOptions = {}): Promise<AccessManager> {
    const { tls } = options;
    const server = tls === undefined ? createServer() : createSecureServer({ key: tls.key, cert: tls.chain });
    server.listen(options.port ?? 0, '127.0.0.1');
    await once(server, 'listening');
    const started = new AccessManager(server, options);
    server.on('request', (request, response) => void started.serve(request, response));
    server.on('upgrade', (request, stream, head) => {
      const path = new URL(request.url!, started.url).pathname;
      if (path === '/openam/notifications') started.notifications.upgrade(request, stream, head);
      else stream.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    });
    return started;
  }

  /**
   * Gives requests another answer, the last such rule first. A string names a part of `METHOD path?query` without the
   * realm, such as `POST /json/policies`.
   * @returns a function that takes the rule back.
   */
  answer(pattern: string | RegExp, answer: AnswerInstead): () => void {
    const rule = { pattern, answer };
    this.instead.unshift(rule);
    return () => void this.instead.splice(this.instead.indexOf(rule), 1);
  }

  /** Holds the answers to some requests back until they are released; the request is judged when it is released. */
  hold(pattern: string | RegExp): HeldAnswers {
    const waiting: (() => void)[] = [];
    const forget = this.answer(pattern, async () => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        this.tell();
      });
      return undefined;
    });
    return {
      get waiting() {
        return waiting.length;
      },
      untilWaiting: (count = 1) => this.until(() => waiting.length >= count),
      release: () => {
        forget();
        for (const resolve of waiting.splice(0)) resolve();
      },
    };
  }

  callsTo(pattern: string | RegExp): readonly AmCall[] {
    return this.calls.filter((call) => isMeant(call, pattern));
  }

  /** Resolves when as many such requests arrived. */
  untilCalled(pattern: string | RegExp, count = 1): Promise<void> {
    return this.until(() => this.callsTo(pattern).length >= count);
  }

  /** Revokes all tokens of a grant and tells those that subscribed to it. */
  revokeGrant(grantId: string): void {
    for (const [token, { authGrantId }] of this.oauth2.tokens) {
      if (authGrantId === grantId) this.oauth2.tokens.delete(token);
    }
    this.notifications.push(this.tokenTopic, { grantId, eventType: 'REVOKED' });
  }

  /** Revokes one token and tells those that subscribed to it. */
  revokeToken(tokenId: string): void {
    this.oauth2.tokens.delete(tokenId);
    this.notifications.push(this.tokenTopic, { tokenId, eventType: 'REVOKED' });
  }

  /** Goes away: connections are cut and new ones refused. */
  async close(): Promise<void> {
    this.notifications.terminate();
    if (!this.server.listening) return;
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  /** Comes back where it was before it was closed, with its sessions and policies. */
  async reopen(): Promise<void> {
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  private until(isSo: () => boolean): Promise<void> {
    if (isSo()) return Promise.resolve();
    return new Promise((resolve) => {
      const look = (): void => {
        if (!isSo()) return;
        this.watchers.delete(look);
        resolve();
      };
      this.watchers.add(look);
    });
  }

  private tell(): void {
    for (const watcher of [...this.watchers]) watcher();
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const call = await this.callOf(request);
      this.calls.push(call);
      this.tell();
      send(response, await this.answerTo(call));
    } catch {
      response.destroy();
    }
  }

  private async callOf(request: IncomingMessage): Promise<AmCall> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { pathname, searchParams } = new URL(request.url!, this.url);
    const below = pathname.startsWith('/openam') ? pathname.slice('/openam'.length) : `outside:${pathname}`;
    return {
      method: request.method!,
      url: request.url!,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
      query: searchParams,
      ...realmPath(below, this.realms),
    };
  }

  private async answerTo(call: AmCall): Promise<AmAnswer> {
    for (const { pattern, answer } of [...this.instead]) {
      if (!isMeant(call, pattern)) continue;
      const instead = await answer(call);
      if (instead !== undefined) return instead;
    }
    const { path, realm, query } = call;
    if (realm === null) return amError(404, `Realm ${path} not found`);
    if (path === '/json/serverinfo/*') return { status: 200, body: this.serverInfo(realm) };
    if (path === '/json/serverinfo/version') return this.versionInfo(call);
    if (path === '/json/authenticate') return this.identities.authenticate(call);
    if (path === '/json/sessions' || path.startsWith('/json/sessions/')) return this.sessions.serve(call);
    if (path === '/json/policies' && query.get('_action') === 'evaluate') return this.policies.evaluate(call);
    if (path.startsWith('/json/users/')) return this.identities.profile(call);
    if (path.startsWith('/oauth2/')) return this.oauth2.serve(call);
    if (path === '/' || path === '/XUI' || path === '/XUI/' || path === '/UI/Login') {
      return serveLogin(call, this);
    }
    if (path === '/notifications') return amError(400, 'Not a WebSocket handshake');
    return amError(404, 'Resource not found');
  }

  private serverInfo(realm: string): object {
    return {
      _id: '*',
      _rev: '1',
      domains: [],
      protectedUserAttributes: [],
      cookieName: this.cookieName,
      secureCookie: false,
      realm,
    };
  }

  /** Only agents and administrators may know the version of OpenAM. */
  private versionInfo(call: AmCall): AmAnswer {
    const { version } = this;
    const resource = apiVersion(call, 'resource') ?? '1.0';
    if (version === null || resource !== '1.0') return amError(404, "Resource '' not found");
    if (!this.isPing) {
      const caller = this.sessions.caller(call);
      if (caller === null) return amError(403, 'No session for request.');
      if (caller.kind === 'user') return amError(403, 'The user has insufficient privileges');
    }
    return { status: 200, body: { _id: 'version', _rev: '1', version, revision: 'a901278f65', date: '' } };
  }

  private get isPing(): boolean {
    return this.version !== null && Number.parseInt(this.version, 10) < 10;
  }
}

function isMeant({ method, path, query }: AmCall, pattern: string | RegExp): boolean {
  const text = `${method} ${path}${query.size === 0 ? '' : `?${query}`}`;
  return typeof pattern === 'string' ? text.includes(pattern) : pattern.test(text);
}

function send(response: ServerResponse, { status, headers = {}, body = '' }: AmAnswer): void {
  const type = typeof body === 'string' ? {} : { 'Content-Type': 'application/json;charset=UTF-8' };
  response.writeHead(status, { ...type, ...(headers as Record<string, string | string[]>) });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
