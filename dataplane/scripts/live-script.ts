import type { Logger } from 'pino';
import { ValueProblem } from '../../contract/problem.ts';
import type { Reach } from '../../contract/reach.ts';
import { compiling, type ScriptText, scriptPath } from './script-fields.ts';
import { type LiveProgram, type ScriptLanguage, ScriptMistake, type ScriptSetting } from './script-language.ts';

/** Milliseconds between two looks at a file. */
const LOOK_INTERVAL = 1000;

/** Bytes that runs may make before someone looks at what they left behind. */
const BYTES_PER_LOOK = 4 * 1024 * 1024;

/** The script of an object, as its file has it now. */
export class LiveScript {
  readonly file: string | null;
  readonly #program: LiveProgram;
  readonly #path: string | null;
  readonly #reach: Reach;
  readonly #log: Logger;
  #text: string;
  #lookAt: number;
  #made = 0;

  constructor(script: ScriptText, setting: ScriptSetting, reach: Reach, log: Logger) {
    const { file, language } = script;
    this.file = file;
    this.#reach = reach;
    this.#log = log;
    this.#path = file === null ? null : scriptPath(file, language, reach);
    this.#text = script.text;
    this.#program = (script.program ?? this.#compileFile(language)).open(setting);
    this.#lookAt = performance.now() + LOOK_INTERVAL;
  }

  /** The script as its file has it now; with an error in it, as it was before. */
  current(): LiveProgram {
    if (this.#path === null || performance.now() < this.#lookAt) return this.#program;
    this.#lookAt = performance.now() + LOOK_INTERVAL;
    const text = this.#read();
    if (text === null || text === this.#text) return this.#program;
    const before = this.#text;
    this.#text = text;
    try {
      compiling(text, this.file, (changed) => {
        try {
          this.#program.replace(changed);
        } catch (error) {
          // The next look finds a change again.
          if (error instanceof ScriptMistake && error.isPassing) this.#text = before;
          throw error;
        }
      });
      this.#log.info({ file: this.file }, 'script reloaded');
    } catch (error) {
      if (!(error instanceof ValueProblem)) throw error;
      this.#log.error({ file: this.file, reason: error.message }, 'changed script has an error; the last one runs on');
    }
    return this.#program;
  }

  #read(): string | null {
    const content = this.#path === null ? null : this.#reach.readFile(this.#path);
    return content === null ? null : Buffer.from(content).toString('utf8');
  }

  #compileFile(language: ScriptLanguage) {
    const text = this.#read();
    if (text === null) throw new Error(`the script '${this.file}' cannot be read`);
    this.#text = text;
    return compiling(text, this.file, (read) => language.compile(read));
  }

  /** A run made so many bytes: what scripts leave behind for later runs must not grow without end. */
  ran(bytes: number): void {
    this.#made += bytes;
    if (this.#made < BYTES_PER_LOOK) return;
    this.#made = 0;
    const reason = this.#program.tidy();
    if (reason !== null)
      this.#log.warn({ file: this.file, reason }, 'globals and static fields of a script were cleared');
  }

  close(): void {
    this.#program.close?.();
  }
}
