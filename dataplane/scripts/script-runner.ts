import { Reference } from '../../contract/vocabulary/reference.ts';
import { CredentialMask } from '../decorators/credential-mask.ts';
import type { Exchange, Next } from '../engine/message/exchange.ts';
import type { Parts } from '../heap/definition.ts';
import { withoutToken } from '../heap/objects/access-tokens.ts';
import { objectLabels } from '../heap/objects/object-labels.ts';
import type { Held } from './bag.ts';
import { LiveScript } from './live-script.ts';
import { joinPool } from './memory-pools.ts';
import { BudgetExceeded, type Excess } from './script-budget.ts';
import { ScriptExchange } from './script-exchange.ts';
import { type ScriptConfig, scriptOf } from './script-fields.ts';
import {
  HeapObject,
  type HeapObjectUse,
  type LogLevel,
  type RunningScript,
  ScriptFault,
  type ScriptKind,
  type ScriptOutcome,
  type ScriptResults,
  ScriptSuspended,
} from './script-language.ts';
import { SCRIPT_LIMITS, surroundingsOf } from './script-setting.ts';
import { Suspension } from './suspension.ts';
import { shareOf, type ThreadShare } from './thread-share.ts';

/** Longest line of a log, and longest reason in an audit event. */
const LONGEST_LINE = 8192;
const LONGEST_REASON = 500;

/** Longest message that is searched for credentials: more than is shown, so that none is cut into an unknown form. */
const LONGEST_MASKED = 4 * LONGEST_LINE;

const mask = new CredentialMask({ headers: [], names: [], mask: '…' });

const NO_VARIABLES: ReadonlyMap<string, unknown> = new Map();

/** Value of a run, null included, or the code of a denial with its reason. */
export type ScriptVerdict<K extends ScriptKind> =
  | { readonly kind: 'value'; readonly value: ScriptResults[K] | null }
  | { readonly kind: 'none'; readonly code: ScriptDenial; readonly reason: string };

export type ScriptDenial = 'script-failed' | 'script-exceeded' | 'script-suspended';

/** A script gave no value; the log says why. */
export class NoScriptValue extends Error {
  readonly code: ScriptDenial;

  constructor(code: ScriptDenial, reason: string) {
    super(reason);
    this.code = code;
  }
}

/** Runs the script of an object for exchanges, within its limits. */
export class ScriptRunner<K extends ScriptKind> {
  readonly #parts: Parts;
  readonly #live: LiveScript;
  readonly #client: Next;
  readonly #suspension = new Suspension();
  readonly #share: ThreadShare;
  readonly #exceeded: Readonly<Record<Excess, () => void>>;
  readonly #suspended: () => void;

  constructor(kind: K, config: ScriptConfig, parts: Parts) {
    const { plane, realm, log } = parts;
    const script = scriptOf(config);
    this.#parts = parts;
    const { pool, leave } = joinPool(realm);
    parts.onClose(leave);
    this.#share = shareOf(pool);
    this.#live = new LiveScript(
      script,
      {
        kind,
        realm,
        shapes: script.shapes,
        properties: script.properties,
        args: new Map(Object.entries(config.args ?? {}).map(([name, value]) => [name, usable(value, parts)])),
        surroundings: realm === '' && plane.reach.origin === 'operator' ? surroundingsOf(plane.reach) : null,
        limits: { ...SCRIPT_LIMITS, pool },
      },
      plane.reach,
      log,
    );
    parts.onClose(() => this.#live.close());
    this.#client = parts.resolve(config.clientHandler);
    const labels = objectLabels(parts);
    const counter = (limit: Excess): (() => void) => plane.counter('gw_script_exceeded_total', { ...labels, limit });
    this.#exceeded = { time: counter('time'), memory: counter('memory'), timeout: counter('timeout') };
    this.#suspended = plane.counter('gw_script_suspended_total', labels);
    parts.onClose(plane.gauge('gw_script_suspension', labels, () => (this.#suspension.isStruck ? 1 : 0)));
  }

  /** Runs the script. The response that it returns is that of `next`, or of its own. */
  run(exchange: Exchange, next: Next | null = null, variables = NO_VARIABLES): Promise<ScriptVerdict<K>> {
    if (!this.#share.isUsedUp) return this.#begin(exchange, next, variables);
    return this.#share.later(() => this.#begin(exchange, next, variables));
  }

  /** Runs the script of an object that no request passes through. @throws NoScriptValue */
  async value(exchange: Exchange, variables = NO_VARIABLES): Promise<ScriptResults[K] | null> {
    const verdict = await this.run(exchange, null, variables);
    if (verdict.kind === 'value') return verdict.value;
    throw new NoScriptValue(verdict.code, verdict.reason);
  }

  #begin(exchange: Exchange, next: Next | null, variables: ReadonlyMap<string, unknown>): Promise<ScriptVerdict<K>> {
    const suspension = this.#suspension;
    if (suspension.isOn) return Promise.resolve(this.#refused());
    const write = (level: LogLevel, message: string) => this.#log(exchange, level, message);
    const run = new ScriptExchange(exchange, next, variables, this.#client, write);
    let running: Held<RunningScript> | null = null;
    const onHeld = (milliseconds: number) => this.#share.add(milliseconds);
    const onExceeded = () => suspension.exceeded();
    const onStart = (begun: RunningScript) => {
      if (suspension.isOn) throw new ScriptSuspended();
      running = suspension.began(begun);
      run.limit.begin(begun);
    };
    run.onHeld = onHeld;
    run.onExceeded = onExceeded;
    run.onStart = onStart;
    return new Promise((resolve, reject) => {
      let isOver = false;
      /** A run that waits too long has no verdict any more when it ends. */
      const end = (verdict: () => ScriptVerdict<K>): void => {
        if (isOver) return;
        isOver = true;
        run.limit.end();
        this.#live.ran((running as Held<RunningScript> | null)?.item.made ?? 0);
        try {
          resolve(verdict());
        } catch (error) {
          reject(error);
        } finally {
          run.settle(null);
        }
      };
      const failed = (error: unknown): void => {
        if (running !== null) suspension.ended(running);
        end(() => this.#unsuccessful(run, error));
      };
      const reached = (error: BudgetExceeded) => end(() => this.#unsuccessful(run, error));
      run.limit.reached = reached;
      const ended = (outcome: ScriptOutcome): void => {
        if (running !== null) suspension.ended(running);
        end(() => this.#verdict(run, outcome));
      };
      this.#live.current().run(run).then(ended, failed);
    });
  }

  #verdict(run: ScriptExchange, outcome: ScriptOutcome): ScriptVerdict<K> {
    this.#suspension.passed();
    if (outcome.kind === 'failed') return this.#failed(run, outcome.reason, outcome.line);
    run.settle(outcome.value);
    return { kind: 'value', value: outcome.value as ScriptResults[K] | null };
  }

  /** @throws errors that are not the script's */
  #unsuccessful(run: ScriptExchange, error: unknown): ScriptVerdict<K> {
    if (error instanceof BudgetExceeded) return this.#overdone(run, error.limit);
    if (error instanceof ScriptFault) return this.#failed(run, error.message);
    if (error instanceof ScriptSuspended) return this.#refused();
    throw error;
  }

  #failed({ exchange, variables }: ScriptExchange, told: string, line?: number): ScriptVerdict<K> {
    const { log } = this.#parts;
    const token = variables.get('token');
    // Exceptions and assertions show values that a script compares, and headers that it sets.
    const cut = shortened(told, LONGEST_MASKED);
    const reason = mask.text(typeof token === 'string' ? withoutToken(cut, token) : cut);
    const fields = { ...this.#fields(exchange), ...(line === undefined ? {} : { line }) };
    log.warn(fields, shortened(`script failed: ${reason}`, LONGEST_LINE));
    const place = line === undefined ? '' : `${this.#live.file ?? 'the script'}, line ${line}: `;
    return { kind: 'none', code: 'script-failed', reason: shortened(place + reason, LONGEST_REASON) };
  }

  #refused(): ScriptVerdict<K> {
    this.#suspended();
    return { kind: 'none', code: 'script-suspended', reason: 'the script is suspended' };
  }

  #overdone(run: ScriptExchange, limit: Excess): ScriptVerdict<K> {
    if (limit === 'timeout' && run.exchange.over)
      return { kind: 'none', code: 'script-exceeded', reason: 'the client left while the script waited' };
    this.#exceeded[limit]();
    run.exceeded(limit);
    const { pause = null } = run;
    const { log } = this.#parts;
    const fields = {
      ...this.#fields(run.exchange),
      limit,
      ...(pause === null ? {} : { suspendedMilliseconds: pause }),
    };
    log.warn(
      fields,
      pause === null ? 'script exceeded its budget' : 'script exceeded its budget again; it is suspended',
    );
    return { kind: 'none', code: 'script-exceeded', reason: `the script exceeded its limit of ${limit}` };
  }

  #log(exchange: Exchange, level: LogLevel, message: string): void {
    this.#parts.log[level](this.#fields(exchange), shortened(message, LONGEST_LINE));
  }

  #fields(exchange: Exchange): Record<string, unknown> {
    const { file } = this.#live;
    return { route: exchange.route, requestId: exchange.ids?.requestId, ...(file === null ? {} : { file }) };
  }
}

/** Objects of the heap as scripts use them. The check of the document lets no other kinds pass. */
function usable(value: unknown, parts: Parts): unknown {
  if (!(value instanceof Reference)) return value;
  const kind = parts.kindOf(value);
  return new HeapObject({ kind, object: parts.resolve(value as Reference<'any'>) } as HeapObjectUse);
}

function shortened(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}
