import type { BudgetLimits } from '../../script-budget.ts';
import type { CompiledScript } from '../compile/compile-script.ts';
import type { GMap } from '../values/collections.ts';
import type { Steps, Value } from '../values/java-class.ts';
import { RunBudget } from './budget.ts';
import { driveTo, type Settled } from './drive.ts';
import { groovyClasses } from './groovy-classes.ts';
import { Instance } from './instance.ts';
import { Machine } from './machine.ts';
import { isPrepared, prepareStatics } from './shell/prepare-statics.ts';
import { ScriptTexts } from './shell/script-texts.ts';

export const DEFAULT_LIMITS: BudgetLimits = { milliseconds: 2000, bytes: 64 * 1024 * 1024, depth: 600 };

export interface ScriptRun {
  readonly machine: Machine;
  readonly result: Promise<Value>;
}

export interface ScriptOptions {
  binding?: GMap;
  limits?: BudgetLimits | undefined;
  print?: ((text: string) => void) | undefined;
  /** Texts that earlier runs evaluated. */
  texts?: ScriptTexts | undefined;
  /** Called before the script runs, to set variables that need the machine. */
  prepare?: (machine: Machine) => void;
  /** Called with the script still running, once it has its result. */
  finish?: (machine: Machine) => void;
}

/** Runs a script with its variables. */
export function runScript(script: CompiledScript, options: ScriptOptions = {}): ScriptRun {
  const machine = newMachine(options);
  return { machine, result: machine.run(wholeRun(machine, script, options)) };
}

/** The same without a promise. */
export function runScriptTo(
  script: CompiledScript,
  options: ScriptOptions,
  settledOf: (machine: Machine) => Settled,
): void {
  const machine = newMachine(options);
  driveTo(machine, wholeRun(machine, script, options), settledOf(machine));
}

function newMachine({ limits = DEFAULT_LIMITS, binding, print, texts = new ScriptTexts() }: ScriptOptions): Machine {
  return new Machine({ classes: groovyClasses(), budget: new RunBudget(limits), binding, print, texts });
}

/**
 * All steps of a run. A generator function within another one would be made for each run, and the engine would keep the
 * shape of its generators, with everything that the function sees, until it looks at all of its memory.
 */
function* wholeRun(machine: Machine, script: CompiledScript, { prepare, finish }: ScriptOptions): Steps {
  prepare?.(machine);
  let result: Value;
  try {
    if (!isPrepared(script)) yield* prepareStatics(machine, script);
    result = yield* script.run(machine, new Instance(script.type, machine.hooks), []);
  } catch (error) {
    throw machine.failure(error);
  }
  finish?.(machine);
  return result;
}
