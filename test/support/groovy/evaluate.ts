import { compileScript } from '../../../dataplane/scripts/groovy/compile/compile-script.ts';
import { groovyClasses } from '../../../dataplane/scripts/groovy/runtime/groovy-classes.ts';
import { runScript } from '../../../dataplane/scripts/groovy/runtime/script-run.ts';
import { Thrown } from '../../../dataplane/scripts/groovy/values/throwable.ts';
import type { BudgetLimits } from '../../../dataplane/scripts/script-budget.ts';
import { canonical } from './canonical.ts';

export interface Evaluated {
  readonly value?: unknown;
  /** Class and message of the exception that the script threw. */
  readonly thrown?: string;
  readonly printed: string;
}

/** Compiles and runs a script; the value is in the form of the rows. */
export async function evaluate(source: string, limits?: BudgetLimits): Promise<Evaluated> {
  const script = compileScript(source, { classes: groovyClasses() });
  let printed = '';
  const { machine, result } = runScript(script, {
    ...(limits === undefined ? {} : { limits }),
    print: (text) => {
      printed += text;
    },
  });
  try {
    return { value: canonical(machine, await result), printed };
  } catch (error) {
    if (!(error instanceof Thrown)) throw error;
    const { throwable } = error;
    return { thrown: throwable.refusal === null ? machine.text(throwable) : throwable.text(), printed };
  }
}
