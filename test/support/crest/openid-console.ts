import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { request } from 'undici';
import { consoleOpenid } from '../../../cli/actions/console/console-openid.ts';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { consoleKeys } from '../../../controller/cluster/sign-in/console-sealing.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import { Browser } from '../clients/browser.ts';
import { CookieJar } from '../clients/cookie-jar.ts';
import { CompiledCluster } from '../cluster/compiled-cluster.ts';
import {
  GATEWAY,
  type OpenidProvider,
  type OpenidProviderOptions,
  startOpenidProvider,
} from '../identity/openid-provider.ts';
import { watchedDirectory } from '../state/temporary-files.ts';
import { compiledFront, type UserRights } from './compiled-front.ts';

/** Headers of requests of the console's own pages. */
export const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };
/** Headers of a browser that a page of the provider sends to the callback. */
const FROM_PROVIDER = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
export const CALLBACK = '/console/openid/callback';
export const LOGIN = '/console/openid/login';
export const SESSION = '/console/session';

export interface OpenidConsoleOptions {
  /** By default `ada`, who may do everything. */
  readonly rights?: UserRights;
  readonly provider?: OpenidProviderOptions;
  readonly signOut?: 'console' | 'provider';
  /** Number of controllers; by default 1. */
  readonly replicas?: number;
}

export interface SentRequest {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Number of the controller; by default the first. */
  readonly at?: number;
}

/** Controllers of a cluster in memory, whose console people sign in to at a real OpenID provider. */
export async function openidConsole({
  rights,
  provider: wanted,
  signOut = 'console',
  replicas = 1,
}: OpenidConsoleOptions = {}) {
  const keys = consoleKeys([randomBytes(32).toString('base64url')]);
  const secret = join(watchedDirectory().path, 'client-secret');
  writeFileSync(secret, GATEWAY.secret);
  const logged: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });
  let ahead = 0;
  const clock: Clock = { ...systemClock, wall: () => Date.now() + ahead, steady: () => ahead };
  let started: OpenidProvider | null = null;
  let origin = '';
  const front = () =>
    compiledFront(new CompiledCluster(), rights ?? { ada: ['* * *'] }, async () => [], {
      ...{ consoleKeys: () => keys, userOf: subjectOf, clock },
      // All of them are behind one address, which is that of the first.
      async openid(own) {
        origin ||= own;
        started ??= await startOpenidProvider({
          redirectUris: [`${origin}${CALLBACK}`],
          ...wanted,
          configuration: { issueRefreshToken: () => true, rotateRefreshToken: true, ...wanted?.configuration },
        });
        const client = { issuer: started.issuer, clientId: GATEWAY.id, clientSecret: secret, ca: null };
        const open = await consoleOpenid(
          { ...client, scopes: ['openid'], origin, name: 'Example', signOut },
          log,
          clock,
        );
        return open(() => keys);
      },
    });
  const fronts = [await front()];
  while (fronts.length < replicas) fronts.push(await front());
  const { host } = new URL(origin);

  const send = async (path: string, { method = 'GET', headers = {}, body, at = 0 }: SentRequest = {}) => {
    const answer = await request(`http://127.0.0.1:${fronts[at]!.port}${path}`, {
      method,
      headers: { host, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    return {
      ...{
        status: answer.statusCode,
        headers: answer.headers,
        text,
        lines: [answer.headers['set-cookie'] ?? []].flat(),
      },
      body: (text.startsWith('{') ? JSON.parse(text) : {}) as JsonObject,
    };
  };
  const withJar = async (jar: CookieJar, path: string, sent: SentRequest = {}) => {
    const [cookie] = jar.header;
    const cookies = cookie === undefined ? {} : { cookie: cookie.slice('Cookie: '.length) };
    const answer = await send(path, { ...sent, headers: { ...OWN_PAGE, ...cookies, ...sent.headers } });
    jar.take(answer.lines);
    return answer;
  };
  /** Begins a sign-in, and lets the user go through the pages of the provider. @returns path of the callback */
  const begin = async (jar: CookieJar, goto = '/console/routes', at = 0): Promise<string> => {
    const { body, status, text } = await withJar(jar, LOGIN, { method: 'POST', body: { goto }, at });
    if (status !== 200) throw new Error(`the sign-in did not begin: ${text}`);
    const page = await new Browser().open(String(body['location']), { stopAt: (url) => url.startsWith(origin) });
    const url = new URL(page.headers.location!);
    return `${url.pathname}${url.search}`;
  };
  const finish = (jar: CookieJar, callback: string, sent: SentRequest = {}) =>
    withJar(jar, callback, { ...sent, headers: { ...FROM_PROVIDER, ...sent.headers } });
  const signIn = async (jar = new CookieJar()): Promise<CookieJar> => {
    const { status, headers } = await finish(jar, await begin(jar));
    if (status !== 303 || headers['location'] !== '/console/routes')
      throw new Error(`the sign-in failed: ${fronts.map(({ unfinished }) => unfinished)}`);
    return jar;
  };
  return {
    ...{ origin, host, logged, fronts, provider: started as unknown as OpenidProvider },
    ...{ send, withJar, begin, finish, signIn },
    /** Lets the clocks of the controllers go ahead. */
    advance: (seconds: number): void => void (ahead += 1000 * seconds),
  };
}

/** The subject of an ID token, or the token itself. */
function subjectOf(token: string): string {
  try {
    return String(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sub);
  } catch {
    return token;
  }
}
