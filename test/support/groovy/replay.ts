import { isDeepStrictEqual } from 'node:util';
import { compileScript } from '../../../dataplane/scripts/groovy/compile/compile-script.ts';
import { groovyClasses } from '../../../dataplane/scripts/groovy/runtime/groovy-classes.ts';
import { runScript } from '../../../dataplane/scripts/groovy/runtime/script-run.ts';
import { ScriptError } from '../../../dataplane/scripts/groovy/syntax/place.ts';
import { Closure } from '../../../dataplane/scripts/groovy/values/closure.ts';
import { Thrown } from '../../../dataplane/scripts/groovy/values/throwable.ts';
import { canonical } from './canonical.ts';

/** What Groovy answered. */
export interface GroovyRow {
  readonly id: string;
  readonly feature: string;
  readonly tier: 1 | 2 | 3;
  readonly script: string;
  readonly result?: unknown;
  readonly type?: string;
  readonly stdout?: string;
  readonly error?: {
    readonly class: string;
    readonly message: string | null;
    readonly exact: boolean;
    readonly compile?: boolean;
    readonly cause?: string;
  };
}

export type RowOutcome =
  | { readonly verdict: 'same' }
  | { readonly verdict: 'refused' | 'different'; readonly reason: string };

/** Groovy answered with an environment and system properties. */
const SURROUNDINGS = {
  environment: {},
  properties: { 'line.separator': '\n', 'file.separator': '/', 'path.separator': ':', 'file.encoding': 'UTF-8' },
};

export function groovyRows(text: string): GroovyRow[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as GroovyRow);
}

/** Runs the script of a row and compares. */
export async function replayRow(row: GroovyRow): Promise<RowOutcome> {
  let script: ReturnType<typeof compileScript>;
  try {
    script = compileScript(row.script, { classes: groovyClasses() });
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    if (row.error?.compile === true) return { verdict: 'same' };
    const { line, column } = error.place;
    return { verdict: error.isUnsupported ? 'refused' : 'different', reason: `${error.message} (${line}:${column})` };
  }
  if (row.error?.compile === true && !/\b(?:evaluate|parse|Eval)\b/.test(row.script))
    return { verdict: 'different', reason: 'compiled' };
  let stdout = '';
  const { machine, result } = runScript(script, {
    print: (text) => {
      stdout += text;
    },
    prepare: (made) => {
      made.surroundings = SURROUNDINGS;
    },
  });
  try {
    const value = await result;
    const form = canonical(machine, value);
    const type = value === null ? 'null' : value instanceof Closure ? 'Closure' : machine.classOf(value).simpleName;
    return compare({ form, type, stdout }, { form: row.result, type: row.type, stdout: row.stdout ?? '' }, row.error);
  } catch (error) {
    if (!(error instanceof Thrown))
      return {
        verdict: 'different',
        reason:
          error instanceof Error ? `${error.name}: ${error.stack?.split('\n').slice(0, 4).join(' | ')}` : String(error),
      };
    const { javaClass, message, cause } = error.throwable;
    if (javaClass.name === 'java.lang.UnsupportedOperationException' && message?.endsWith('is not available')) {
      return { verdict: 'refused', reason: message };
    }
    if (row.error === undefined) return { verdict: 'different', reason: `threw ${javaClass.name}: ${message}` };
    const ours = {
      class: javaClass.name,
      message: row.error.exact
        ? (message?.split(/\n?Possible solutions: /)[0]?.replace(/@[0-9a-f]{5,8}\b/g, '@HASH') ?? null)
        : null,
      stdout,
      ...(row.error.cause === undefined ? {} : { cause: cause === null ? null : machine.classOf(cause).name }),
    };
    const theirs = {
      class: row.error.class,
      message: row.error.exact ? row.error.message : null,
      stdout: row.stdout ?? '',
      ...(row.error.cause === undefined ? {} : { cause: row.error.cause }),
    };
    if (isDeepStrictEqual(ours, theirs)) return { verdict: 'same' };
    return { verdict: 'different', reason: `threw ${JSON.stringify(ours)} instead of ${JSON.stringify(theirs)}` };
  }
}

function compare(ours: object, theirs: object, error: GroovyRow['error']): RowOutcome {
  if (error !== undefined)
    return { verdict: 'different', reason: `gave ${JSON.stringify(ours)} instead of ${error.class}: ${error.message}` };
  if (JSON.stringify(ours) === JSON.stringify(theirs)) return { verdict: 'same' };
  return { verdict: 'different', reason: `gave ${JSON.stringify(ours)} instead of ${JSON.stringify(theirs)}` };
}
