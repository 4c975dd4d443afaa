import { type CompiledScript, compileScript } from '../../compile/compile-script.ts';
import { ScriptError } from '../../syntax/place.ts';
import { Throwable, Thrown } from '../../values/throwable.ts';
import type { Core, TextCompiler } from '../core.ts';

/** Characters of one text. */
export const LONGEST_TEXT = 8192;

/** Texts that one script object remembers, and their characters. */
const MOST_TEXTS = 32;
const MOST_CHARACTERS = 32_768;

/** Bytes of a compiled text, beside those that each character takes. */
const SCRIPT_BYTES = 4096;
const BYTES_PER_CHARACTER = 256;

/** Characters of a line with a mistake that its message shows. */
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

/** Messages that scripts may know. */
function asGroovy(message: string): string {
  return message
    .replace(/^class (\S+) is not available$/, 'unable to resolve class $1\n')
    .replace(/^unexpected character (?=')/, 'Unexpected character: ')
    .replace(/^unexpected (?=')/, 'Unexpected input: ');
}

/** The column that Groovy names: of `new` before a class. */
function columnOf(line: string, column: number): number {
  const before = /\bnew\s+$/.exec(line.slice(0, column - 1));
  return before === null ? column : before.index + 1;
}

/** The exception for a text that does not compile; code that only Groovy accepts is no mistake of its author. */
function failure(core: Core, text: string, name: string, { message, place, isUnsupported }: ScriptError): Throwable {
  const { line } = place;
  const whole = text.split('\n')[line - 1] ?? '';
  const column = isUnsupported ? place.column : columnOf(whole, place.column);
  const at = `@ line ${line}, column ${column}.`;
  if (isUnsupported)
    return new Throwable(core.class('java.lang.UnsupportedOperationException'), `${name}.groovy: ${message} ${at}`);
  const shown = whole.slice(0, LONGEST_SHOWN);
  // Groovy does not know an open string, only a character that begins nothing.
  const quote = /^a string is not closed$/.test(message) ? whole.charAt(column - 1) : '';
  const mistake =
    quote === '' ? asGroovy(message) : `Unexpected character: '${quote === "'" ? String.raw`\'` : quote}'`;
  const lines = ['startup failed:', `${name}.groovy: ${line}: ${mistake} ${at}`, `   ${shown}`];
  const mark = column > LONGEST_SHOWN ? [] : [`   ${' '.repeat(column - 1)}^`];
  return new Throwable(core.class(COMPILATION_FAILED), [...lines, ...mark, '', '1 error', ''].join('\n'));
}
