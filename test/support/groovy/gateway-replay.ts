import { isDeepStrictEqual } from 'node:util';
import {
  compileGatewayScript,
  type GatewayOutcome,
  plainResponse,
  runGatewayScript,
  type ScriptContext,
} from '../../../dataplane/scripts/groovy/gateway-script.ts';
import { UriValue } from '../../../dataplane/scripts/groovy/library/encoding/uri-classes.ts';
import { RateValue, TokenInfo } from '../../../dataplane/scripts/groovy/library/gateway/gateway-objects.ts';
import { JsonNode } from '../../../dataplane/scripts/groovy/library/gateway/json-node.ts';
import {
  MessageValue,
  type PlainRequest,
  type PlainResponse,
  type SentRequest,
} from '../../../dataplane/scripts/groovy/library/gateway/messages.ts';
import { jacksonManner, readJson } from '../../../dataplane/scripts/groovy/library/json/json-reader.ts';
import { groovyClasses } from '../../../dataplane/scripts/groovy/runtime/groovy-classes.ts';
import type { Machine } from '../../../dataplane/scripts/groovy/runtime/machine.ts';
import { ScriptError } from '../../../dataplane/scripts/groovy/syntax/place.ts';
import { GMap, GSet, List } from '../../../dataplane/scripts/groovy/values/collections.ts';
import { HASH_MAP } from '../../../dataplane/scripts/groovy/values/core-classes.ts';
import type { Value } from '../../../dataplane/scripts/groovy/values/java-class.ts';
import type { ScriptKind } from '../../../dataplane/scripts/script-language.ts';
import { canonical } from './canonical.ts';
import type { RowOutcome } from './replay.ts';

interface MessageInput {
  readonly method?: string;
  readonly uri?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, readonly string[]>>;
  readonly entity?: string;
  readonly json?: unknown;
}

/** What OpenIG's own classes did with a script. */
export interface GatewayRow {
  readonly id: string;
  readonly kind: ScriptKind;
  readonly script: string;
  readonly input: {
    readonly request?: MessageInput;
    readonly attributes?: object;
    readonly session?: object;
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly args?: Readonly<Record<string, unknown>>;
    readonly client?: Readonly<Record<string, unknown>>;
    readonly originalUri?: string;
    readonly oauth2?: { token: string; scopes: string[]; expiresAt: number | string; info: object };
    readonly contexts?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    readonly downstream?: MessageInput;
    readonly http?: readonly MessageInput[];
    readonly token?: string;
    readonly repeat?: number;
  };
  readonly expected: Readonly<Record<string, unknown>>;
}

export function gatewayRows(text: string): GatewayRow[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as GatewayRow);
}

const noLimit = { spend: () => undefined, allocate: () => undefined };

function jsonValue(json: unknown): Value {
  return readJson(JSON.stringify(json ?? null), jacksonManner, noLimit);
}

function mapOf(json: object = {}): GMap {
  return jsonValue(json) as GMap;
}

function fieldsOf(record: Readonly<Record<string, unknown>>): Map<string, Value> {
  return new Map(Object.entries(record).map(([name, value]) => [name, jsonValue(value)]));
}

/** Headers and content as the classes of OpenIG have them after content was set. */
function contentOf(input: MessageInput): { headers: [string, string[]][]; entity: Uint8Array } {
  const headers = Object.entries(input.headers ?? {}).map(([name, values]): [string, string[]] => [name, [...values]]);
  if (input.json !== undefined) {
    const entity = Buffer.from(JSON.stringify(input.json));
    const own: [string, string[]][] = [
      ['Content-Type', ['application/json; charset=UTF-8']],
      ['Content-Length', [String(entity.length)]],
    ];
    return { headers: [...headers.filter(([name]) => !/^content-(?:type|length)$/i.test(name)), ...own], entity };
  }
  if (input.entity === undefined) return { headers, entity: new Uint8Array() };
  const entity = Buffer.from(input.entity);
  return { headers: [...headers, ['Content-Length', [String(entity.length)]]], entity };
}

function responseOf(input: MessageInput): PlainResponse {
  return { status: input.status ?? 200, reason: 'Unknown', ...contentOf(input) };
}

function messageForm(headers: readonly (readonly [string, readonly string[]])[], entity: Uint8Array): object {
  const sorted = [...headers].sort(([left], [right]) => (left.toLowerCase() < right.toLowerCase() ? -1 : 1));
  const text = Buffer.from(entity).toString('utf8');
  const isText = Buffer.from(text, 'utf8').equals(Buffer.from(entity));
  return {
    headers: Object.fromEntries(sorted),
    entity: isText ? text : { $bytes: Buffer.from(entity).toString('base64') },
  };
}

function contextsOf({ input }: GatewayRow, attributes: GMap, session: GMap): ScriptContext[] {
  const uri = input.request?.uri ?? 'http://app.example.com:8080/home';
  const contexts: ScriptContext[] = [
    { name: 'root', fields: () => new Map([['id', 'root']]) },
    { name: 'session', fields: () => new Map([['session', session]]) },
    { name: 'attributes', fields: () => new Map([['attributes', attributes]]) },
    { name: 'client', fields: () => new Map([...fieldsOf({ remoteAddress: '192.0.2.10', ...input.client })]) },
  ];
  const { oauth2 } = input;
  if (oauth2 !== undefined) {
    const token = (machine: Machine): TokenInfo =>
      new TokenInfo(
        machine,
        new JsonNode(machine, mapOf(oauth2.info)),
        oauth2.token,
        new GSet(oauth2.scopes),
        BigInt(oauth2.expiresAt),
      );
    contexts.push({ name: 'oauth2', fields: (machine) => new Map([['accessToken', token(machine)]]) });
  }
  for (const [name, fields] of Object.entries(input.contexts ?? {}))
    contexts.push({ name, fields: () => fieldsOf(fields) });
  contexts.push({
    name: 'router',
    fields: (machine) => {
      const original = new UriValue(machine, input.originalUri ?? uri);
      const path = new UriValue(machine, uri).parts.path ?? '';
      return new Map<string, Value>([
        ['originalUri', original],
        ['matchedUri', ''],
        ['baseUri', ''],
        ['remainingUri', path.replace(/^\//, '')],
        ['uriTemplateVariables', new GMap()],
      ]);
    },
  });
  return contexts;
}

/** Runs the script of a row against doubles of the gateway, and compares. */
export async function replayGatewayRow(row: GatewayRow): Promise<RowOutcome> {
  const { input, expected } = row;
  let script: ReturnType<typeof compileGatewayScript>;
  try {
    script = compileGatewayScript(row.script);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    if (expected['outcome'] === 'compile-error') return { verdict: 'same' };
    const { line, column } = error.place;
    return { verdict: error.isUnsupported ? 'refused' : 'different', reason: `${error.message} (${line}:${column})` };
  }
  const classes = groovyClasses();
  const globals = new GMap(classes.named('java.util.concurrent.ConcurrentHashMap'), 'hash');
  const session = mapOf(input.session);
  let observed: object = {};
  for (let turn = 0; turn < (input.repeat ?? 1); turn++) observed = await oneRun(row, script, globals, session);
  const problem = (Reflect.get(observed, 'error') as ErrorForm | undefined)?.message ?? '';
  if (problem.includes('is not available')) return { verdict: 'refused', reason: problem };
  const lines = differences(observed, expected);
  return lines.length === 0 ? { verdict: 'same' } : { verdict: 'different', reason: lines.join('; ') };
}

async function oneRun(
  row: GatewayRow,
  script: ReturnType<typeof compileGatewayScript>,
  globals: GMap,
  session: GMap,
): Promise<object> {
  const { input, kind } = row;
  const attributes = new GMap(HASH_MAP, 'hash');
  for (const { entryKey, value } of mapOf(input.attributes).entries()) attributes.put(entryKey, value);
  const log: string[] = [];
  const forwarded: object[] = [];
  const sent: object[] = [];
  const form = ({ method, uri, headers, entity }: SentRequest): object => ({
    method,
    uri,
    ...messageForm(headers, entity),
  });
  let stdout = '';
  const request: PlainRequest = {
    method: input.request?.method ?? 'GET',
    uri: input.request?.uri ?? 'http://app.example.com:8080/home',
    ...contentOf(input.request ?? {}),
  };
  const { machine, outcome } = await runGatewayScript(script, {
    kind,
    ...(kind === 'accessTokenResolver' ? { token: input.token ?? '' } : { request }),
    host: {
      next: (each) => {
        forwarded.push(form(each));
        return Promise.resolve(responseOf(input.downstream ?? {}));
      },
      send: (each) => {
        sent.push(form(each));
        const rule = (input.http ?? []).find(
          ({ method = each.method, uri = '' }) => method === each.method && each.uri.startsWith(uri),
        );
        return Promise.resolve(responseOf(rule ?? { status: 502 }));
      },
      log: (level, message) => void log.push(`${level} ${message}`),
    },
    contexts: contextsOf(row, attributes, session),
    attributes,
    session,
    globals,
    properties: fieldsOf(input.properties ?? {}),
    args: fieldsOf(input.args ?? {}),
    surroundings: { environment: {}, properties: {} },
    print: (text) => {
      stdout += text;
    },
  });
  return {
    ...outcomeForm(machine, kind, outcome),
    forwarded,
    sent,
    attributes: canonical(machine, attributes),
    session: canonical(machine, session),
    globals: canonical(machine, globals),
    log,
    stdout,
  };
}

function outcomeForm(machine: Machine, kind: ScriptKind, outcome: GatewayOutcome): object {
  const isMessage = kind === 'filter' || kind === 'handler';
  if (outcome.kind !== 'value') {
    const { javaClass, message, cause } = outcome.throwable;
    const error = { class: javaClass.name, message, cause: cause === null ? undefined : machine.classOf(cause).name };
    return { outcome: outcome.kind, error, ...(isMessage ? { httpStatus: 500 } : {}) };
  }
  const { value } = outcome;
  if (value === null) return { outcome: 'null' };
  if (value instanceof MessageValue) {
    const { status, reason, headers, entity } = plainResponse(value);
    return { outcome: 'response', response: { status, reason, ...messageForm(headers, entity) } };
  }
  return { outcome: 'value', value: valueForm(machine, value) };
}

function valueForm(machine: Machine, value: Value): unknown {
  if (value instanceof RateValue) return `${value.requests}/${value.duration.text()}`;
  if (!(value instanceof TokenInfo)) return canonical(machine, value);
  return {
    token: value.token,
    scopes: canonical(machine, new List(value.scopes.items())),
    expiresAt: String(value.expiresAt),
    info: canonical(machine, value.info.object),
  };
}

function differences(observed: object, expected: Readonly<Record<string, unknown>>): string[] {
  const lines: string[] = [];
  for (const [name, wanted] of Object.entries(expected)) {
    const ours: unknown = Reflect.get(observed, name);
    if (name === 'error' ? isSameError(ours, wanted) : isDeepStrictEqual(plain(ours), plain(wanted))) continue;
    lines.push(`${name}: ${JSON.stringify(ours)} instead of ${JSON.stringify(wanted)}`);
  }
  return lines;
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

interface ErrorForm {
  readonly class: string;
  readonly message: string | null;
  readonly exact?: boolean;
  readonly cause?: string;
}

function isSameError(ours: unknown, wanted: unknown): boolean {
  const [a, b] = [ours as ErrorForm | undefined, wanted as ErrorForm];
  if (a === undefined || a.class !== b.class || (b.cause !== undefined && a.cause !== b.cause)) return false;
  const message = a.message?.split(/\n?Possible solutions: /)[0]?.replace(/@[0-9a-f]{5,8}\b/g, '@HASH') ?? null;
  return b.exact !== true || message === b.message;
}
