import type { Place } from '../../syntax/place.ts';

/** A mistake as Groovy's compiler reports it. */
export interface GroovyMistake {
  readonly message: string;
  readonly column: number;
}

/** Column beyond which a message shows a part of the line: so many characters before the mistake, and so many after it. */
const FAR = 40;
const BEFORE = 31;
const AFTER = 9;

/** The line with a mistake, and a mark below it. */
export function sampleOf(line: string, column: number): string[] {
  const from = column > FAR ? column - BEFORE : 0;
  const to = column > FAR ? column + AFTER : line.length;
  return [`   ${line.slice(from, to)}`, `   ${' '.repeat(column - 1 - from)}^`];
}

/** The mistake of a text in Groovy's words; null where only its parser could tell them, or where it may report several. */
export function groovyMistake(text: string, message: string, { line, column }: Place): GroovyMistake | null {
  const whole = text.split('\n')[line - 1] ?? '';
  const before = whole.slice(0, column - 1);
  const said = (mistake: string, at = column): GroovyMistake => ({ message: mistake, column: at });
  const once = (word: string, times = 1): boolean =>
    !text.includes('\n') && [...text.matchAll(/[A-Za-z_$][\w$]*/g)].filter(([each]) => each === word).length === times;
  const [, named = ''] = /'([^']*)'/.exec(message) ?? [];
  switch (message.replace(/'[^']*'/, '…').replace(/^class \S+/, 'class')) {
    case 'unexpected character …':
      return said(message.replace('unexpected character ', 'Unexpected character: '));
    case 'unexpected …':
      return line === 1 && /^\s*(?:return\s+|\w+\s*=\s*)?$/.test(before) ? said(`Unexpected input: '${named}'`) : null;
    case 'a string is not closed':
      return openString(whole, column);
    case 'class is not available': {
      const [, type = ''] = /^class (\S+) /.exec(message) ?? [];
      const made = /\bnew\s+$/.exec(before);
      const isOnly = !text.includes('\n') && (text.match(/\b[A-Z]/g) ?? []).length === 1;
      return made === null || !isOnly ? null : said(`unable to resolve class ${type}\n`, made.index + 1);
    }
    case 'the variable … is already declared':
      return before.endsWith('def ') && once(named, 2) && once('def', 2)
        ? said(`The current scope already contains a variable of the name ${named}\n`)
        : null;
    case 'the variable … is final':
      return once(named, 2)
        ? said(`The variable [${named}] is declared final but is reassigned\n. At [${line}:${column}] `)
        : null;
    case '… stands only in a loop or a switch':
      return once(named) ? said(`${named} statement is only allowed inside loops or switches`) : null;
    case '… stands only in a loop':
      return once(named) ? said(`${named} statement is only allowed inside loops`) : null;
    case 'the left side of an assignment must be a variable, a property or an element':
      return before.trim() === '' && /^(?:\d+|'[^'\\]*'|"[^"\\$]*")\s*=\s*[\w'"]/.test(whole.slice(column - 1))
        ? said('The LHS of an assignment should be a variable or a field accessing expression')
        : null;
    default:
      return null;
  }
}

/** Groovy does not know an open string, only a quote that begins nothing. */
function openString(whole: string, column: number): GroovyMistake | null {
  const quote = whole.charAt(column - 1);
  const rest = whole.slice(column - 1);
  if (!/^(?:"(?!"")|'(?!''))[^\\$]*$/.test(rest)) return null;
  return { message: `Unexpected character: '${quote === "'" ? String.raw`\'` : quote}'`, column };
}
