import { compileScript } from '../../../dataplane/scripts/groovy/compile/compile-script.ts';
import { groovyClasses } from '../../../dataplane/scripts/groovy/runtime/groovy-classes.ts';
import { runScript } from '../../../dataplane/scripts/groovy/runtime/script-run.ts';
import { Thrown } from '../../../dataplane/scripts/groovy/values/throwable.ts';
import { canonical } from './canonical.ts';

/** The result of a script in the form of the rows; an exception as `!SimpleName: message`. */
export async function factOf(source: string): Promise<unknown> {
  const script = compileScript(source, { classes: groovyClasses() });
  try {
    const { machine, result } = runScript(script);
    return canonical(machine, await result);
  } catch (error) {
    if (!(error instanceof Thrown)) throw error;
    const { javaClass, message } = error.throwable;
    return `!${javaClass.simpleName}: ${message}`;
  }
}
