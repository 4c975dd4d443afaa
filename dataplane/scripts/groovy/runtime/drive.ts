import { BudgetExceeded } from '../../script-budget.ts';
import type { Steps, Value } from '../values/java-class.ts';
import type { RunBudget } from './budget.ts';
import type { Core } from './core.ts';
import { setActing } from './instance-hooks.ts';

type Driven = Core & { readonly budget: RunBudget };

/** Value or error that a script waited for. */
type Resumption =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'error'; readonly error: unknown };

/** Hears of the end of a run. */
export interface Settled {
  resolve(value: Value): void;
  reject(error: unknown): void;
  /** The script held the thread for so many milliseconds. */
  paused?(milliseconds: number): void;
}

const NOTHING: Resumption = { kind: 'value', value: null };

/** Runs code of a script to its end, and waits for promises on the way. */
export function drive(core: Driven, steps: Steps): Promise<Value> {
  return new Promise((resolve, reject) => driveTo(core, steps, { resolve, reject }));
}

/** The same without a promise. */
export function driveTo(core: Driven, steps: Steps, settled: Settled): void {
  advance(core, steps, NOTHING, settled);
}

function advance(core: Driven, steps: Steps, given: Resumption, settled: Settled): void {
  const { budget } = core;
  let result: IteratorResult<Promise<Value>, Value>;
  try {
    if (budget.exceeded !== null) throw new BudgetExceeded(budget.exceeded);
    budget.resume();
    const before = setActing(core);
    try {
      result = given.kind === 'value' ? steps.next(given.value) : steps.throw(given.error);
    } finally {
      setActing(before);
      const stretch = budget.pause();
      settled.paused?.(stretch);
    }
    if (budget.exceeded !== null) throw new BudgetExceeded(budget.exceeded);
  } catch (error) {
    settled.reject(error);
    return;
  }
  if (result.done === true) settled.resolve(result.value);
  else
    result.value.then(
      (value) => advance(core, steps, { kind: 'value', value }, settled),
      (error: unknown) => advance(core, steps, { kind: 'error', error }, settled),
    );
}
