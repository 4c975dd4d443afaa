import { describe, expect, it } from 'vitest';
import { CLASS_TABLES } from '../../../../../dataplane/scripts/groovy/library/class-tables.ts';
import { RunBudget } from '../../../../../dataplane/scripts/groovy/runtime/budget.ts';
import { settle } from '../../../../../dataplane/scripts/groovy/runtime/core.ts';
import { groovyClasses } from '../../../../../dataplane/scripts/groovy/runtime/groovy-classes.ts';
import { Machine } from '../../../../../dataplane/scripts/groovy/runtime/machine.ts';
import { ScriptTexts } from '../../../../../dataplane/scripts/groovy/runtime/shell/script-texts.ts';
import type { Steps, Value } from '../../../../../dataplane/scripts/groovy/values/java-class.ts';
import { Thrown } from '../../../../../dataplane/scripts/groovy/values/throwable.ts';
import { BudgetExceeded } from '../../../../../dataplane/scripts/script-budget.ts';
import { largeValues } from '../../../../support/groovy/large-values.ts';

const limits = { milliseconds: 50, stretch: 5, bytes: 32 * 1024 * 1024, depth: 300 };

/** Calls of each method, which a method that charges nothing makes without end. */
const TURNS = 20;

/** Processor time that no run comes near: a hundred times the limit. */
const MOST_MILLISECONDS = 500;

/** Arguments that each method is called with. */
const MOST_VARIANTS = 2;

/** Methods that wait for a time. */
const WAITING = /^(?:sleep|wait)\(/;

type Kind = 'methods' | 'statics' | 'constructors';

const rows = CLASS_TABLES.flatMap(({ name, methods, statics, constructors }) => {
  const signatures = (kind: Kind, table: object = {}): (readonly [Kind, string])[] =>
    Object.keys(table)
      .filter((signature) => !WAITING.test(signature))
      .map((signature) => [kind, signature] as const);
  const all = [
    ...(simpleName(name) in largeValues ? signatures('methods', methods) : []),
    ...(name.endsWith('[]') ? [] : [...signatures('statics', statics), ...signatures('constructors', constructors)]),
  ];
  return all.length === 0 ? [] : [{ name, all }];
});

describe('methods of the library with large operands', () => {
  it.each(rows)('end with the budget of the run: $name', async ({ name, all }) => {
    const over: string[] = [];
    for (const [kind, signature] of all) {
      const receivers =
        kind === 'methods'
          ? largeValues[simpleName(name)]!.slice(0, MOST_VARIANTS)
          : [() => groovyClasses().named(name)];
      for (const [at, makeReceiver] of receivers.entries()) {
        const parameters = parametersOf(signature);
        const variants = Math.max(
          1,
          ...parameters.map((type) => Math.min(MOST_VARIANTS, largeValues[type]?.length ?? 1)),
        );
        for (let variant = 0; variant < variants; variant++) {
          const args = await Promise.all(parameters.map((type) => argument(type, variant)));
          const used = await attack(kind, await makeReceiver(), signature.slice(0, signature.indexOf('(')), args);
          if (used > MOST_MILLISECONDS) over.push(`${signature} receiver ${at} variant ${variant}: ${used} ms`);
        }
      }
    }
    expect(over).toEqual([]);
  });
});

function simpleName(type: string): string {
  return type.slice(Math.max(type.lastIndexOf('.'), type.lastIndexOf('$')) + 1);
}

function parametersOf(signature: string): string[] {
  const inner = signature.slice(signature.indexOf('(') + 1, -1);
  return inner === '' ? [] : inner.split(',').map((type) => simpleName(type.trim().replace('...', '[]')));
}

function argument(type: string, variant: number): Value | Promise<Value> {
  const makers = largeValues[type];
  return makers === undefined ? null : makers[variant % makers.length]!();
}

/** Calls a method again and again. @returns processor time in milliseconds */
async function attack(kind: Kind, receiver: Value, name: string, args: readonly Value[]): Promise<number> {
  const machine = new Machine({ classes: groovyClasses(), budget: new RunBudget(limits), texts: new ScriptTexts() });
  const before = processorTime();
  const error = await machine.run(calls()).catch((each) => each);
  if (error !== null && !(error instanceof BudgetExceeded)) throw error;
  return Math.round(processorTime() - before);

  function* calls(): Steps {
    for (let turn = 0; turn < TURNS; turn++) {
      try {
        yield* settle(
          kind === 'constructors' ? machine.create(receiver as never, args) : machine.send(receiver, name, args),
        );
      } catch (thrown) {
        if (!(machine.failure(thrown) instanceof Thrown)) throw thrown;
      }
    }
    return null;
  }
}

function processorTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
