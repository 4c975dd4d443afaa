import { type HeapObjectUse, type ScriptKind, ScriptMistake } from '../script-language.ts';
import { QuickJs, QuickJsLost } from './quickjs.ts';
import { RunBudget } from './run-budget.ts';
import { COMPILER_STACK, Sandbox, ScriptException } from './sandbox.ts';

/** Variables of every script. */
const COMMON: readonly string[] = ['context', 'contexts', 'attributes', 'session', 'globals', 'http', 'logger'];

/** Variables that the gateway makes for each run, by the kind of script. */
export const ownNames: Readonly<Record<ScriptKind, readonly string[]>> = {
  filter: ['request', 'next', ...COMMON],
  handler: ['request', ...COMMON],
  throttlingPolicy: ['request', ...COMMON],
  resourceAccess: ['request', ...COMMON],
  resourceUri: ['request', ...COMMON],
  accessTokenResolver: COMMON,
  jwtValidator: ['request', ...COMMON],
  transformation: ['logger'],
};

/** Variables that come with each request, by the kind of script. */
const givenNames: Readonly<Partial<Record<ScriptKind, readonly string[]>>> = {
  accessTokenResolver: ['token'],
  jwtValidator: ['claims'],
  transformation: ['value'],
};

/** Objects of ours that every script sees without asking for them. */
const OBJECTS = new Set('Headers Request Response Uri URLSearchParams base64 crypto environment utf8'.split(' '));

/** Names that no variable can have, so that properties with such names are left out. */
const RESERVED = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends ' +
    'false finally for function if implements import in instanceof interface let new null package private protected ' +
    'public return static super switch this throw true try typeof undefined var void while with yield'
  ).split(' '),
);

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** Limits of compiling one script. */
export const COMPILE_LIMITS = { milliseconds: 500, bytes: 32 * 1024 * 1024, depth: 0 };

/** True for names that a variable of a script can have. */
export function isName(name: string): boolean {
  return IDENTIFIER.test(name) && !RESERVED.has(name);
}

/** True for properties of documents that a script sees: names of ours win. */
export function isPropertyName(name: string): boolean {
  return isName(name) && !OBJECTS.has(name);
}

/** The reason why an argument cannot have this name, or null. */
export function argumentProblem(kind: ScriptKind, name: string): string | null {
  if ([...ownNames[kind], ...(givenNames[kind] ?? [])].includes(name))
    return 'has the name of a variable of the gateway';
  return isName(name) ? null : 'has a name that no variable in JavaScript can have';
}

/**
 * Tells which variables a script may use, so that others need not be made. Names in a text may be escaped or made by
 * `eval`, and contexts may be looked up by names that are made.
 */
export function mentionsIn(text: string): (name: string) => boolean {
  const isOpen = /\\u|\beval\b/.test(text);
  const looksUp = isOpen || /\bcontexts\b(?!\s*\??\.\s*[A-Za-z_$])/.test(text);
  return (name) => isOpen || text.includes(name) || (looksUp && (name === 'attributes' || name === 'session'));
}

/** Names of variables of a script, by where their values come from. */
export interface ScriptNames {
  /** Variables that the gateway makes for each run. */
  readonly own: readonly string[];
  /** Arguments and properties, which are the same for all runs. */
  readonly constants: readonly string[];
  /** Arguments that are objects of the heap, with their kinds. */
  readonly heap: readonly (readonly [name: string, kind: HeapObjectUse['kind']])[];
  readonly variables: readonly string[];
}

/** A script without `await` needs no asynchronous function, which takes longer to call than many scripts. */
const AWAITS = /await|\\u/;

/** The script as a function that gets its values from the gateway. The text of the script begins in the second line. */
export function wrappedScript(text: string, { own, constants, heap, variables }: ScriptNames): string {
  const names = [...own, ...constants, ...heap.map(([name]) => name), ...variables].join(', ');
  const values = [
    ...own.map((name) => `made.${name}(state)`),
    ...constants.map((_, index) => `constants[${index}]`),
    ...heap.map(([, kind], index) => `made.${kind}(state, ${index})`),
    ...variables.map((_, index) => `variables[${index}]`),
  ].join(', ');
  const caller = `(function (script) { return (made, constants) => (state, variables) => script(${values}); })`;
  const kind = AWAITS.test(text) ? 'async function' : 'function';
  return `${caller}(function (${names}) { "use strict"; return (${kind} () {\n${text}\n})(); })`;
}

/**
 * A text that ends the function around it would run outside of it, and outside of its budget. Behind a method there can
 * only be a comma or a brace, and behind a declaration neither of them: a text that fits into both ends neither.
 */
const CHECKED: readonly ((text: string) => string)[] = [
  (text) => `"use strict"; ({ async script() {\n${text}\n} })`,
  (text) => `"use strict"; async function script() {\n${text}\n}`,
];

/** Sandboxes that only compile. One that takes too long on a script is given up, and the next one takes its place. */
const compilers: Sandbox[] = [];

/** Makes sure that scripts can be compiled without waiting. */
export async function compilersReady(): Promise<void> {
  while (compilers.length < 2) compilers.push(await newCompiler());
}

async function newCompiler(): Promise<Sandbox> {
  const quickJs = await QuickJs.create(COMPILE_LIMITS.bytes);
  return quickJs.guarded(() => new Sandbox(quickJs, COMPILE_LIMITS, () => undefined, COMPILER_STACK));
}

/** Compiles a script, and runs nothing of it. @throws ScriptMistake with the place of a mistake */
export function readableScript(text: string): void {
  const compiler = compilers[0];
  if (compiler === undefined) throw new ScriptMistake('the script cannot be checked now; try again', 1, 1, true);
  if (text.includes('\0')) throw new ScriptMistake('the script has a zero character', 1, 1);
  const budget = new RunBudget(COMPILE_LIMITS);
  let mistake: ScriptException | null = null;
  try {
    compiler.quickJs.within(budget, () => {
      try {
        for (const wrapped of CHECKED) compiler.compile(wrapped(text), 'script');
      } catch (error) {
        if (!(error instanceof ScriptException)) throw error;
        mistake = error;
      }
    });
  } catch (error) {
    if (!(error instanceof QuickJsLost)) throw error;
    compilers.shift();
    void compilersReady();
    throw new ScriptMistake('compiling the script takes too long', 1, 1);
  }
  if (mistake !== null) throw placed(mistake, text);
}

function placed({ message, stackText }: ScriptException, text: string): ScriptMistake {
  const place = /\bscript:(\d+):(\d+)/.exec(stackText);
  const line = Math.max(1, Number(place?.[1] ?? 2) - 1);
  const last = text.split('\n').length;
  const shown = message.replace(/^SyntaxError: /, '');
  return line > last
    ? new ScriptMistake(`${shown} at the end of the script`, last, 1)
    : new ScriptMistake(shown, line, Number(place?.[2] ?? 1));
}
