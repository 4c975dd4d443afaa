import type { Value } from '../values/java-class.ts';
import { identityOf } from '../values/key-of.ts';
import { Thrown } from '../values/throwable.ts';
import type { Core } from './core.ts';
import { Instance } from './instance.ts';

/** A value within the condition of an assertion, and the column of the source below which it is shown. */
export interface Note {
  readonly column: number;
  readonly value: Value;
}

/** An assertion with a message of its own: the variables are names and values in turn. */
export function assertionFailed(core: Core, message: Value, source: string, variables: readonly Value[]): never {
  const values: string[] = [];
  for (let at = 0; at < variables.length; at += 2)
    values.push(`${variables[at] as string}${core.text(variables[at + 1]!)}`);
  const shown = values.length === 0 ? '' : `. Values: ${values.join(', ')}`;
  return core.fail('java.lang.AssertionError', `${core.text(message)}. Expression: ${source}${shown}`);
}

/** An assertion without a message shows its source with the values below it. */
export function powerAssertionFailed(core: Core, source: string, notes: readonly Note[]): never {
  return core.fail(
    'org.codehaus.groovy.runtime.powerassert.PowerAssertionError',
    drawing(
      source,
      notes.map(({ column, value }) => ({ column: column + 1, text: valueText(core, value) })),
    ),
  );
}

function valueText(core: Core, value: Value): string {
  try {
    const text = core.inspect(value);
    if (!(value instanceof Instance)) return text === '' || (text === "''" && value !== '') ? '""' : text;
    if (text === '') return `${identityText(value)} (toString() == "")`;
    const isNull = text === 'null' && core.now(core.call(value, 'toString', [])) === null;
    return isNull ? `${identityText(value)} (toString() == null)` : text;
  } catch (error) {
    if (!(error instanceof Thrown) || !(value instanceof Instance)) throw error;
    const { supertypes, name } = error.throwable.javaClass;
    if (!supertypes.has(core.class('java.lang.Exception'))) throw error;
    const isChecked = !supertypes.has(core.class('java.lang.RuntimeException'));
    return `${identityText(value)} (toString() threw ${isChecked ? 'groovy.lang.GroovyRuntimeException' : name})`;
  }
}

function identityText(value: Instance): string {
  return `${value.javaClass.name}@${identityOf(value).toString(16)}`;
}

interface Line {
  text: string;
  /** Column of the leftmost value on the line so far. */
  start: number;
}

/** Values from right to left: each on the first line where it fits before the ones already there, with bars above it. */
function drawing(source: string, values: readonly { readonly column: number; readonly text: string }[]): string {
  const bars: Line = { text: '', start: 0 };
  const lines: Line[] = [bars];
  const byColumn = values.toSorted((left, right) => right.column - left.column);
  for (const [index, { column, text }] of byColumn.entries()) {
    // Of several values at one column the last one is that of the outermost expression.
    if (byColumn[index + 1]?.column === column) continue;
    const parts = text.split(/\r\n|\r|\n/);
    const end = parts.length === 1 ? column + text.length : Number.POSITIVE_INFINITY;
    const line = lines.find((each) => {
      if (end < each.start) return true;
      put(each, '|', column);
      if (each !== bars) each.start = column + 1;
      return false;
    });
    if (line !== undefined) {
      put(line, text, column);
      line.start = column;
    } else {
      for (const part of parts) {
        const made = { text: '', start: column };
        put(made, part, column);
        lines.push(made);
      }
    }
  }
  return [source, ...lines.map((line) => line.text)].join('\n');
}

function put(line: Line, text: string, column: number): void {
  const padded = line.text.padEnd(column, ' ');
  line.text = padded.slice(0, column - 1) + text + padded.slice(column - 1 + text.length);
}
