import { setImmediate } from 'node:timers/promises';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { Value as ExpressionValue } from '../../../contract/expression/value.ts';
import { BudgetExceeded, type Excess } from '../script-budget.ts';
import {
  type HeapObjectUse,
  type LogLevel,
  type RunningScript,
  type ScriptCall,
  ScriptFault,
  type ScriptOutcome,
  type ScriptSetting,
} from '../script-language.ts';
import { contextNames, contextValue } from './contexts.ts';
import {
  applyRequest,
  changesIn,
  ownMessage,
  ownRequest,
  reasonOf,
  returnedResponse,
  type SeenMessage,
  type SentRequest,
  type SentResponse,
  seenMessage,
  shownUri,
} from './messages.ts';
import { gatewayValue, hasMoreValues, passedText, plainValue } from './plain-values.ts';
import { entrance, operation, shared } from './prelude/operations.ts';
import { QuickJsLost } from './quickjs.ts';
import { resultOf } from './results.ts';
import { RunBudget } from './run-budget.ts';
import type { Given, HostArguments, Sandbox } from './sandbox.ts';

/** Most characters of a message or another value that a script hands over. */
const MOST_TEXT = 8 * 1024 * 1024;

/** Most objects, arrays and items of a value other than a message: here they are larger than in QuickJS. */
const MOST_VALUES = 20_000;

/** A guess of the bytes that a run makes, after which somebody looks at what scripts keep. */
const BYTES_PER_RUN = 16 * 1024;

const LEVELS = new Set(['trace', 'debug', 'info', 'warn', 'error']);

/** Parts of a script that its runs share. */
export interface RunHome {
  readonly sandbox: Sandbox;
  readonly setting: ScriptSetting;
  /** Names of further variables, in the order of the function of the script. */
  readonly variables: readonly string[];
  /** Objects of the heap that the script uses, by number. */
  readonly heap: readonly HeapObjectUse[];
  /** The sandbox is not to be used by other runs. */
  retire(): void;
  ended(run: JavaScriptRun): void;
}

/** One run of a script. */
export class JavaScriptRun implements RunningScript {
  readonly id: number;
  readonly made = BYTES_PER_RUN;
  readonly #home: RunHome;
  readonly #call: ScriptCall;
  readonly #budget: RunBudget;
  readonly #messages: SeenMessage[] = [];
  /** Work to begin as soon as the script waits. */
  #due: (() => Promise<void>)[] = [];
  #waiting = 0;
  #isOver = false;
  #isInside = false;
  #fault: unknown = null;
  #outcome: (() => ScriptOutcome) | null = null;
  #settle: { resolve(outcome: ScriptOutcome): void; reject(error: unknown): void } | null = null;

  constructor(id: number, home: RunHome, call: ScriptCall) {
    this.id = id;
    this.#home = home;
    this.#call = call;
    this.#budget = new RunBudget(home.setting.limits);
    this.#messages.push(seenMessage(call.exchange.request, call.untimed));
  }

  run(): Promise<ScriptOutcome> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      try {
        this.#call.started(this);
      } catch (error) {
        this.#end(() => throwing(error));
      }
      const hasRequest = this.#home.setting.kind !== 'accessTokenResolver';
      this.#enter(entrance.begin, this.id, hasRequest ? 0 : -1);
    });
  }

  expire(limit: Excess): void {
    this.#budget.expire(limit);
    if (!this.#isInside) this.#exceed(limit);
  }

  /** The memory of the script is gone, because of another run. Nobody knows if this one would have kept its limits. */
  lose(): void {
    this.#end(() => throwing(new ScriptFault('another run exceeded the limits of the script')));
  }

  #enter(...given: readonly [number, ...Given[]]): void {
    if (this.#isOver) return;
    const { sandbox } = this.#home;
    if (sandbox.quickJs.isLost) {
      this.lose();
      return;
    }
    let isWithin: boolean;
    this.#isInside = true;
    try {
      isWithin = sandbox.enter(this.#budget, ...given);
    } catch (error) {
      if (!(error instanceof QuickJsLost)) throw error;
      this.#budget.expire('time');
      isWithin = false;
    } finally {
      this.#isInside = false;
    }
    this.#call.held(this.#budget.stretch);
    if (!isWithin) this.#exceed(this.#budget.exceeded ?? 'time');
    else if (this.#fault !== null) this.#end(() => throwing(this.#fault));
    else if (this.#outcome !== null) this.#end(this.#outcome);
    else this.#begin();
  }

  #begin(): void {
    const due = this.#due;
    this.#due = [];
    for (const work of due) {
      this.#waiting++;
      void work();
    }
    if (this.#waiting === 0) this.#end(() => ({ kind: 'failed', reason: 'the promise of the script never completes' }));
  }

  #exceed(limit: Excess): void {
    if (this.#isOver) return;
    this.#end(() => {
      throw new BudgetExceeded(limit);
    });
    this.#call.exceeded(limit);
    // Runs that wait too long leave nothing behind that could run.
    if (limit !== 'timeout') this.#home.retire();
  }

  #end(outcome: () => ScriptOutcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#budget.release();
    const { sandbox } = this.#home;
    if (this.#waiting + this.#due.length > 0 && !sandbox.quickJs.isLost && !this.#isInside) this.#forget(sandbox);
    this.#home.ended(this);
    try {
      this.#settle?.resolve(outcome());
    } catch (error) {
      this.#settle?.reject(error);
    }
  }

  #forget(sandbox: Sandbox): void {
    try {
      sandbox.enter(new RunBudget(this.#home.setting.limits), entrance.forget, this.id);
    } catch (error) {
      if (!(error instanceof QuickJsLost)) throw error;
    }
  }

  /** Waits for the gateway and runs on with the values that it gives, or with an exception. */
  #wait(call: number, work: () => Promise<readonly [number, ...Given[]]>): void {
    this.#due.push(async () => {
      let entering: readonly [number, ...Given[]];
      try {
        entering = await work();
      } catch (error) {
        if (!(error instanceof ScriptFault)) {
          this.#end(() => throwing(error));
          return;
        }
        entering = [entrance.refused, call, passedText(error.message)];
      } finally {
        this.#waiting--;
      }
      if (this.#budget.isTiring) await this.#pauseForOthers();
      this.#enter(...entering);
    });
  }

  /** Values that are there at once would let the run hold the thread without end. */
  async #pauseForOthers(): Promise<void> {
    this.#waiting++;
    await setImmediate();
    this.#waiting--;
    this.#budget.rested();
  }

  /** Answers the script. Nothing may be thrown into QuickJS. */
  answer(name: number, given: HostArguments): Given | undefined {
    try {
      return this.#isOver ? undefined : this.#answer(name, given);
    } catch (error) {
      this.#fault ??= error;
      return undefined;
    }
  }

  #answer(name: number, given: HostArguments): Given | undefined {
    switch (name) {
      case operation.header:
        return this.#messages[given.number(0)]?.header(given.text(1));
      case operation.headers:
        return JSON.stringify(this.#messages[given.number(0)]?.lines() ?? []);
      case operation.field:
        return this.#field(given.number(0), given.number(1));
      case operation.contextNames:
        return JSON.stringify(contextNames(this.#call.exchange));
      case operation.context: {
        const value = contextValue(this.#call.exchange, given.text(0), this.#home.setting.shapes);
        return value === null || value === undefined ? undefined : passedText(JSON.stringify(value));
      }
      case operation.state:
        return JSON.stringify(this.#state(given.number(0)));
      case operation.store:
        return this.#store(given.number(0), this.#values(given, 1));
      case operation.next:
        return this.#next(given);
      case operation.send:
        return this.#send(given);
      case operation.entity:
        return this.#entity(given.number(0), given.number(1), given.number(2));
      case operation.done:
        return this.#done(given);
      case operation.failed:
        return this.#failed(this.#json(given, 0), given.number(1) === 1, given.number(2));
      case operation.log:
        return this.#log(given.text(0), this.#json(given, 1));
      case operation.clock:
        return this.#clock(given.number(0));
      case operation.publish:
        return this.#publish(given.number(0), this.#values(given, 1));
      default:
        return undefined;
    }
  }

  #failed(reason: string, isMemory: boolean, line: number): undefined {
    if (isMemory) this.#budget.expire('memory');
    this.#outcome ??= () => ({ kind: 'failed', reason, ...(line > 0 ? { line } : {}) });
  }

  #log(level: string, text: string): undefined {
    if (LEVELS.has(level)) this.#call.log(level as LogLevel, text);
  }

  #clock(index: number): number | undefined {
    const used = this.#home.heap[index];
    return used?.kind === 'clock' ? used.object() : undefined;
  }

  /** @returns what is wrong with the event, or nothing */
  #publish(index: number, [topic, event]: [topic: string, event: unknown]): string | undefined {
    const used = this.#home.heap[index];
    if (used?.kind !== 'auditService') return undefined;
    if (typeof event !== 'object' || event === null || Array.isArray(event))
      return passedText('the event is no object');
    const problem = this.#call.publish(used.object, topic.replace(/^\//, ''), event as JsonObject);
    return problem === null ? undefined : passedText(problem);
  }

  #json<T>(given: HostArguments, index: number, most = Number.POSITIVE_INFINITY): T {
    const text = given.text(index);
    if (text.length > MOST_TEXT) throw new ScriptFault(`a message of a script has at most ${MOST_TEXT} characters`);
    if (most !== Number.POSITIVE_INFINITY && hasMoreValues(text, most))
      throw new ScriptFault(`a script hands over at most ${most} values at a time`);
    return JSON.parse(text) as T;
  }

  #values<T>(given: HostArguments, index: number): T {
    return this.#json(given, index, MOST_VALUES);
  }

  #field(id: number, which: number): string | undefined {
    const { exchange, variables } = this.#call;
    const { request } = exchange;
    if (which === 0) return request.method;
    if (which === 1) return shownUri(request);
    const message = this.#messages[id];
    if (which === 2) return message === undefined ? undefined : reasonOf(message);
    const { shapes } = this.#home.setting;
    return JSON.stringify(this.#home.variables.map((name) => plainValue(variables.get(name), shapes)));
  }

  #state(which: number): Record<string, unknown> {
    const { attributes, session } = this.#call.exchange;
    const { shapes } = this.#home.setting;
    const entries: Iterable<readonly [string, unknown]> =
      which === shared.attributes ? attributes : (session?.names() ?? []).map((name) => [name, session!.peek(name)]);
    return Object.fromEntries([...entries].map(([name, value]) => [name, plainValue(value, shapes)]));
  }

  #store(which: number, { changed, gone }: { changed: [string, unknown][]; gone: string[] }): undefined {
    const { attributes, session } = this.#call.exchange;
    if (which === shared.session && session === null && changed.length > 0)
      throw new ScriptFault(`session.${changed[0]![0]} cannot be set: the route has no session`);
    for (const [name, value] of changed) {
      if (which === shared.attributes) attributes.set(name, gatewayValue(value));
      else session!.set(name, gatewayValue(value) as ExpressionValue);
    }
    for (const name of gone) {
      if (which === shared.attributes) attributes.delete(name);
      else session?.delete(name);
    }
  }

  /** The rest of a message, beside its headers. */
  #rest<T>(given: HostArguments, index: number): T | null {
    const length = given.has(index) ? given.text(index).length : 0;
    this.#budget.hold(length);
    return length === 0 ? null : this.#json<T>(given, index);
  }

  /** Content that is outside of the memory of the script now. */
  #kept(bytes: Uint8Array | null): Uint8Array | null {
    if (bytes !== null) this.#budget.hold(bytes.length);
    return bytes;
  }

  #next(given: HostArguments): undefined {
    const call = given.number(0);
    const headers = changesIn(given.text(1));
    const rest = this.#rest<SentRequest>(given, 2);
    const bytes = this.#kept(given.bytes(3));
    this.#wait(call, async () => {
      const { exchange, next, untimed } = this.#call;
      if (next === null) throw new ScriptFault('there is nothing behind this script');
      if (rest !== null || headers.length > 0)
        applyRequest(exchange, { isOwn: false, method: null, ...rest, headers }, bytes);
      const response = await next();
      const id = this.#messages.push(seenMessage(response, untimed)) - 1;
      return [entrance.arrived, call, response.status, id];
    });
  }

  #send(given: HostArguments): undefined {
    const call = given.number(0);
    const headers = changesIn(given.text(1));
    const rest = this.#rest<SentRequest>(given, 2);
    const bytes = this.#kept(given.bytes(3));
    const used = given.has(4) ? this.#home.heap[given.number(4)] : undefined;
    const handler = used?.kind === 'handler' ? used.object : undefined;
    this.#wait(call, async () => {
      const sent = ownRequest({ isOwn: true, method: null, ...rest, headers }, bytes);
      const response = await this.#call.send(sent, handler);
      if (!this.#isOver) this.#kept(response.content);
      const id = this.#messages.push(ownMessage(response)) - 1;
      return [entrance.arrived, call, response.status, id];
    });
  }

  #entity(call: number, id: number, form: number): undefined {
    const message = this.#messages[id];
    if (message === undefined) return;
    this.#wait(call, async () => {
      if (form === 1) return [entrance.content, call, await message.content()];
      return [entrance.content, call, passedText(await message.text())];
    });
  }

  #done(given: HostArguments): undefined {
    const form = given.number(0);
    const { kind } = this.#home.setting;
    if (form === 0) this.#outcome ??= () => ({ kind: 'value', value: null });
    else if (form === 2) {
      const value = this.#values<unknown>(given, 1);
      this.#outcome ??= () => ({ kind: 'value', value: resultOf(kind, value) });
    } else {
      if (kind !== 'filter' && kind !== 'handler') throw new ScriptFault('the result of the script is a response');
      const rest = this.#rest<SentResponse>(given, 4);
      const bytes = this.#kept(given.bytes(5));
      const headers = changesIn(given.text(3));
      const sent: SentResponse = { reason: null, ...rest, id: given.number(1), status: given.number(2), headers };
      this.#outcome ??= () => {
        const from = this.#messages[sent.id] ?? null;
        return { kind: 'value', value: returnedResponse(sent, bytes, from) };
      };
    }
  }
}

function throwing(error: unknown): never {
  throw error;
}
