import type { JavaClass, Steps, Value } from '../../values/java-class.ts';
import type { Core, RunnableScript } from '../core.ts';
import { Instance } from '../instance.ts';
import type { ScriptFunction } from '../script-classes.ts';
import type { ScriptVariables } from '../script-variables.ts';
import { isPrepared, prepareStatics } from './prepare-statics.ts';

/** The statements of scripts, by class. */
const bodies = new WeakMap<JavaClass, ScriptFunction>();

/** Gives the objects of a script their method `run`. */
export function setBody(type: JavaClass, body: ScriptFunction): void {
  bodies.set(type, body);
}

/** The statements of a script; null for classes that only extend Script. */
export function bodyOf(type: JavaClass): ScriptFunction | null {
  return bodies.get(type) ?? null;
}

/** Makes the object of a script that has its own variables. */
export function* newScript(core: Core, script: RunnableScript, variables: ScriptVariables): Steps<Instance> {
  if (!isPrepared(script)) yield* prepareStatics(core, script);
  const self = new Instance(script.type, core.hooks);
  self.variables = variables;
  return self;
}

/** Compiles a text and runs it. */
export function* evaluateText(core: Core, text: string, name: string, variables: ScriptVariables): Steps<Value> {
  const script = core.texts.compile(core, text, name);
  const self = yield* newScript(core, script, variables);
  return yield* script.run(core, self, []);
}
