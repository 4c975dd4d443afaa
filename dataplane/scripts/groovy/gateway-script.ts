import type { BudgetLimits } from '../script-budget.ts';
import type { ScriptKind, Surroundings } from '../script-language.ts';
import { type CompiledScript, compileScript } from './compile/compile-script.ts';
import {
  type ContextFields,
  type ContextParent,
  ContextValue,
  contextClasses,
  contextsMap,
  GENERIC_CONTEXT,
} from './library/gateway/contexts.ts';
import { HostObject, RateValue, type ScriptHost, TokenInfo, wrongResult } from './library/gateway/gateway-objects.ts';
import { JWT_VARIABLES } from './library/gateway/jwt-validator.ts';
import { MessageValue, type PlainRequest, plainHeaders, requestValue } from './library/gateway/messages.ts';
import { PromiseValue } from './library/gateway/promises.ts';
import { groovyClasses } from './runtime/groovy-classes.ts';
import type { Machine } from './runtime/machine.ts';
import { runScriptTo } from './runtime/script-run.ts';
import type { GivenVariables } from './runtime/script-variables.ts';
import type { ScriptTexts } from './runtime/shell/script-texts.ts';
import { type GMap, GSet } from './values/collections.ts';
import type { Value } from './values/java-class.ts';
import { Throwable, Thrown } from './values/throwable.ts';

/** Packages and classes that scripts of the gateway need not import. */
const PACKAGES = ['org.forgerock.http.protocol'];
const IMPORTS = [
  'org.forgerock.http.Client',
  'org.forgerock.http.Filter',
  'org.forgerock.http.Handler',
  'org.forgerock.http.filter.throttling.ThrottlingRate',
  'org.forgerock.http.util.Uris',
  'org.forgerock.util.AsyncFunction',
  'org.forgerock.util.Function',
  'org.forgerock.util.promise.NeverThrowsException',
  'org.forgerock.util.promise.Promise',
  'org.forgerock.services.context.Context',
  'org.forgerock.json.JsonValue',
  'org.forgerock.http.oauth2.AccessTokenInfo',
];
const STATICS = [
  ...['json', 'object', 'field', 'array'].map((name) => `org.forgerock.json.JsonValue.${name}`),
  'org.forgerock.util.promise.Promises.newResultPromise',
];

/** Compiles a script of the gateway; throws a ScriptError that names the place of a problem. */
export function compileGatewayScript(source: string): CompiledScript {
  return compileScript(source, { classes: groovyClasses(), packages: PACKAGES, imports: IMPORTS, statics: STATICS });
}

/** One context of the request, with its properties. */
export interface ScriptContext {
  readonly name: string;
  readonly fields: (machine: Machine) => ContextFields;
}

export interface LateContexts {
  readonly leaf: ScriptContext;
  above(): readonly ScriptContext[];
}

/** Variables of a script, by name; those of the gateway are made when the script asks for them. */
export type Variables = ReadonlyMap<string, Value> | LateVariables;

export interface LateVariables {
  readonly names: readonly string[];
  make(machine: Machine, name: string): Value;
}

/** Objects and settings of one run of a script. */
export interface GatewayRun {
  readonly kind: ScriptKind;
  readonly host: ScriptHost;
  /** Absent for access token resolvers. */
  readonly request?: PlainRequest | undefined;
  /** From the root to the leaf, or the leaf with a function for those above it. */
  readonly contexts: readonly ScriptContext[] | LateContexts;
  readonly attributes: GMap;
  readonly session: GMap;
  readonly globals: GMap;
  readonly token?: string | undefined;
  /** Further variables of ours. */
  readonly extra?: LateVariables | undefined;
  /** Properties of the configuration: a name of ours wins. */
  readonly properties: Variables;
  /** Arguments of the script object: a name of ours is an error. */
  readonly args: Variables;
  readonly surroundings?: Surroundings | undefined;
  readonly print?: (text: string) => void;
  /** Texts that earlier runs evaluated. */
  readonly texts?: ScriptTexts;
  /** By default those of the tests, which are long. */
  readonly limits?: BudgetLimits;
}

/** Result of a script, or its exception. */
export type GatewayOutcome =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'error' | 'exception' | 'runtime-exception'; readonly throwable: Throwable };

const results: Readonly<Record<ScriptKind, { readonly type: string; is(value: Value): boolean }>> = {
  filter: { type: 'org.forgerock.http.protocol.Response', is: isResponse },
  handler: { type: 'org.forgerock.http.protocol.Response', is: isResponse },
  throttlingPolicy: {
    type: 'org.forgerock.http.filter.throttling.ThrottlingRate',
    is: (value) => value instanceof RateValue,
  },
  resourceAccess: { type: 'java.util.Set', is: (value) => value instanceof GSet },
  resourceUri: { type: 'java.lang.String', is: (value) => typeof value === 'string' },
  accessTokenResolver: { type: 'org.forgerock.http.oauth2.AccessTokenInfo', is: (value) => value instanceof TokenInfo },
  // Its builder has the result.
  jwtValidator: { type: 'java.lang.Object', is: () => true },
  transformation: { type: 'java.lang.Object', is: () => true },
};

function isResponse(value: Value): boolean {
  return value instanceof MessageValue && value.javaClass.simpleName === 'Response';
}

/** Runs a script of the gateway. Errors that exceed the budget of the script are thrown. */
export function runGatewayScript(
  script: CompiledScript,
  run: GatewayRun,
): Promise<{ readonly machine: Machine; readonly outcome: GatewayOutcome }> {
  return gatewayScript(script, run, (machine, outcome) => ({ machine, outcome }));
}

/** The same with a result that is read as soon as the script ends: each further promise costs time. */
export function gatewayScript<T>(
  script: CompiledScript,
  run: GatewayRun,
  read: (machine: Machine, outcome: GatewayOutcome) => T,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const options = {
      print: run.print,
      limits: run.limits,
      texts: run.texts,
      finish: (machine: Machine) => run.host.finished?.(machine),
      prepare: (machine: Machine) => {
        run.host.started?.(machine);
        machine.surroundings = run.surroundings ?? null;
        bind(machine, run);
      },
    };
    runScriptTo(script, options, (machine) => {
      const end = (outcome: () => GatewayOutcome): void => {
        machine.budget.release();
        try {
          resolve(read(machine, outcome()));
        } catch (error) {
          reject(error);
        }
      };
      return {
        paused: (milliseconds) => run.host.paused?.(machine, milliseconds),
        resolve: (value) => end(() => outcomeOf(machine, run.kind, value)),
        reject: (error) =>
          end(() => {
            if (!(error instanceof Thrown)) throw error;
            return { kind: 'error', throwable: error.throwable };
          }),
      };
    });
  });
}

function outcomeOf(machine: Machine, kind: ScriptKind, value: Value): GatewayOutcome {
  if (value instanceof PromiseValue) {
    const { outcome } = value;
    if (outcome === null) {
      const throwable = new Throwable(
        machine.class('java.util.concurrent.TimeoutException'),
        'the promise of the script never completes',
      );
      return { kind: 'exception', throwable };
    }
    if (outcome.kind === 'result') return checked(machine, kind, outcome.value);
    return { kind: outcome.kind === 'runtime' ? 'runtime-exception' : 'exception', throwable: outcome.value };
  }
  return checked(machine, kind, value);
}

function checked(machine: Machine, kind: ScriptKind, value: Value): GatewayOutcome {
  const wanted = results[kind];
  if (value instanceof MessageValue && isResponse(value) && value.status === null && kind !== 'transformation')
    return { kind: 'error', throwable: withoutStatus(machine) };
  if (value === null || wanted.is(value)) return { kind: 'value', value };
  return { kind: 'error', throwable: wrongResult(machine, wanted.type, value) };
}

function withoutStatus(machine: Machine): Throwable {
  return new Throwable(machine.class('java.lang.NullPointerException'), 'the response of the script has no status');
}

const COMMON = ['attributes', 'session', 'globals', 'context', 'contexts', 'logger', 'http'];

/** Names of ours, by the kind of script. */
export const ownVariables: Readonly<Record<ScriptKind, readonly string[]>> = {
  filter: [...COMMON, 'request', 'next'],
  handler: [...COMMON, 'request'],
  throttlingPolicy: [...COMMON, 'request'],
  resourceAccess: [...COMMON, 'request'],
  resourceUri: [...COMMON, 'request'],
  accessTokenResolver: [...COMMON, 'token'],
  jwtValidator: [...COMMON, 'request', ...JWT_VARIABLES],
  transformation: ['value', 'logger'],
};

/** Sets the variables of a script. */
function bind(machine: Machine, run: GatewayRun): void {
  const args = namesOf(run.args);
  const own = ownVariables[run.kind];
  for (const name of args)
    if (own.includes(name))
      throw new Thrown(
        new Throwable(machine.class('javax.script.ScriptException'), `Can't override the binding named ${name}`),
      );
  const properties = namesOf(run.properties);
  const names = properties.length + args.length === 0 ? own : [...new Set([...properties, ...own, ...args])];
  machine.variables.give(new RunVariables(machine, run, names, args));
}

class RunVariables implements GivenVariables {
  readonly names: readonly string[];
  readonly #machine: Machine;
  readonly #run: GatewayRun;
  readonly #args: readonly string[];
  #leaf: ContextValue | null | undefined = undefined;

  constructor(machine: Machine, run: GatewayRun, names: readonly string[], args: readonly string[]) {
    this.names = names;
    this.#machine = machine;
    this.#run = run;
    this.#args = args;
  }

  make(name: string): Value {
    const [machine, run] = [this.#machine, this.#run];
    if (this.#args.includes(name)) return variableOf(machine, run.args, name);
    if (!ownVariables[run.kind].includes(name)) return variableOf(machine, run.properties, name);
    switch (name) {
      case 'attributes':
        return run.attributes;
      case 'session':
        return run.session;
      case 'globals':
        return run.globals;
      case 'context':
        return this.#context();
      case 'contexts': {
        const leaf = this.#context();
        return leaf === null ? null : contextsMap(leaf);
      }
      case 'request':
        return run.request === undefined ? null : requestValue(machine, run.request);
      case 'next':
        return new HostObject(machine, 'org.forgerock.http.NextHandler', run.host);
      case 'http':
        return new HostObject(machine, 'org.forgerock.http.Client', run.host);
      case 'token':
        return run.token ?? null;
      case 'logger':
        return new HostObject(machine, 'org.slf4j.Logger', run.host);
      default:
        return run.extra?.make(machine, name) ?? null;
    }
  }

  #context(): ContextValue | null {
    if (this.#leaf === undefined) this.#leaf = this.#makeContext();
    return this.#leaf;
  }

  /** Most scripts only hand the context on: those above the innermost one are made when a script asks for them. */
  #makeContext(): ContextValue | null {
    const [machine, { contexts }] = [this.#machine, this.#run];
    if (!('leaf' in contexts)) return leafOf(machine, contexts);
    return contextOf(machine, contexts.leaf, () => leafOf(machine, contexts.above()));
  }
}

function leafOf(machine: Machine, contexts: readonly ScriptContext[]): ContextValue | null {
  let leaf: ContextValue | null = null;
  for (const context of contexts) leaf = contextOf(machine, context, leaf);
  return leaf;
}

function contextOf(machine: Machine, { name, fields }: ScriptContext, parent: ContextParent): ContextValue {
  return new ContextValue(machine, contextClasses[name] ?? GENERIC_CONTEXT, name, parent, fields(machine));
}

function namesOf(given: Variables): readonly string[] {
  return 'names' in given ? given.names : [...given.keys()];
}

function variableOf(machine: Machine, given: Variables, name: string): Value {
  return 'names' in given ? given.make(machine, name) : (given.get(name) ?? null);
}

/** A response as the gateway sends it. */
export function plainResponse(message: MessageValue): {
  status: number | null;
  reason: string | null;
  headers: [string, string[]][];
  entity: Uint8Array;
} {
  return {
    status: message.status?.code ?? null,
    reason: message.status?.reason ?? null,
    headers: plainHeaders(message),
    entity: message.entity.bytes,
  };
}
