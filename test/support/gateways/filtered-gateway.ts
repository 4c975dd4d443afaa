import type { IncomingMessage, ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { type Problem, pathText } from '../../../contract/problem.ts';
import { EchoBackend } from '../backends/echo-backend.ts';
import { ask } from '../clients/answers.ts';
import {
  type ConfiguredGateway,
  type ConfiguredOptions,
  checkConfigured,
  startConfigured,
} from './configured-gateway.ts';

/** A request as the backend saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  /** Names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** The same as it was sent. */
  readonly content: Buffer;
}

export interface FilteredAnswer {
  readonly status: number;
  readonly body: string;
  /** The values of a header, one for each line. */
  values(name: string): string[];
}

export interface AskOptions {
  readonly method?: string;
  readonly host?: string;
  /** Whole header lines. */
  readonly headers?: readonly string[];
  readonly body?: string;
}

/** Filters in front of a backend that does what the query tells it to. */
export interface FilteredGateway extends ConfiguredGateway {
  readonly backend: EchoBackend;
  /** What reached the backend, in order. */
  readonly seen: SeenRequest[];
  ask(target: string, options?: AskOptions): Promise<FilteredAnswer>;
}

export interface FilteredOptions extends ConfiguredOptions {
  /** Other fields of the document, such as `auditService`. */
  readonly document?: JsonObject;
}

/**
 * Starts both for one test. `http://app.test` in the filters and the handler stands for the backend, and is where
 * requests go by default. The backend answers with the `status`, the headers `h.NAME` and the `entity` of the query, which is base64 where `base64` is there.
 */
export async function startFiltered(
  filters: readonly JsonValue[],
  handler: JsonValue = { type: 'ReverseProxyHandler', baseURI: 'http://app.test' },
  options: FilteredOptions = {},
): Promise<FilteredGateway> {
  const seen: SeenRequest[] = [];
  const backend = await EchoBackend.start({ host: '127.0.0.1' }, (request, response) => {
    void tell(request, response).then((told) => seen.push(told));
  });
  const whole = { ...options.document, ...filteredDocument(filters, handler) };
  const document = JSON.stringify(whole).replaceAll('http://app.test', backend.url);
  const gateway = await startConfigured(JSON.parse(document) as JsonObject, options);
  onTestFinished(async () => {
    await gateway.close();
    await backend.close();
  });
  return { ...gateway, backend, seen, ask: (target, asked) => send(gateway.port, target, asked) };
}

/** What is wrong with the configuration of a filter: `PATH: MESSAGE`, the paths from its `config` on. */
export function problemsOf(type: string, config: JsonValue): string[] {
  const before = 'handler.config.filters[0].config';
  return checkConfigured(filteredDocument([{ type, config }])).map((problem: Problem) => {
    const path = pathText(problem.path);
    return `${problem.code} ${path.startsWith(before) ? path.slice(before.length).replace(/^\./, '') : path}: ${problem.message}`;
  });
}

function filteredDocument(
  filters: readonly JsonValue[],
  handler: JsonValue = { type: 'StaticResponseHandler', config: { status: 200 } },
): JsonObject {
  return { handler: { type: 'Chain', config: { filters: [...filters], handler } } };
}

async function tell(request: IncomingMessage, response: ServerResponse): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const query = new URL(request.url!, 'http://backend').searchParams;
  response.statusCode = Number(query.get('status') ?? 200);
  for (const name of new Set(query.keys())) {
    if (name.startsWith('h.')) response.setHeader(name.slice(2), query.getAll(name));
  }
  response.end(Buffer.from(query.get('entity') ?? '', query.has('base64') ? 'base64' : 'utf8'));
  const headers: [string, string][] = [];
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    headers.push([request.rawHeaders[at]!.toLowerCase(), request.rawHeaders[at + 1]!]);
  }
  const content = Buffer.concat(chunks);
  return { method: request.method!, url: request.url!, headers, body: content.toString(), content };
}

async function send(port: number, target: string, asked: AskOptions = {}): Promise<FilteredAnswer> {
  const { method = 'GET', host = 'gw.test', headers = [], body } = asked;
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body, 'latin1')}`];
  const lines = [`${method} ${target} HTTP/1.1`, `Host: ${host}`, ...headers, ...length].map((line) => `${line}\r\n`);
  const answer = await ask(port, lines.join(''), body);
  const fields = answer.head
    .split('\r\n')
    .slice(1)
    .map((line) => /^([^:]*):\s*(.*)$/.exec(line)!);
  return {
    status: answer.status,
    body: answer.body,
    values: (name) =>
      fields.filter(([, field]) => field!.toLowerCase() === name.toLowerCase()).map(([, , value]) => value!),
  };
}
