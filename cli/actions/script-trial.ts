import { extname } from 'node:path';
import type { Shapes } from '../../contract/expression/language.ts';
import { ValueProblem } from '../../contract/problem.ts';
import type { Reach } from '../../contract/reach.ts';
import type { Exchange } from '../../dataplane/engine/message/exchange.ts';
import { Response } from '../../dataplane/engine/message/response.ts';
import { languageOf, scriptParts } from '../../dataplane/scripts/languages.ts';
import { BudgetExceeded } from '../../dataplane/scripts/script-budget.ts';
import { ScriptExchange } from '../../dataplane/scripts/script-exchange.ts';
import { compiling } from '../../dataplane/scripts/script-fields.ts';
import {
  ScriptFault,
  type ScriptKind,
  type ScriptOutcome,
  type ScriptResults,
} from '../../dataplane/scripts/script-language.ts';
import { SCRIPT_LIMITS, surroundingsOf } from '../../dataplane/scripts/script-setting.ts';

/** Types of objects that a script can be tried as. */
export const scriptTypes: Readonly<Record<string, ScriptKind>> = {
  ScriptableFilter: 'filter',
  ScriptableHandler: 'handler',
  ScriptableThrottlingPolicy: 'throttlingPolicy',
  ScriptableAccessTokenResolver: 'accessTokenResolver',
  ScriptableResourceAccess: 'resourceAccess',
  ScriptableResourceUriProvider: 'resourceUri',
  ScriptableJwtValidatorCustomizer: 'jwtValidator',
};

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.groovy': 'application/x-groovy',
  '.js': 'application/javascript',
  '.mjs': 'application/javascript',
};

/** A message as it is shown. */
export interface ShownMessage {
  readonly method?: string;
  readonly uri?: string;
  readonly status?: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly entity: string;
}

/** A response that a script gets from `next` and `http`. */
export interface CannedResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly entity?: unknown;
}

export interface ScriptTrialOptions {
  readonly file: string;
  readonly text: string;
  readonly kind: ScriptKind;
  readonly exchange: Exchange;
  readonly responses: readonly CannedResponse[];
  readonly args: ReadonlyMap<string, unknown>;
  readonly token: string;
  /** Claims of the JWT, for a customizer. */
  readonly claims: Readonly<Record<string, unknown>>;
  readonly shapes: Shapes;
  readonly reach: Reach;
}

/** A run of a script outside of a gateway: what it logged and sent, and its result. */
export interface ScriptTrial {
  readonly logs: readonly { readonly level: string; readonly message: string }[];
  readonly next: readonly ShownMessage[];
  readonly http: readonly ShownMessage[];
  readonly result:
    | { readonly kind: 'response'; readonly response: ShownMessage }
    | { readonly kind: 'value'; readonly value: unknown }
    | { readonly kind: 'none' | 'failed'; readonly reason: string };
}

/** Compiles and runs a script. @throws Error for a file that cannot be compiled */
export async function tryScript(options: ScriptTrialOptions): Promise<ScriptTrial> {
  const { file, text, kind, exchange, args, token, claims, shapes, reach } = options;
  const extension = extname(file);
  const type = MEDIA_TYPES[extension] ?? '';
  const language = languageOf(type);
  if (language === null) throw new Error(`'${file}' is not a script: its name must end in .groovy, .js or .mjs`);
  await Promise.all(scriptParts({ type }).map((part) => part.load()));
  for (const name of args.keys()) {
    const problem = language.argumentProblem(kind, name);
    if (problem !== null) throw new ValueProblem('value', `the argument '${name}' ${problem}`);
  }
  const variables = new Map<string, unknown>(
    kind === 'accessTokenResolver' ? [['token', token]] : kind === 'jwtValidator' ? [['claims', claims]] : [],
  );
  const program = compiling(text, file, (source) => {
    const compiled = language.compile(source);
    const missing = compiled.missing?.(kind, (name) => args.has(name)) ?? null;
    if (missing !== null) throw missing;
    return compiled;
  }).open({
    kind,
    realm: '',
    shapes,
    properties: new Map(),
    args,
    surroundings: surroundingsOf(reach),
    limits: SCRIPT_LIMITS,
  });
  const trial = {
    logs: [] as { level: string; message: string }[],
    next: [] as ShownMessage[],
    http: [] as ShownMessage[],
  };
  let answered = 0;
  const answer = async (into: ShownMessage[], asked: Exchange): Promise<Response> => {
    into.push(await shownRequest(asked));
    return cannedResponse(options.responses[Math.min(answered++, options.responses.length - 1)] ?? {});
  };
  const run = new ScriptExchange(
    exchange,
    kind === 'filter' ? (passed) => answer(trial.next, passed) : null,
    variables,
    (asked) => answer(trial.http, asked),
    (level, message) => trial.logs.push({ level, message }),
  );
  run.onStart = (begun) => run.limit.begin(begun);
  try {
    const outcome = await new Promise<ScriptOutcome>((resolve, reject) => {
      run.limit.reached = reject;
      program.run(run).then(resolve, reject);
    });
    if (outcome.kind === 'failed') {
      const place = outcome.line === undefined ? '' : `${file}, line ${outcome.line}: `;
      return { ...trial, result: { kind: 'failed', reason: place + outcome.reason } };
    }
    return { ...trial, result: await shownResult(outcome.value) };
  } catch (error) {
    if (!(error instanceof BudgetExceeded || error instanceof ScriptFault)) throw error;
    return { ...trial, result: { kind: 'failed', reason: error.message } };
  } finally {
    run.limit.end();
    program.close?.();
  }
}

function cannedResponse({ status = 200, headers = {}, entity = '' }: CannedResponse): Response {
  const response = new Response(status);
  for (const [name, value] of Object.entries(headers)) response.headers.append(name, value);
  response.entity.set(typeof entity === 'string' ? entity : JSON.stringify(entity));
  return response;
}

async function shownRequest({ request }: Exchange): Promise<ShownMessage> {
  const entity = (await request.entity.decoded()).toString();
  return { method: request.method, uri: String(request.uri), headers: request.headers.entries(), entity };
}

async function shownResult(value: ScriptResults[ScriptKind] | null): Promise<ScriptTrial['result']> {
  if (value === null) return { kind: 'none', reason: 'the script returned null' };
  if (value instanceof Response) {
    const entity = (await value.entity.decoded()).toString();
    return { kind: 'response', response: { status: value.status, headers: value.headers.entries(), entity } };
  }
  if (typeof value === 'string') return { kind: 'value', value };
  if ('json' in value) return { kind: 'value', value: value.json };
  if ('numberOfRequests' in value) {
    const { numberOfRequests, nanoseconds } = value;
    return { kind: 'value', value: { numberOfRequests, milliseconds: Number(nanoseconds) / 1e6 } };
  }
  if (!('expiresAt' in value)) return { kind: 'value', value: [...value] };
  const { info, token, scopes, expiresAt } = value;
  const end = Number.isFinite(expiresAt) ? expiresAt : null;
  return { kind: 'value', value: { token, scopes: [...scopes], expiresAt: end, info } };
}
