import type { BudgetLimits } from '../script-budget.ts';
import { type Given, GivenToHost, type HostArguments } from './given-to-host.ts';
import { entrance } from './prelude/operations.ts';
import { PRELUDE } from './prelude/prelude.ts';
import { mark, type QuickJs, QuickJsLost, VALUE_SIZE } from './quickjs.ts';
import type { Pointer } from './quickjs-functions.ts';
import type { RunBudget } from './run-budget.ts';
import { isUnseen, LISTED, PROMISES, RETURNED } from './unseen-promise.ts';

/** Bytes of the stack of one script, some hundred calls: the stack of the thread must be larger in every case. */
const STACK = 64 * 1024;

/** Bytes of the stack for compiling, where one level of the text takes more of the thread. */
export const COMPILER_STACK = 40 * 1024;

/** Jobs of promises between two looks at the budget. */
const JOBS_PER_LOOK = 100;

/** Most values of an entry. */
const MOST_GIVEN = 3;

/** State of a promise that is not settled, and of one that is rejected. */
const PENDING = 0;
const REJECTED = 2;

/** Compiles, and runs nothing. */
const COMPILE_ONLY = 1 << 5;

/** Answers a call of a script. The value is undefined in the script if it is undefined here. */
export type Host = (operation: number, run: number, given: HostArguments) => Given | undefined;

/** A run that enters the script. */
export interface Entering {
  readonly id: number;
  readonly budget: RunBudget;
  /** The promise of its result, or 0. The sandbox looks at it each time, and frees it when it is settled. */
  promise: Pointer;
  /** The promise of the request that it passed on last, or 0. */
  passed: Pointer;
  /** True if its result is the response to that request, because nobody else can see the promise. */
  isPassing: boolean;
}

/** An exception of a script outside of its runs, such as one of its syntax. */
export class ScriptException extends Error {
  readonly stackText: string;

  constructor(message: string, stackText: string) {
    super(message);
    this.stackText = stackText;
  }
}

/** A value does not fit into the memory of a script. */
class NoRoom extends Error {}

/** A runtime of QuickJS with the one context of a script. It shares no object with another one. */
export class Sandbox {
  readonly quickJs: QuickJs;
  readonly #runtime: Pointer;
  readonly #context: Pointer;
  /** Functions that enter the script, by number. */
  readonly #entrances: readonly Pointer[];
  readonly #args: Pointer;
  readonly #undefined: Pointer;
  readonly #given: GivenToHost;
  /** Values in the memory that take the numbers of an entry, so that none is made for each. */
  readonly #slots: readonly Pointer[];
  /** Values of the entry that is under way, which are freed after it. */
  readonly #made: Pointer[] = [];
  #isClosed = false;

  /** @throws QuickJsLost */
  constructor(quickJs: QuickJs, { bytes }: BudgetLimits, host: Host, stack = STACK) {
    this.quickJs = quickJs;
    const { functions } = quickJs;
    this.#undefined = functions._QTS_GetUndefined();
    this.#runtime = functions._QTS_NewRuntime();
    functions._QTS_RuntimeSetMemoryLimit(this.#runtime, bytes);
    functions._QTS_RuntimeSetMaxStackSize(this.#runtime, stack);
    functions._QTS_RuntimeEnableInterruptHandler(this.#runtime);
    this.#context = functions._QTS_NewContext(this.#runtime, 0);
    this.#args = functions._malloc(64);
    if (this.#context === 0 || this.#args === 0) throw new QuickJsLost();
    this.#slots = Array.from({ length: MOST_GIVEN }, () => functions._QTS_NewFloat64(this.#context, 0));
    if (!quickJs.isKnown(this.#context) || !this.#isPacked() || !this.#seesPromises())
      throw new Error('the layout of QuickJS is not known');
    this.#given = new GivenToHost(quickJs, this.#context);
    quickJs.listen(this.#context, (count, list) => this.#answer(host, count, list));
    const callback = quickJs.lend('host', (name) => functions._QTS_NewFunction(this.#context, name, 0, 0, 1)) ?? lost();
    const prelude = this.evaluate(PRELUDE, 'gateway');
    const entrances = this.#resolved(this.#call(prelude, [callback]));
    this.#entrances = Object.values(entrance).map((kind) =>
      functions._QTS_GetPropNumber(this.#context, entrances, kind),
    );
    for (const value of [entrances, callback, prelude]) this.#free(value);
  }

  /** Evaluates a text. @returns a value to free @throws ScriptException */
  evaluate(text: string, name: string, isOnlyCompiled = false): Pointer {
    const { quickJs } = this;
    const flags = isOnlyCompiled ? COMPILE_ONLY : 0;
    const title = quickJs.place(Buffer.from(`${name}\0`));
    if (title === null) throw new QuickJsLost();
    try {
      return this.#resolved(
        quickJs.lend(text, (code, length) =>
          quickJs.functions._QTS_Eval(this.#context, code, length, title, 0, flags),
        ) ?? lost(),
      );
    } finally {
      quickJs.functions._free(title);
    }
  }

  /** Compiles a text, and runs nothing of it. @throws ScriptException */
  compile(text: string, name: string): void {
    this.#free(this.evaluate(text, name, true));
  }

  /** Sets the function of the script. @throws ScriptException */
  load(text: string, name: string, settings: string): void {
    const script = this.evaluate(text, name);
    const given = this.#newValue(settings);
    this.#free(this.#resolved(this.#call(this.#entrances[entrance.script]!, [script, given])));
    for (const value of [script, given]) this.#free(value);
  }

  /** Enters the script and runs it until it waits or ends. @returns false if its budget is exceeded @throws QuickJsLost */
  enter(run: Entering, kind: number, a?: Given, b?: Given, c?: Given): boolean {
    const { quickJs } = this;
    if (quickJs.isLost) throw new QuickJsLost();
    const { budget } = run;
    const before = quickJs.resume(budget);
    try {
      return budget.exceeded === null && this.#entered(run, kind, a, b, c);
    } catch (error) {
      throw quickJs.lost(error);
    } finally {
      quickJs.pause(budget, before);
    }
  }

  #entered(run: Entering, kind: number, a: Given | undefined, b: Given | undefined, c: Given | undefined): boolean {
    const { budget } = run;
    let result: Pointer;
    try {
      this.#place(0, a);
      this.#place(1, b);
      this.#place(2, c);
      result = this.#callEntrance(kind, c === undefined ? (b === undefined ? 1 : 2) : 3);
    } catch (error) {
      if (!(error instanceof NoRoom)) throw error;
      budget.expire('memory');
      return false;
    } finally {
      this.#clear();
    }
    if (kind === entrance.begin && this.quickJs.words[(result >> 2) + 1] === mark.object) this.#returned(run, result);
    else this.#free(result);
    return this.#work(budget) && (run.promise === 0 || this.#settled(run));
  }

  /** Takes the promise that a script returned. */
  #returned(run: Entering, result: Pointer): void {
    const { words } = this.quickJs;
    const promise = words[result >> 2]!;
    run.promise = result;
    if (promise !== run.passed) return;
    if (isUnseen(words, promise, RETURNED)) {
      run.isPassing = true;
      this.release(run);
    } else this.#free(this.#callEntrance(entrance.keep, 0));
  }

  /** Hands the result of a run over, once its promise is settled. @returns false if its budget is exceeded */
  #settled(run: Entering): boolean {
    const { functions } = this.quickJs;
    const { promise } = run;
    const state = functions._QTS_PromiseState(this.#context, promise);
    if (state === PENDING) return true;
    const value = functions._QTS_PromiseResult(this.#context, promise);
    this.release(run);
    const { words } = this.quickJs;
    words[this.#args >> 2] = this.#integer(0, run.id);
    words[(this.#args >> 2) + 1] = value;
    words[(this.#args >> 2) + 2] = this.#integer(2, state === REJECTED ? 1 : 0);
    const result = this.#callEntrance(entrance.settled, 3);
    this.#clear();
    this.#free(value);
    this.#free(result);
    return this.#work(run.budget);
  }

  /** Frees the promise of a run that is over. */
  release(run: Entering): void {
    if (run.promise !== 0 && !this.quickJs.isLost) this.#free(run.promise);
    run.promise = 0;
  }

  /** Makes a value of the entry that comes next. @throws NoRoom */
  #place(index: number, value: Given | undefined): void {
    if (value === undefined) return;
    const pointer = typeof value === 'number' ? this.#integer(index, value) : this.#newValue(value);
    this.quickJs.words[(this.#args >> 2) + index] = pointer;
    if (pointer !== this.#slots[index]) this.#made.push(pointer);
  }

  /** A number as a value, until the next entry. */
  #integer(index: number, value: number): Pointer {
    if ((value | 0) === value) return this.#slot(index, value);
    const made = this.quickJs.functions._QTS_NewFloat64(this.#context, value);
    this.#made.push(made);
    return made;
  }

  #callEntrance(kind: number, count: number): Pointer {
    const callee = this.#entrances[kind]!;
    return this.quickJs.functions._QTS_Call(this.#context, callee, this.#undefined, count, this.#args);
  }

  /** Frees the values of an entry. */
  #clear(): void {
    while (this.#made.length > 0) this.#free(this.#made.pop()!);
  }

  /** An integer as a value, until the next entry. */
  #slot(index: number, value: number): Pointer {
    const slot = this.#slots[index]!;
    const { words } = this.quickJs;
    words[slot >> 2] = value;
    words[(slot >> 2) + 1] = mark.integer;
    return slot;
  }

  /** True if integers are in the memory as we write and read them. */
  #isPacked(): boolean {
    const { functions } = this.quickJs;
    const number = (value: number): number => functions._QTS_GetFloat64(this.#context, this.#slot(0, value));
    return this.#slots[0]! % VALUE_SIZE === 0 && number(7) === 7 && number(-7) === -7;
  }

  /** True if promises are in the memory as we read them. */
  #seesPromises(): boolean {
    const list = this.evaluate(PROMISES, 'gateway');
    const seen = [true, false, false, false].every((expected, index) => {
      const value = this.quickJs.functions._QTS_GetPropNumber(this.#context, list, index);
      const found = isUnseen(this.quickJs.words, this.quickJs.words[value >> 2]!, LISTED);
      this.#free(value);
      return found === expected;
    });
    this.#free(list);
    return seen;
  }

  /** Runs jobs of promises that are due. */
  #work(budget: RunBudget): boolean {
    const { functions } = this.quickJs;
    while (budget.exceeded === null && functions._QTS_IsJobPending(this.#runtime) !== 0) {
      this.#free(functions._QTS_ExecutePendingJob(this.#runtime, JOBS_PER_LOOK, this.#args));
      if (functions._QTS_IsJobPending(this.#runtime) === 0) break;
      budget.isOver(0);
    }
    return budget.exceeded === null;
  }

  /** Ends the jobs of a run that was broken off. @returns false if they do not end, and would be done for another one */
  settle(budget: RunBudget): boolean {
    return this.quickJs.within(budget, () => this.#work(budget));
  }

  /** Text of the result of an entrance, or null. */
  ask(budget: RunBudget, kind: number): string | null {
    return this.quickJs.within(budget, () => {
      const result = this.#call(this.#entrances[kind]!, []);
      try {
        return this.#textOf(this.#resolved(result));
      } catch (error) {
        if (error instanceof ScriptException) return null;
        throw error;
      }
    });
  }

  /** Bytes that the script holds, of which some belong to every context. */
  get bytes(): number {
    const { functions } = this.quickJs;
    const usage = functions._QTS_RuntimeComputeMemoryUsage(this.#runtime, this.#context);
    const text = this.#dumped(usage);
    this.#free(usage);
    const { memory_used_size: size } = JSON.parse(text) as { memory_used_size?: number };
    return size ?? 0;
  }

  close(): void {
    const { quickJs } = this;
    if (this.#isClosed || quickJs.isLost) return;
    this.#isClosed = true;
    quickJs.listen(this.#context, null);
    try {
      quickJs.guarded(() => {
        const { functions } = quickJs;
        for (const value of [...this.#entrances, ...this.#slots]) this.#free(value);
        functions._free(this.#args);
        functions._QTS_FreeContext(this.#context);
        functions._QTS_FreeRuntime(this.#runtime);
      });
    } catch (error) {
      if (!(error instanceof QuickJsLost)) throw error;
    }
  }

  #call(callee: Pointer, values: readonly Pointer[]): Pointer {
    const { functions } = this.quickJs;
    const { words } = this.quickJs;
    const first = this.#args >> 2;
    for (let index = 0; index < values.length; index++) words[first + index] = values[index]!;
    return functions._QTS_Call(this.#context, callee, this.#undefined, values.length, this.#args);
  }

  #newValue(value: Given): Pointer {
    const { quickJs } = this;
    const { functions } = quickJs;
    if (typeof value === 'number') return functions._QTS_NewFloat64(this.#context, value);
    if (typeof value === 'string') {
      const made = quickJs.newText(this.#context, value);
      if (made === null) throw new NoRoom();
      return made;
    }
    const place = quickJs.place(value);
    if (place === null) throw new NoRoom();
    return functions._QTS_NewArrayBuffer(this.#context, place, value.length);
  }

  /** @throws ScriptException if the value stands for one */
  #resolved(value: Pointer): Pointer {
    const { quickJs } = this;
    const exception = quickJs.functions._QTS_ResolveException(this.#context, value);
    if (exception === 0) return value;
    const text = this.#dumped(exception);
    this.#free(exception);
    this.#free(value);
    throw exceptionOf(text);
  }

  /** A value as JSON. */
  #dumped(value: Pointer): string {
    const { functions } = this.quickJs;
    const pointer = functions._QTS_Dump(this.#context, value);
    const text = this.quickJs.text(pointer);
    functions._QTS_FreeCString(this.#context, pointer);
    return text;
  }

  #textOf(value: Pointer): string | null {
    const { functions } = this.quickJs;
    const pointer = functions._QTS_GetString(this.#context, value);
    const text = pointer === 0 ? null : this.quickJs.text(pointer);
    if (pointer !== 0) functions._QTS_FreeCString(this.#context, pointer);
    this.#free(value);
    return text;
  }

  #free(value: Pointer): void {
    this.quickJs.functions._QTS_FreeValuePointer(this.#context, value);
  }

  #answer(host: Host, count: number, list: Pointer): Pointer {
    const given = this.#given;
    given.count = count;
    given.list = list;
    const answer = host(given.number(-2), given.number(-1), given);
    if (answer === undefined) return 0;
    try {
      return this.#newValue(answer);
    } catch (error) {
      if (!(error instanceof NoRoom)) throw error;
      this.quickJs.expire('memory');
      return 0;
    }
  }
}

function exceptionOf(text: string): ScriptException {
  try {
    const { name, message, stack } = JSON.parse(text) as { name?: string; message?: string; stack?: string };
    return new ScriptException(`${name}: ${message}`, stack ?? '');
  } catch {
    return new ScriptException(text, '');
  }
}

function lost(): never {
  throw new QuickJsLost();
}
