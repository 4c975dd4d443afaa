import { createHmac, type KeyObject } from 'node:crypto';
import type { z } from 'zod';
import { filterCookies } from '../../engine/head/filter-cookies.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import { type CookieRule, cookieFields } from '../../sessions/cookie-fields.ts';
import { SessionCookie } from '../../sessions/session-cookie.ts';

/** Fields of `affinityCookie`. */
export const affinityFields = cookieFields('gw-endpoint');

/** Bytes of the value of a cookie: enough that nobody guesses one. */
const BYTES = 16;

/** Values that clients sent, by the names of the cookies: other handlers want them too, and backends never. */
const received = new WeakMap<Exchange, Map<string, string>>();

/** An endpoint that clients can be bound to. */
interface Bindable {
  /** Text that stands for it: its name, or host and port. */
  readonly id: string;
}

/**
 * Cookie that binds a client to an endpoint, until the browser is closed. Its value is a keyed hash: nobody without the
 * key can choose an endpoint, or learn its address.
 */
export class AffinityCookie {
  private readonly cookie: SessionCookie;
  private readonly keys: () => readonly KeyObject[];
  private readonly scope: string;
  private endpoints: readonly Bindable[] = [];
  /** Keys that the values below are made with. */
  private used: readonly KeyObject[] | null = null;
  private readonly byValue = new Map<string, Bindable>();
  private readonly values = new Map<Bindable, string>();

  /** @param keys valid keys, the active one first; another list after a change. @param scope whose cookie it is */
  constructor(rule: CookieRule & z.output<typeof affinityFields>, keys: () => readonly KeyObject[], scope: string) {
    this.cookie = new SessionCookie(rule);
    this.keys = keys;
    this.scope = scope;
  }

  /** Takes other endpoints. */
  use(endpoints: readonly Bindable[]): void {
    this.endpoints = endpoints;
    this.used = null;
  }

  /** Returns the endpoint that a client is bound to, or null. Takes the cookie out of the request. */
  bound(exchange: Exchange): Bindable | null {
    const value = this.take(exchange);
    if (value === null) return null;
    this.prepare();
    return this.byValue.get(value) ?? null;
  }

  /** Returns the `Set-Cookie` line for an endpoint; null if the client has it already. */
  line(exchange: Exchange, endpoint: Bindable): string | null {
    this.prepare();
    const value = this.values.get(endpoint);
    if (value === undefined || received.get(exchange)?.get(this.cookie.name) === value) return null;
    return this.cookie.lines(value, 0, null)[0]!;
  }

  private take(exchange: Exchange): string | null {
    const { request } = exchange;
    const { name } = this.cookie;
    const known = received.get(exchange);
    const sent = request.headers.has('cookie') ? request.cookies.get(name)?.[0] : undefined;
    if (sent === undefined) return known?.get(name) ?? null;
    filterCookies(request.headers, (one) => one !== name);
    if (known === undefined) received.set(exchange, new Map([[name, sent]]));
    else known.set(name, sent);
    return sent;
  }

  private prepare(): void {
    const keys = this.keys();
    if (this.used === keys) return;
    this.used = keys;
    this.byValue.clear();
    this.values.clear();
    for (const endpoint of this.endpoints) {
      for (const key of keys) {
        const value = this.valueOf(key, endpoint);
        this.byValue.set(value, endpoint);
        if (!this.values.has(endpoint)) this.values.set(endpoint, value);
      }
    }
  }

  private valueOf(key: KeyObject, { id }: Bindable): string {
    const hash = createHmac('sha256', key).update(JSON.stringify(['affinity', this.scope, id]));
    return hash.digest().subarray(0, BYTES).toString('base64url');
  }
}
