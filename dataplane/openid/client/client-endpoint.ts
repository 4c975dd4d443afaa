import type { RuntimeExpression } from '../../../contract/vocabulary/runtime.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import type { Uri } from '../../engine/message/uri.ts';

/** Where the service URIs of a client are for one exchange. */
export interface ClientPlace {
  /** Path without a slash at the end. */
  readonly path: string;
  /** Name of the session value with the signed-in user. */
  readonly sessionKey: string;
}

/** What is below a client endpoint. */
export type Service = (typeof SERVICES)[number] | 'unknown';

const SERVICES = ['login', 'callback', 'logout', 'backchannel_logout', 'frontchannel_logout'] as const;

const PATH = /^(?:\/[\w!$&'()*+,;=:@.~-]+)+\/?$/;

/** Whether a text is a path with one segment at least, and nothing but a path. */
export function isEndpointPath(path: string): boolean {
  return PATH.test(path) && !/\/\.\.?(?:\/|$)/.test(path);
}

/** The client endpoint of a filter, which an expression may give. */
export class ClientEndpoint {
  private readonly path: RuntimeExpression<string>;
  private readonly sessionKey: string | null;
  private readonly fixed: ClientPlace | null;

  constructor(path: RuntimeExpression<string>, sessionKey: string | null) {
    this.path = path;
    this.sessionKey = sessionKey;
    this.fixed = path.compiled === null ? this.placeOf(path.read(null, null)) : null;
  }

  /** Null where the expression gives no path. */
  at(exchange: Exchange): ClientPlace | null {
    return this.fixed ?? this.placeOf(this.path.read(exchange, null));
  }

  private placeOf(given: string | null): ClientPlace | null {
    if (given === null || !isEndpointPath(given)) return null;
    const path = given.replace(/\/$/, '');
    return { path, sessionKey: this.sessionKey ?? `oauth2:${path}` };
  }
}

/** The service that a request is for; null for requests to the application. */
export function serviceAt({ rawPath }: Uri, { path }: ClientPlace): Service | null {
  if (!rawPath.startsWith(path) || rawPath[path.length] !== '/') return null;
  const rest = rawPath.slice(path.length + 1);
  if (rest === 'login/') return 'login';
  return SERVICES.find((service) => service === rest) ?? 'unknown';
}

/** Scheme, host and port of a URI, as browsers compare them. */
export function originOf({ scheme, authority }: Uri): string {
  return `${scheme}://${authority}`;
}
