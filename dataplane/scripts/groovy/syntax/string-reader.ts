import type { StringPart, Token } from './token.ts';

/** A reader of tokens, as far as strings need it. */
export interface StringSource {
  readonly source: string;
  at: number;
  fail(message: string, offset: number): never;
  readUntil(closer: '}'): Token[];
  placeAt(offset: number): { readonly line: number; readonly column: number };
}

interface Style {
  readonly opener: string;
  readonly closer: string;
  readonly hasValues: boolean;
  readonly isOneLine: boolean;
  /** Form of escapes. */
  readonly escape: 'backslash' | 'slashy' | 'dollar';
}

const STYLES: readonly Style[] = [
  { opener: "'''", closer: "'''", hasValues: false, isOneLine: false, escape: 'backslash' },
  { opener: '"""', closer: '"""', hasValues: true, isOneLine: false, escape: 'backslash' },
  { opener: "'", closer: "'", hasValues: false, isOneLine: true, escape: 'backslash' },
  { opener: '"', closer: '"', hasValues: true, isOneLine: true, escape: 'backslash' },
  { opener: '$/', closer: '/$', hasValues: true, isOneLine: false, escape: 'dollar' },
  { opener: '/', closer: '/', hasValues: true, isOneLine: false, escape: 'slashy' },
];

const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  s: ' ',
  '"': '"',
  "'": "'",
  '\\': '\\',
  $: '$',
};

/** Reads the string that begins at the place of the reader; `parts` are given if it has values in it. */
export function readString(lexer: StringSource): { text: string; parts?: readonly StringPart[] } {
  const { source } = lexer;
  const start = lexer.at;
  const style = STYLES.find((each) => source.startsWith(each.opener, start))!;
  lexer.at += style.opener.length;
  const parts: StringPart[] = [];
  let text = '';
  const endText = (): void => {
    parts.push({ text });
    text = '';
  };
  for (;;) {
    const char = source[lexer.at];
    if (char === undefined || (style.isOneLine && (char === '\n' || char === '\r')))
      lexer.fail('a string is not closed', start);
    if (source.startsWith(style.closer, lexer.at) && !isEscapedCloser(style, source, lexer.at)) {
      lexer.at += style.closer.length;
      break;
    }
    if (char === '$' && style.hasValues) {
      const escaped = style.escape === 'dollar' ? dollarEscape(source, lexer.at) : null;
      if (escaped !== null) {
        text += escaped;
        lexer.at += 2;
        continue;
      }
      if (source[lexer.at + 1] === '{') {
        endText();
        lexer.at += 2;
        const tokens = lexer.readUntil('}');
        lexer.at++;
        parts.push({ tokens, isPath: false });
        continue;
      }
      const path = pathAt(source, lexer.at + 1);
      if (path !== null) {
        endText();
        parts.push({ tokens: pathTokens(lexer, path), isPath: true });
        continue;
      }
      if (style.escape === 'backslash')
        lexer.fail("'$' in a string needs a name, '{' or a backslash before it", lexer.at);
    }
    if (char === '\\') {
      text += style.escape === 'backslash' ? backslashEscape(lexer) : slashyEscape(lexer, style);
      continue;
    }
    if (char === '\r' && source[lexer.at + 1] === '\n') lexer.at++;
    text += source[lexer.at];
    lexer.at++;
  }
  if (parts.length === 0) return { text };
  endText();
  return { text: source.slice(start, lexer.at), parts };
}

/** `$/$` would end nothing: the dollar escapes the slash. */
function isEscapedCloser(style: Style, source: string, at: number): boolean {
  return style.escape === 'dollar' && source[at - 1] === '$' && source[at - 2] !== '$' && source[at - 2] !== '/';
}

function dollarEscape(source: string, at: number): string | null {
  const next = source[at + 1];
  return next === '$' || next === '/' ? next : null;
}

const PATH = /[\p{L}_][\p{L}\p{Nd}_]*(?:\.[\p{L}_][\p{L}\p{Nd}_]*)*/uy;

function pathAt(source: string, at: number): string | null {
  PATH.lastIndex = at;
  return PATH.exec(source)?.[0] ?? null;
}

function pathTokens(lexer: StringSource, path: string): Token[] {
  const tokens: Token[] = [];
  let at = lexer.at + 1;
  const add = (kind: Token['kind'], text: string): void => {
    const place = lexer.placeAt(at);
    tokens.push({ kind, text, start: at, end: at + text.length, isAfterNewline: false, isAfterSpace: false, ...place });
    at += text.length;
  };
  for (const [index, name] of path.split('.').entries()) {
    if (index > 0) add('operator', '.');
    add(name === 'this' || name === 'super' ? 'keyword' : 'name', name);
  }
  add('end', '');
  lexer.at = at;
  return tokens;
}

function backslashEscape(lexer: StringSource): string {
  const { source } = lexer;
  const at = lexer.at;
  const next = source[at + 1] ?? '';
  const simple = Object.hasOwn(SIMPLE_ESCAPES, next) ? SIMPLE_ESCAPES[next] : undefined;
  if (simple !== undefined) {
    lexer.at += 2;
    return simple;
  }
  const unicode = /^\\u([0-9a-fA-F]{4})/.exec(source.slice(at, at + 12));
  if (unicode !== null) {
    lexer.at += unicode[0].length;
    return String.fromCharCode(Number.parseInt(unicode[1]!, 16));
  }
  const octal = /^\\([0-3]?[0-7]{1,2})/.exec(source.slice(at, at + 4));
  if (octal !== null) {
    lexer.at += octal[0].length;
    return String.fromCharCode(Number.parseInt(octal[1]!, 8));
  }
  const newline = /^\\\r?\n/.exec(source.slice(at, at + 3));
  if (newline !== null) {
    lexer.at += newline[0].length;
    return '';
  }
  return lexer.fail(`'\\${next}' is not an escape sequence`, at);
}

function slashyEscape(lexer: StringSource, style: Style): string {
  const { source, at } = lexer;
  const unicode = /^\\u+([0-9a-fA-F]{4})/.exec(source.slice(at, at + 12));
  if (unicode !== null) {
    lexer.at += unicode[0].length;
    return String.fromCharCode(Number.parseInt(unicode[1]!, 16));
  }
  if (style.escape === 'slashy' && source[at + 1] === '/') {
    lexer.at += 2;
    return '/';
  }
  const newline = /^\\\r?\n/.exec(source.slice(at, at + 3));
  if (newline !== null) {
    lexer.at += newline[0].length;
    return '';
  }
  lexer.at += 1;
  return '\\';
}
