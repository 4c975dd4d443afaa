import type { GivenIds } from '../client/request-ids.ts';
import { parseCookies } from '../head/cookies.ts';
import type { Headers } from '../head/headers.ts';
import type { Body } from './body.ts';
import { Entity } from './entity.ts';
import { Uri } from './uri.ts';

/** The request of an exchange. Everything is made when somebody asks for it; asking for nothing costs nothing. */
export class Request {
  readonly headers: Headers;
  /** The HTTP version of the client: `HTTP/2`, `HTTP/1.1` or `HTTP/1.0`. */
  readonly version: string;
  /** The target as it will be forwarded, unless a filter changes `uri`. */
  private readonly target: string;
  private readonly scheme: string;
  private verb: string;
  /** The method as received, once somebody changed it. */
  private verbBefore: string | null = null;
  private content: Entity | null = null;
  private place: Uri | null = null;
  /** The protocol the client asks to switch to, or null. */
  upgrade: string | null = null;
  /** Ids that a trusted peer gave it, or null. */
  givenIds: GivenIds | null = null;
  private readonly authority: string;
  private readonly body: Body | null;
  private intact: boolean;

  /** `intact`: the request line as received is the one to forward. */
  constructor(
    method: string,
    target: string,
    scheme: string,
    authority: string,
    version: string,
    headers: Headers,
    body: Body | null,
    intact: boolean,
  ) {
    this.intact = intact;
    this.headers = headers;
    this.version = version;
    this.target = target;
    this.scheme = scheme;
    this.verb = method;
    this.authority = authority;
    this.body = body;
  }

  get method(): string {
    return this.verb;
  }
  set method(method: string) {
    // what answers CONNECT has no end of its own, and TRACE shows credentials that the gateway added
    if (!/^[A-Z][A-Z0-9_-]*$/.test(method) || method === 'CONNECT' || method === 'TRACE') {
      throw new TypeError(`not a method: ${JSON.stringify(method)}`);
    }
    this.verbBefore ??= this.verb;
    this.verb = method;
    this.intact = false;
  }

  /** The method that the client sent, whoever changed it since. */
  get receivedMethod(): string {
    return this.verbBefore ?? this.verb;
  }

  /** The query as received; null for none. */
  get receivedQuery(): string | null {
    const question = this.target.indexOf('?');
    return question < 0 ? null : this.target.slice(question + 1);
  }

  /** The host the client asked for, with its port if it named one; empty when it named none. */
  get host(): string {
    return this.authority;
  }

  get uri(): Uri {
    if (this.place === null) {
      const question = this.target.indexOf('?');
      const path = question < 0 ? this.target : this.target.slice(0, question);
      this.place = new Uri(this.scheme, this.authority, path, question < 0 ? null : this.target.slice(question + 1));
    }
    return this.place;
  }
  set uri(uri: Uri | string) {
    this.uri.become(typeof uri === 'string' ? Uri.parse(uri) : uri);
  }

  get cookies(): Map<string, string[]> {
    return parseCookies(this.headers.all('cookie'));
  }

  get queryParams(): URLSearchParams {
    return new URLSearchParams(this.uri.rawQuery ?? '');
  }

  get entity(): Entity {
    this.content ??= new Entity(this.body, this.headers, false);
    return this.content;
  }

  // ---- for the engine

  /** Whether the received request line can be sent as it is. */
  get lineIntact(): boolean {
    return this.intact && (this.place === null || !this.place.retargeted);
  }

  /** The target to send: what was received, unless somebody changed it. */
  get forwardTarget(): string {
    return this.place?.retargeted === true ? this.place.target : this.target;
  }

  /** The Host header to send: what was received, unless somebody changed it; also when the headers are gone. */
  get forwardHost(): string {
    return this.headers.editedHost ?? this.authority;
  }

  /** The path as received, without the query: what a log may hold. */
  get receivedPath(): string {
    const question = this.target.indexOf('?');
    return question < 0 ? this.target : this.target.slice(0, question);
  }

  /** The entity if somebody asked for it. */
  get touchedEntity(): Entity | null {
    return this.content;
  }

  get incomingBody(): Body | null {
    return this.body;
  }
}
