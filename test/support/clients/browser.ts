import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { CookieJar } from './cookie-jar.ts';

/** What a browser shows at the end of its redirects. */
export interface Page {
  readonly url: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Every URL that was asked for on the way, the last one included. */
  readonly visited: readonly string[];
}

export interface VisitOptions {
  readonly method?: string;
  /** Added to those of a browser that opens a page, or in their place. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly content?: string;
  /** Stops before a URL is asked for, and returns the redirect to it. */
  readonly stopAt?: (url: string) => boolean;
}

const MOST_REDIRECTS = 20;
const NAVIGATION = { Accept: 'text/html,*/*;q=0.8', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };
const FETCH = { Accept: '*/*', 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty' };

/** A browser with cookies for each host, whatever the port, which follows redirects. */
export class Browser {
  private readonly ports: ReadonlyMap<string, number>;
  private readonly jars = new Map<string, CookieJar>();

  /** @param ports of hosts that are not in the DNS; all are on this machine */
  constructor(ports: Readonly<Record<string, number>> = {}) {
    this.ports = new Map(Object.entries(ports));
  }

  /** The cookies of a host. */
  jar(host: string): CookieJar {
    const known = this.jars.get(host) ?? new CookieJar();
    this.jars.set(host, known);
    return known;
  }

  /** Opens a page as a user does who follows a link. */
  open(url: string, options: VisitOptions = {}): Promise<Page> {
    return this.visit(url, { ...options, headers: { ...NAVIGATION, ...options.headers } });
  }

  /** Asks as a script does with `fetch`. */
  fetch(url: string, options: VisitOptions = {}): Promise<Page> {
    return this.visit(url, { ...options, headers: { ...FETCH, ...options.headers } });
  }

  private async visit(url: string, options: VisitOptions): Promise<Page> {
    const visited: string[] = [];
    let at = url;
    let { method = 'GET', content } = options;
    for (;;) {
      visited.push(at);
      const answer = await this.ask(at, method, options.headers ?? {}, content);
      const body = await textOf(answer);
      const status = answer.statusCode!;
      const { location } = answer.headers;
      const next = location === undefined || status < 300 || status > 399 ? null : new URL(location, at).href;
      if (next === null || options.stopAt?.(next) === true) {
        return { url: at, status, headers: answer.headers, body, visited };
      }
      if (visited.length > MOST_REDIRECTS) throw new Error(`too many redirects: ${visited.join(' ')}`);
      at = next;
      method = 'GET';
      content = undefined;
    }
  }

  private async ask(
    url: string,
    method: string,
    headers: Readonly<Record<string, string>>,
    content: string | undefined,
  ): Promise<IncomingMessage> {
    const { protocol, hostname, host, port, pathname, search } = new URL(url);
    // TLS ends at a proxy in front of the server, as far as it knows
    const forwarded = protocol === 'https:' ? { 'X-Forwarded-Proto': 'https' } : {};
    const jar = this.jar(hostname);
    const [cookies] = jar.header;
    const outgoing = request({
      host: '127.0.0.1',
      port: this.ports.get(hostname) ?? Number(port),
      method,
      path: pathname + search,
      agent: false,
      headers: {
        Host: host,
        ...forwarded,
        ...headers,
        ...(cookies !== undefined && { Cookie: cookies.slice('Cookie: '.length) }),
      },
    });
    outgoing.end(content);
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    jar.take(answer.headers['set-cookie'] ?? []);
    return answer;
  }
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
