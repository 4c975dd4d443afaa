import { setImmediate } from 'node:timers/promises';
import type { Response } from '../../engine/message/response.ts';
import { BudgetExceeded, type Excess } from '../script-budget.ts';
import { type RunningScript, type ScriptCall, ScriptFault, type ScriptOutcome } from '../script-language.ts';
import { checkFinal } from '../script-messages.ts';
import type { Given, HostArguments } from './given-to-host.ts';
import { type Changes, changesIn, NO_CHANGES } from './header-changes.ts';
import {
  applyRequest,
  ownMessage,
  ownRequest,
  returnedResponse,
  type SeenMessage,
  type SentRequest,
  type SentResponse,
  seenMessage,
} from './messages.ts';
import { passedText } from './plain-values.ts';
import { entrance, operation } from './prelude/operations.ts';
import { QuickJsLost } from './quickjs.ts';
import { resultOf } from './results.ts';
import { type AnsweredRun, answerRun, readJson, readValues, type SharedParts } from './run-answers.ts';
import { RunBudget } from './run-budget.ts';
import type { PassedOn, Result, Written } from './run-result.ts';
import type { Entering, Sandbox } from './sandbox.ts';

/** A guess of the bytes that a run makes, after which somebody looks at what scripts keep. */
const BYTES_PER_RUN = 16 * 1024;

/** Parts of a script that its runs share. */
export interface RunHome extends SharedParts {
  readonly sandbox: Sandbox;
  /** The sandbox is not to be used by other runs. */
  retire(): void;
  ended(run: JavaScriptRun): void;
}

/**
 * One run of a script. It keeps no functions that were made for it: the collector of young objects would keep everything
 * that they can reach.
 */
export class JavaScriptRun implements RunningScript, Entering, AnsweredRun {
  readonly id: number;
  readonly made = BYTES_PER_RUN;
  readonly budget: RunBudget;
  promise = 0;
  passed = 0;
  isPassing = false;
  readonly home: RunHome;
  readonly call: ScriptCall;
  readonly messages: SeenMessage[];
  /** Number of the call that passed the request on last. */
  #passedCall = 0;
  /** Work to begin as soon as the script waits. */
  #due: (PassedOn | (() => Promise<void>))[] | null = null;
  #waiting = 0;
  #isOver = false;
  #isInside = false;
  #fault: unknown = null;
  #result: Result | null = null;
  #resolve: ((outcome: ScriptOutcome) => void) | null = null;
  #reject: ((error: unknown) => void) | null = null;

  constructor(id: number, home: RunHome, call: ScriptCall) {
    this.id = id;
    this.home = home;
    this.call = call;
    this.budget = new RunBudget(home.setting.limits);
    this.messages = [seenMessage(call.exchange.request, call.untimed)];
  }

  run(): Promise<ScriptOutcome> {
    const { promise, resolve, reject } = Promise.withResolvers<ScriptOutcome>();
    this.#resolve = resolve;
    this.#reject = reject;
    try {
      this.call.started(this);
    } catch (error) {
      this.#fail(error);
    }
    const hasRequest = this.home.setting.kind !== 'accessTokenResolver';
    this.#enter(entrance.begin, this.id, hasRequest ? 0 : -1);
    return promise;
  }

  expire(limit: Excess): void {
    this.budget.expire(limit);
    if (!this.#isInside) this.#exceed(limit);
  }

  /**
   * The memory of the script is gone, because of another run. Nobody knows if this one would have kept its limits, unless
   * it has nothing left to do.
   */
  lose(): void {
    if (!this.isPassing) this.#fail(new ScriptFault('another run exceeded the limits of the script'));
  }

  #enter(kind: number, a: Given, b?: Given, c?: Given): void {
    if (this.#isOver) return;
    const { sandbox } = this.home;
    if (sandbox.quickJs.isLost) {
      this.lose();
      return;
    }
    let isWithin: boolean;
    this.#isInside = true;
    try {
      isWithin = sandbox.enter(this, kind, a, b, c);
    } catch (error) {
      if (!(error instanceof QuickJsLost)) throw error;
      this.budget.expire('time');
      isWithin = false;
    } finally {
      this.#isInside = false;
    }
    this.call.held(this.budget.stretch);
    if (!isWithin) this.#exceed(this.budget.exceeded ?? 'time');
    else if (this.#fault !== null) this.#fail(this.#fault);
    else if (this.#result !== null) this.#succeed(this.#result);
    else this.#begin();
  }

  #begin(): void {
    const due = this.#due;
    this.#due = null;
    if (due !== null)
      for (const work of due) {
        this.#waiting++;
        if (typeof work === 'function') void work();
        else this.#pass(work);
      }
    if (this.#waiting === 0)
      this.#succeed({ kind: 'failed', reason: 'the promise of the script never completes', line: 0 });
  }

  #exceed(limit: Excess): void {
    if (this.#isOver) return;
    this.#fail(new BudgetExceeded(limit));
    this.call.exceeded(limit);
    // Runs that wait too long leave nothing behind that could run.
    if (limit !== 'timeout') this.home.retire();
  }

  #succeed(result: Result): void {
    if (!this.#end()) return;
    let outcome: ScriptOutcome;
    try {
      outcome = this.#outcome(result);
    } catch (error) {
      this.#reject?.(error);
      return;
    }
    this.#resolve?.(outcome);
  }

  #fail(error: unknown): void {
    if (this.#end()) this.#reject?.(error);
  }

  /** @returns false if the run was over already */
  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.budget.release();
    const { sandbox } = this.home;
    if (this.#waiting + (this.#due?.length ?? 0) > 0 && !sandbox.quickJs.isLost && !this.#isInside)
      this.#forget(sandbox);
    if (this.promise !== 0) sandbox.release(this);
    this.home.ended(this);
    return true;
  }

  /** @throws ScriptFault */
  #outcome(result: Result): ScriptOutcome {
    if (result.kind === 'failed') {
      const { kind, reason, line } = result;
      return line > 0 ? { kind, reason, line } : { kind, reason };
    }
    if (result.kind === 'passed') {
      const { response } = result;
      checkFinal(response);
      return { kind: 'value', value: response };
    }
    const { kind } = this.home.setting;
    if (result.kind === 'value')
      return { kind: 'value', value: result.value === null ? null : resultOf(kind, result.value) };
    const { sent, bytes } = result;
    return { kind: 'value', value: returnedResponse(sent, bytes, this.messages[sent.id] ?? null) };
  }

  #forget(sandbox: Sandbox): void {
    const budget = new RunBudget(this.home.setting.limits);
    try {
      sandbox.enter({ id: this.id, budget, promise: 0, passed: 0, isPassing: false }, entrance.forget, this.id);
    } catch (error) {
      if (!(error instanceof QuickJsLost)) throw error;
    }
  }

  /** Passes the request on, and runs on with the response. */
  #pass({ call, headers, rest, bytes }: PassedOn): void {
    let response: Promise<Response>;
    try {
      const { exchange, next } = this.call;
      if (next === null) throw new ScriptFault('there is nothing behind this script');
      if (rest !== null) applyRequest(exchange, { ...rest, headers }, bytes);
      else if (headers.length > 0) applyRequest(exchange, { isOwn: false, method: null, headers }, bytes);
      response = next();
    } catch (error) {
      response = Promise.reject(error);
    }
    response.then(
      (arrived) => {
        if (this.#isLast(call)) {
          this.#finish({ kind: 'passed', response: arrived });
          return;
        }
        const id = this.messages.push(seenMessage(arrived, this.call.untimed)) - 1;
        this.#goOn(entrance.arrived, call, arrived.status, id);
      },
      (error: unknown) => this.#refused(call, error),
    );
  }

  /** True if the script has ended, and its result is that of this call. */
  #isLast(call: number): boolean {
    return this.isPassing && call === this.#passedCall;
  }

  /** Ends a run that waited for its result only. */
  #finish(result: Result): void {
    this.#waiting--;
    const { exceeded } = this.budget;
    if (exceeded === null) this.#succeed(result);
    else this.#exceed(exceeded);
  }

  #refused(call: number, error: unknown): void {
    if (error instanceof ScriptFault && this.#isLast(call))
      this.#finish({ kind: 'failed', reason: `TypeError: ${error.message}`, line: 0 });
    else if (error instanceof ScriptFault) this.#goOn(entrance.refused, call, passedText(error.message));
    else {
      this.#waiting--;
      this.#fail(error);
    }
  }

  /** Runs on with values that the run waited for. */
  #goOn(kind: number, call: number, b: Given, c?: Given): void {
    if (this.budget.isTiring) void this.#pauseForOthers(kind, call, b, c);
    else {
      this.#waiting--;
      this.#enter(kind, call, b, c);
    }
  }

  /** Values that are there at once would let the run hold the thread without end. */
  async #pauseForOthers(kind: number, call: number, b: Given, c?: Given): Promise<void> {
    await setImmediate();
    this.#waiting--;
    this.budget.rested();
    this.#enter(kind, call, b, c);
  }

  /** Waits for the gateway, and runs on with the values that it gives or with an exception. */
  #wait(call: number, work: () => Promise<readonly [kind: number, b: Given, c?: Given]>): void {
    this.#later(async () => {
      let given: readonly [kind: number, b: Given, c?: Given];
      try {
        given = await work();
      } catch (error) {
        this.#refused(call, error);
        return;
      }
      const [kind, b, c] = given;
      this.#goOn(kind, call, b, c);
    });
  }

  #later(work: PassedOn | (() => Promise<void>)): undefined {
    this.#due ??= [];
    this.#due.push(work);
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
      case operation.next:
        return this.#next(given);
      case operation.send:
        return this.#send(given);
      case operation.entity:
        return this.#entity(given.number(0), given.number(1), given.number(2));
      case operation.done:
        return this.#done(given);
      case operation.failed:
        return this.#failed(readJson(given, 0), given.number(1) === 1, given.number(2));
      default:
        return answerRun(this, name, given);
    }
  }

  #failed(reason: string, isMemory: boolean, line: number): undefined {
    if (isMemory) this.budget.expire('memory');
    this.#result ??= { kind: 'failed', reason, line };
  }

  /** The rest of a message, beside its headers. */
  #rest<T>(given: HostArguments, index: number): T | null {
    const length = given.has(index) ? given.text(index).length : 0;
    this.budget.hold(length);
    return length === 0 ? null : readJson<T>(given, index);
  }

  /** Content that is outside of the memory of the script now. */
  #kept(bytes: Uint8Array | null): Uint8Array | null {
    if (bytes !== null) this.budget.hold(bytes.length);
    return bytes;
  }

  /** Headers of a message that the script made, or changes of one that came, as they are now. */
  #changesOf(id: number, text: string | undefined): Changes {
    return text === undefined ? (this.messages[id]?.changes?.list() ?? NO_CHANGES) : changesIn(text);
  }

  #next(given: HostArguments): undefined {
    const call = given.number(0);
    this.passed = given.object(1);
    this.#passedCall = call;
    if (this.passed !== 0) {
      this.#later({ call, headers: this.#changesOf(0, undefined), rest: null, bytes: null });
      return;
    }
    const rest = this.#rest<Written<SentRequest>>(given, 1);
    const bytes = this.#kept(given.bytes(2));
    this.#later({ call, headers: this.#changesOf(0, rest?.headers), rest, bytes });
  }

  #send(given: HostArguments): undefined {
    const call = given.number(0);
    const { headers, ...rest } = this.#rest<Written<SentRequest>>(given, 1) ?? { isOwn: true, method: null };
    const bytes = this.#kept(given.bytes(2));
    const used = given.has(3) ? this.home.heap[given.number(3)] : undefined;
    const handler = used?.kind === 'handler' ? used.object : undefined;
    this.#wait(call, async () => {
      const sent = ownRequest({ ...rest, headers: changesIn(headers ?? '') }, bytes);
      const response = await this.call.send(sent, handler);
      if (!this.#isOver) this.#kept(response.content);
      return [entrance.arrived, response.status, this.messages.push(ownMessage(response)) - 1];
    });
  }

  #entity(call: number, id: number, form: number): undefined {
    const message = this.messages[id];
    if (message === undefined) return;
    this.#wait(call, async () => {
      if (form === 1) return [entrance.content, await message.content()];
      return [entrance.content, passedText(await message.text())];
    });
  }

  #done(given: HostArguments): undefined {
    const form = given.number(0);
    const { kind } = this.home.setting;
    if (form === 0) this.#result ??= { kind: 'value', value: null };
    else if (form === 2) {
      const value = readValues<unknown>(given, 1);
      this.#result ??= { kind: 'value', value };
    } else {
      if (kind !== 'filter' && kind !== 'handler') throw new ScriptFault('the result of the script is a response');
      const id = given.number(1);
      const rest = this.#rest<Written<SentResponse>>(given, 3);
      const bytes = this.#kept(given.bytes(4));
      const headers = this.#changesOf(id, rest?.headers);
      const status = given.number(2);
      const sent: SentResponse =
        rest === null ? { reason: null, id, status, headers } : { ...rest, id, status, headers };
      this.#result ??= { kind: 'response', sent, bytes };
    }
  }
}
