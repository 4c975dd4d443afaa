/** Tokens after which a slash begins a regular expression and not a division. */
const beforeRegExp =
  /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield))\s*$/;

/**
 * Replaces comments and what strings, templates and regular expressions contain by spaces, so that rules see code only.
 * Offsets, line breaks and the quotes themselves stay as they are.
 */
export function maskCode(text: string): string {
  const out = text.split('');
  const blank = (from: number, to: number) => {
    for (let at = from; at < to; at++) if (out[at] !== '\n') out[at] = ' ';
  };
  /** For each open template, how many braces are open inside its current `${`. */
  const templates: number[] = [];
  let code = '';
  let at = 0;
  while (at < text.length) {
    const end = literalEnd(text, at, code);
    if (end > at) {
      const isComment = text.startsWith('//', at) || text.startsWith('/*', at);
      blank(isComment ? at : at + 1, isComment ? end : end - 1);
      if (!isComment) code += text[at];
      at = end;
      continue;
    }
    const char = text[at]!;
    const depth = templates.at(-1);
    if (char === '`' || (char === '}' && depth === 0)) {
      if (char === '}') templates.pop();
      const stop = templateEnd(text, at + 1);
      const opens = text[stop] === '$';
      blank(at + 1, stop);
      if (opens) templates.push(0);
      at = stop + (opens ? 2 : 1);
      code += opens ? '{' : '`';
      continue;
    }
    if (depth !== undefined && char === '{') templates[templates.length - 1] = depth + 1;
    if (depth !== undefined && char === '}') templates[templates.length - 1] = depth - 1;
    code += char;
    at++;
  }
  return out.join('');
}

/** Where the comment, string or regular expression that begins here ends, or the same offset when none begins. */
function literalEnd(text: string, at: number, codeBefore: string): number {
  const char = text[at];
  if (char === "'" || char === '"') return closing(text, at, char);
  if (char !== '/') return at;
  if (text[at + 1] === '/') return orEnd(text, text.indexOf('\n', at), 0);
  if (text[at + 1] === '*') return orEnd(text, text.indexOf('*/', at + 2), 2);
  return beforeRegExp.test(codeBefore.slice(-20)) ? closing(text, at, '/') : at;
}

function closing(text: string, start: number, quote: string): number {
  let inClass = false;
  for (let at = start + 1; at < text.length && text[at] !== '\n'; at++) {
    if (text[at] === '\\') at++;
    else if (quote === '/' && text[at] === '[') inClass = true;
    else if (quote === '/' && text[at] === ']') inClass = false;
    else if (text[at] === quote && !inClass) return at + 1;
  }
  return start + 1;
}

/** The offset of the closing backtick or of the next `${`. */
function templateEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && text[at] !== '`' && !text.startsWith('${', at)) at += text[at] === '\\' ? 2 : 1;
  return Math.min(at, text.length);
}

function orEnd(text: string, found: number, length: number): number {
  return found < 0 ? text.length : found + length;
}
