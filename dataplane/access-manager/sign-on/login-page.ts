import type { RuntimeExpression } from '../../../contract/vocabulary/runtime.ts';
import type { Exchange } from '../../engine/message/exchange.ts';

export interface LoginPageOptions {
  /** Base URL of the access manager. */
  readonly url: string;
  readonly realm: string;
  readonly authenticationService: string | null;
  /** Another login page. */
  readonly endpoint: RuntimeExpression<string> | null;
}

/** The page where users without a session log in. */
export class LoginPage {
  private readonly plain: string;
  private readonly service: string;
  private readonly custom: RuntimeExpression<string> | null;
  private readonly fixed: string | null;

  constructor({ url, realm, authenticationService, endpoint }: LoginPageOptions) {
    this.plain = `${url}/?realm=${encodeURIComponent(realm)}`;
    this.service =
      authenticationService === null
        ? ''
        : `&authIndexType=service&authIndexValue=${encodeURIComponent(authenticationService)}`;
    this.custom = endpoint;
    this.fixed = endpoint === null ? this.plain : endpoint.compiled === null ? endpoint.read(null, null) : null;
  }

  /** The URL of the page without anything about this request; null where an expression gives none. */
  endpoint(exchange: Exchange): string | null {
    return this.fixed ?? webUrl(this.custom!.read(exchange, null))?.href ?? null;
  }

  /** Where a browser is sent that comes back to `goto` afterwards; null where an expression gives no URL. */
  location(exchange: Exchange, goto: string): string | null {
    const endpoint = this.endpoint(exchange);
    if (endpoint === null) return null;
    const back = `goto=${encodeURIComponent(goto)}`;
    if (endpoint === this.plain) return `${endpoint.replace('?', `?${back}&`)}${this.service}`;
    const { search, searchParams, hash, href } = new URL(endpoint);
    if (searchParams.has('goto')) return href;
    const page = href.slice(0, href.length - hash.length);
    return `${page}${search === '' ? '?' : '&'}${back}${hash}`;
  }
}

/** An absolute URL of the web; null for any other text. */
export function webUrl(given: string | null): URL | null {
  const url = given === null ? null : URL.parse(given);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url : null;
}
