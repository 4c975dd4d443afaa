import { type CompiledScript, compileScript } from '../../compile/compile-script.ts';
import { ScriptError } from '../../syntax/place.ts';
import { Throwable, Thrown } from '../../values/throwable.ts';
import type { Core, TextCompiler } from '../core.ts';
import { groovyMistake, sampleOf } from './groovy-mistakes.ts';

/** Characters of one text. */
export const LONGEST_TEXT = 8192;

/** Texts that one script object remembers, and their characters. */
const MOST_TEXTS = 32;
const MOST_CHARACTERS = 32_768;

/** Bytes of a compiled text, beside those that each character takes. */
const SCRIPT_BYTES = 4096;
const BYTES_PER_CHARACTER = 256;

/** Characters that the gateway shows of a line with a mistake. */
const LONGEST_SHOWN = 200;

const COMPILATION_FAILED = 'org.codehaus.groovy.control.MultipleCompilationErrorsException';

/** Compiles texts that scripts evaluate, on the budget of the run. Runs of one script object share it. */
export class ScriptTexts implements TextCompiler {
  /** The one used last is at the end. */
  readonly #known = new Map<string, CompiledScript>();
  #characters = 0;

  compile(core: Core, text: string, name: string): CompiledScript {
    const key = `${name}\n${text}`;
    const known = this.#known.get(key);
    if (known !== undefined) {
      this.#known.delete(key);
      this.#known.set(key, known);
      return known;
    }
    const script = compileNow(core, text, name);
    // Every evaluation has classes of its own, with static fields of their own.
    if (script.classes.length === 0) this.#remember(key, script);
    return script;
  }

  #remember(key: string, script: CompiledScript): void {
    this.#known.set(key, script);
    this.#characters += key.length;
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MOST_TEXTS && this.#characters <= MOST_CHARACTERS) return;
      this.#known.delete(oldest);
      this.#characters -= oldest.length;
    }
  }
}

function compileNow(core: Core, text: string, name: string): CompiledScript {
  if (text.length > LONGEST_TEXT)
    core.fail(
      'java.lang.UnsupportedOperationException',
      `a text that a script evaluates has at most ${LONGEST_TEXT} characters`,
    );
  core.budget.allocate(SCRIPT_BYTES + BYTES_PER_CHARACTER * text.length);
  try {
    return compileScript(text, { classes: core.classes, name, budget: core.budget });
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    throw new Thrown(failure(core, text, name, error));
  }
}

/** The exception for a text that does not compile; code that only Groovy accepts is no mistake of its author. */
function failure(core: Core, text: string, name: string, { message, place, isUnsupported }: ScriptError): Throwable {
  const { line, column } = place;
  const at = `@ line ${line}, column ${column}`;
  const unavailable = core.class('java.lang.UnsupportedOperationException');
  if (isUnsupported) return new Throwable(unavailable, `${name}.groovy: ${message} ${at}.`);
  const known = groovyMistake(text, message, place);
  const whole = text.split('\n')[line - 1] ?? '';
  const sample = sampleOf(known === null ? whole.slice(0, column + LONGEST_SHOWN) : whole, known?.column ?? column);
  const first = `${name}.groovy: ${line}: ${known?.message ?? message} @ line ${line}, column ${known?.column ?? column}.`;
  const lines = ['startup failed:', first, ...sample, '', '1 error', ''];
  const made = new Throwable(core.class(COMPILATION_FAILED), lines.join('\n'));
  if (known === null)
    made.refusal = new Throwable(
      unavailable,
      `${name}.groovy: ${message} ${at}: the message that Groovy has for it is not available`,
    );
  return made;
}
