import { onTestFinished } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { EchoBackend } from '../backends/echo-backend.ts';
import { ask } from '../clients/answers.ts';
import { CookieJar } from '../clients/cookie-jar.ts';
import { type ConfiguredGateway, startConfigured } from '../gateways/configured-gateway.ts';

/** What came of one visit. */
export interface Visit {
  readonly status: number;
  readonly body: string;
  /** `session.value` as the route saw it when it answered; empty for none. */
  readonly value: string;
  readonly setCookies: readonly string[];
}

export interface SessionGateway extends ConfiguredGateway {
  /** The `Cookie` lines that reached the backend, one list for each request. */
  readonly seen: string[][];
  /** Asks for a path with the cookies of a jar, which takes those of the answer. */
  visit(target: string, jar?: CookieJar): Promise<Visit>;
  /** The same with header lines of the test's own. */
  send(target: string, headers: readonly string[]): Promise<Visit>;
}

/** `?set=` sets `session.value`, `?clear` removes it; the answer names it in a header. */
export const SESSION_FILTERS: readonly JsonValue[] = [
  {
    type: 'AssignmentFilter',
    config: {
      onRequest: [
        {
          condition: "${not empty request.queryParams['set']}",
          target: '${session.value}',
          value: "${request.queryParams['set'][0]}",
        },
        { condition: "${not empty request.queryParams['clear']}", target: '${session.value}' },
      ],
      onResponse: [
        {
          condition: "${empty request.queryParams['blind'] and not empty session.value}",
          target: "${response.headers['X-Value']}",
          value: '${session.value}',
        },
      ],
    },
  },
];

/** A route that reads and writes its session, in front of a real backend. */
export function sessionRoute(
  session: JsonValue | undefined,
  filters: readonly JsonValue[] = SESSION_FILTERS,
): JsonObject {
  const handler = { type: 'Chain', config: { filters: [...filters], handler: 'ReverseProxyHandler' } };
  return { handler, baseURI: 'http://app.test', ...(session !== undefined && { session }) };
}

/**
 * Starts routes by id, and `config.json` around them, for one test. `http://app.test` stands for the backend, which
 * answers a request when `answerable` says so.
 */
export async function startSessions(
  routes: Readonly<Record<string, JsonObject>>,
  base: JsonObject = {},
  answerable: () => Promise<void> = () => Promise.resolve(),
): Promise<SessionGateway> {
  const seen: string[][] = [];
  const backend = await EchoBackend.start({ host: '127.0.0.1' }, (request, response) => {
    seen.push(request.rawHeaders.filter((_, at) => at % 2 === 1 && /^cookie$/i.test(request.rawHeaders[at - 1]!)));
    const query = new URL(request.url!, 'http://backend').searchParams;
    const lines = query.getAll('backend-cookie');
    if (lines.length > 0) response.setHeader('Set-Cookie', lines);
    void answerable().then(() => response.end('served'));
  });
  const placed = <T extends JsonValue>(document: T): T =>
    JSON.parse(JSON.stringify(document).replaceAll('http://app.test', backend.url)) as T;
  const gateway = await startConfigured(placed(base), { routes: placed(routes) });
  onTestFinished(async () => {
    await gateway.close();
    await backend.close();
  });
  const send = async (target: string, headers: readonly string[]): Promise<Visit> => {
    const lines = [`GET ${target} HTTP/1.1`, 'Host: gw.test', ...headers].map((line) => `${line}\r\n`);
    const answer = await ask(gateway.port, lines.join(''));
    const values = (name: string): string[] =>
      answer.head.split('\r\n').flatMap((line) => new RegExp(`^${name}: (.*)$`, 'i').exec(line)?.[1] ?? []);
    return {
      status: answer.status,
      body: answer.body,
      value: values('x-value').join(' | '),
      setCookies: values('set-cookie'),
    };
  };
  return {
    ...gateway,
    seen,
    send,
    async visit(target, jar = new CookieJar()) {
      const visit = await send(target, jar.header);
      jar.take(visit.setCookies);
      return visit;
    },
  };
}
