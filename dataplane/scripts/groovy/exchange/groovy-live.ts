import {
  HeapObject,
  type HeapObjectUse,
  type LiveProgram,
  type ScriptCall,
  ScriptMistake,
  type ScriptOutcome,
  type ScriptSetting,
} from '../../script-language.ts';
import type { CompiledScript } from '../compile/compile-script.ts';
import { compileGatewayScript, gatewayScript, type LateVariables, type Variables } from '../gateway-script.ts';
import { groovyClasses } from '../runtime/groovy-classes.ts';
import { declaredOf } from '../runtime/instance.ts';
import { ScriptTexts } from '../runtime/shell/script-texts.ts';
import { ScriptError } from '../syntax/place.ts';
import { GMap } from '../values/collections.ts';
import type { Value } from '../values/java-class.ts';
import { GroovyRun } from './groovy-run.ts';
import { RetainedSize } from './retained-size.ts';
import { resultOf } from './script-results.ts';
import { scriptValue } from './script-values.ts';

/** A script in Groovy with everything that outlives its runs: `globals` and static fields. */
export class GroovyLive implements LiveProgram {
  readonly #setting: ScriptSetting;
  readonly #properties: Variables;
  readonly #args: LateVariables;
  readonly #heap: ReadonlyMap<string, HeapObjectUse>;
  #globals = newGlobals();
  #texts = new ScriptTexts();
  #script: CompiledScript;
  #text: string;

  constructor(script: CompiledScript, text: string, setting: ScriptSetting) {
    this.#script = script;
    this.#text = text;
    this.#setting = setting;
    this.#properties = this.#variables(setting.properties);
    this.#args = this.#variables(setting.args);
    this.#heap = new Map(
      [...setting.args].flatMap(([name, value]) => (value instanceof HeapObject ? [[name, value.used]] : [])),
    );
  }

  #variables(given: ReadonlyMap<string, unknown>): LateVariables {
    const { shapes } = this.#setting;
    return { names: [...given.keys()], make: (rt, name) => scriptValue(rt, given.get(name), shapes) };
  }

  replace(text: string): void {
    this.#script = compiledGroovy(text);
    this.#texts = new ScriptTexts();
    this.#text = text;
  }

  run(call: ScriptCall): Promise<ScriptOutcome> {
    const { kind } = this.#setting;
    const script = this.#script;
    const parts = {
      globals: this.#globals,
      texts: this.#texts,
      properties: this.#properties,
      args: this.#args,
      heap: this.#heap,
    };
    const run: GroovyRun = new GroovyRun(call, this.#setting, parts);
    return gatewayScript(script, run, (machine, outcome) => {
      if (outcome.kind !== 'value') {
        const { origin } = outcome.throwable;
        const line = origin === null ? null : script.lineOf(origin);
        return { kind: 'failed', reason: outcome.throwable.text(), ...(line === null ? {} : { line }) };
      }
      if (kind === 'jwtValidator') return { kind: 'value', value: run.validation.violations };
      const { value } = outcome;
      return { kind: 'value', value: value === null ? null : resultOf(machine, kind, value) };
    });
  }

  tidy(): string | null {
    const statics: Value[] = [this.#script.type, ...this.#script.classes].flatMap((type) => [
      ...(declaredOf(type)?.statics.values() ?? []),
    ]);
    const size = new RetainedSize();
    if (size.measure([...this.#globals.entries().map(({ value }) => value), ...statics])) return null;
    this.#globals = newGlobals();
    this.#script = compileGatewayScript(this.#text);
    return size.reason;
  }
}

/** Compiles a script. @throws ScriptMistake */
export function compiledGroovy(text: string): CompiledScript {
  try {
    return compileGatewayScript(text);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    throw new ScriptMistake(error.message, error.place.line, error.place.column);
  }
}

function newGlobals(): GMap {
  return new GMap(groovyClasses().named('java.util.concurrent.ConcurrentHashMap'), 'hash');
}
