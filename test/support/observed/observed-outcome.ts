import type { Path, Problem } from '../../../contract/problem.ts';
import { ask } from '../clients/answers.ts';
import type { ObservedRequest, ObservedResponse } from './observed-row.ts';

/** What came of a row, line by line, so that two outcomes can be told apart by what only one of them says. */
export type Outcome = readonly string[];

/** What the real names of the places are that the rows write as `gw.test`, `app.test` and `BASE`. */
export interface Places {
  readonly gateway: string;
  readonly backend: string;
  readonly instance: string;
}

/** Of one connection only, or of the container that OpenIG ran in. */
const NOT_COMPARED = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'date',
  'content-language',
  'x-request-id',
]);
/** What a client of OpenIG said of itself to the backend. */
const NOT_COMPARED_BEHIND = new Set(['connection', 'user-agent']);

/** What OpenIG answered. */
export function observedOutcome({ status, headers = [], body = '' }: ObservedResponse): Outcome {
  const isWhole = headers.includes(`Content-Length: ${Buffer.byteLength(body.replaceAll('\ufffd', '?'))}`);
  return messageLines({ status: status!, headers, body, hasLength: isWhole || body === '', isOwn: () => false });
}

/** Sends the request of a row to the gateway. @returns what came of it. */
export async function sentOutcome(port: number, request: ObservedRequest, places: Places): Promise<Outcome> {
  const { method = 'GET', path = '/', headers = [], host = places.gateway } = request;
  const body = typeof request.body === 'string' ? request.body : '';
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const given = [`${method} ${path} HTTP/1.1`, `Host: ${host}`, ...headers, ...length];
  const lines = given.map((line) => `${line.replaceAll('app.test', places.backend)}\r\n`);
  const answer = await ask(port, lines.join(''), Buffer.from(body).toString('latin1'));
  const text = Buffer.from(answer.body, 'latin1').toString();
  const shown = named(text, places);
  return messageLines({
    status: answer.status,
    headers: answer.head
      .split('\r\n')
      .slice(1)
      .map((line) => named(line, places)),
    body: isRefusal(answer.status, shown) ? '' : shown,
    hasLength: shown === text && !isRefusal(answer.status, shown),
    isOwn: ownWords(port, host, places),
  });
}

/** A text with the names that the rows use, and without what is another one every time. */
function named(text: string, { gateway, backend, instance }: Places): string {
  return text
    .replaceAll(gateway, 'gw.test')
    .replaceAll(backend, 'app.test')
    .replaceAll(instance, 'BASE')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'MOMENT')
    .replace(/\b\d{10}\b/g, 'SECONDS');
}

/** Headers that say where a request came from: the gateway's own words, which OpenIG does not say. */
function ownWords(port: number, host: string, { gateway }: Places): (name: string, value: string) => boolean {
  const words: Readonly<Record<string, string>> = {
    via: '1.1 gatewarden',
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-proto': 'http',
    'x-forwarded-port': String(port),
    'x-forwarded-host': host === gateway ? 'gw.test' : host,
  };
  return (name, value) => words[name] === value;
}

/** The engine says why it refuses, as docs/errors.md has it; OpenIG's own answers are empty. */
function isRefusal(status: number, body: string): boolean {
  return body.startsWith(`{"code":${status},`) && body.includes('"refusal":');
}

interface Message {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
  /** Whether its length says anything: that of a text in which names were replaced does not. */
  readonly hasLength: boolean;
  isOwn(name: string, value: string): boolean;
}

function messageLines({ status, headers, body, hasLength, isOwn }: Message): Outcome {
  const isEchoed = headers.includes('x-backend: echo');
  const isRefused = body === '' && !hasLength;
  const fields = headers.map(fieldOf).filter(([name, value]) => {
    if (name === 'content-length') return !isEchoed && hasLength && value !== '0';
    if (name === 'content-type' && isRefused) return false;
    return !NOT_COMPARED.has(name) && !(name === 'set-cookie' && /^(?:JSESSIONID|IG_SESSIONID)=/.test(value));
  });
  const content = isEchoed ? echoLines(body, isOwn) : [`body: ${body}`];
  return [
    `status: ${status}`,
    ...fields.map(([name, value]) => `${name}: ${withoutSession(name, value)}`).sort(),
    ...content,
  ];
}

/** A cookie with a session has another text each time. */
function withoutSession(name: string, value: string): string {
  return name === 'set-cookie' ? value.replace(/^(\w+)=eyJ[^;]*/, '$1=JWT') : value;
}

/** What the backend was sent. */
function echoLines(body: string, isOwn: (name: string, value: string) => boolean): string[] {
  const echo = JSON.parse(body) as { method: string; url: string; rawHeaders: string[]; body: string };
  const headers: string[] = [];
  for (let at = 0; at < echo.rawHeaders.length; at += 2) {
    const name = echo.rawHeaders[at]!.toLowerCase();
    const value = echo.rawHeaders[at + 1]!;
    if (!NOT_COMPARED_BEHIND.has(name) && !isOwn(name, value)) headers.push(`backend ${name}: ${value}`);
  }
  return [`backend: ${echo.method} ${echo.url}`, ...headers.sort(), `backend body: ${echo.body}`];
}

function fieldOf(line: string): [name: string, value: string] {
  const [, name, value] = /^([^:]*):\s*(.*)$/.exec(line)!;
  const lower = name!.toLowerCase();
  return [lower, lower === 'content-type' ? value!.toLowerCase().replaceAll('; ', ';') : value!];
}

/** What OpenIG said of a route: that it is loaded, or what is wrong with it and where. */
export function observedLoading({ status, body = '' }: ObservedResponse): Outcome {
  if (status! < 300) return ['loaded'];
  const { cause } = JSON.parse(body) as { cause?: { message?: string } };
  const place = /^(\/[\w/-]+): /.exec(cause?.message ?? '')?.[1];
  return place === undefined ? ['refused'] : ['refused', `at ${place}`];
}

/** The same for the problems that we find; of several places, the one that OpenIG names counts. */
export function foundLoading(problems: readonly Problem[], observed: Outcome): Outcome {
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return ['loaded'];
  if (observed.length === 1 && observed[0] === 'refused') return observed;
  const places = errors.map(({ path }) => `at ${pointer(path)}`);
  const place = places.find((one) => observed.includes(one)) ?? places[0]!;
  return ['refused', place];
}

function pointer(path: Path): string {
  return `/${path.join('/')}`;
}

/** A route that should have answered and has errors. */
export function unloadedOutcome(problems: readonly Problem[]): Outcome {
  const errors = problems.filter(({ severity }) => severity === 'error');
  return errors.map(({ code, path }) => `${code} at ${pointer(path)}`);
}

/** Longer lines are compared and shown up to here. */
const LONGEST = 90;

/** What two outcomes do not have in common: `- …` for what only the first says, `+ …` for what only the second does. */
export function differenceOf(reference: Outcome, ours: Outcome): string[] {
  return [
    ...without(reference, ours).map((line) => `- ${line}`.slice(0, LONGEST)),
    ...without(ours, reference).map((line) => `+ ${line}`.slice(0, LONGEST)),
  ];
}

function without(lines: Outcome, others: Outcome): string[] {
  const rest = [...others];
  return lines.filter((line) => {
    const at = rest.indexOf(line);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}
