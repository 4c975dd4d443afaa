import { charactersOf, endsWord, isBlank } from '../document/blank.ts';
import { stars } from './stars.ts';
import { hideUrlPasswords } from './url-password.ts';

const SECRET_NAMES =
  '(?:password|passphrase|secrets?|private[_-]?key|api[_-]?key|authorization|token|security[._]credentials)';
/** Fields that hold secrets, or objects of secrets; ids of secrets and what provides them have other names. */
const SECRET = new RegExp(`${SECRET_NAMES}$`, 'i');
/** Fields that hold ids of secrets; what cannot be one may be the secret itself. */
const SECRET_ID = /(?:secretId|storePassword|keyEntryPassword)$/i;
const ID = /^["']?[\w-]+(?:\.[\w-]+)*["']?$/;
/** What only says where a value comes from. */
const TAKEN_FROM_ELSEWHERE = /^[&$#]\{[^}]*\}$/;
/** Up to the value of a secret in a line with braces. What follows it in the line is hidden too. */
const YAML_FLOW = new RegExp(`^(.*?[{[,]\\s*(["']?)[^\\s"':#{},[\\]]*${SECRET_NAMES}\\2\\s*:\\s*)(.*)$`, 'i');
/** The same in a line that is too long to be matched as a whole; it hides rather too much. */
const YAML_LONG_FLOW = new RegExp(`${SECRET_NAMES}["']?[ \\t]*:`, 'i');
const JSON_MARKS = charactersOf('"{}[]:,/');
const YAML_MARKS = charactersOf('"\':#{[');
const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Names or declarations of secret stores, also where they are a field of `secrets`. */
export const STORES = 'stores';
const LONG_LINE = 4096;
/** The end of a name is enough to tell whether it is that of a secret. */
const LONGEST_NAME = 64;

/**
 * A document, sound or not, with stars for the secrets that are written into it: lines of it are shown where logs are
 * read. Everything stays in its line and column. It takes time in proportion to the text, and no stack.
 */
export function hideSecrets(text: string): string {
  return hideUrlPasswords(isJson(text) ? hideInJson(text) : hideInYaml(text));
}

function isJson(text: string): boolean {
  const at = skipBlank(text, 0);
  return text[at] === '{' || text[at] === '[' || (text[at] === '/' && (text[at + 1] === '/' || text[at + 1] === '*'));
}

function hideInJson(text: string): string {
  const shown: string[] = [];
  let shownTo = 0;
  let field = '';
  /** Whether things are hidden in each of the arrays and objects that we are in, those around it first. */
  const around: { readonly mark: string; readonly hides: boolean }[] = [];
  for (let at = skipBlank(text, 0), end = 0; at < text.length; at = skipBlank(text, end)) {
    end = jsonPartEnd(text, at);
    const mark = text[at]!;
    const inside = around.at(-1);
    const hides = inside?.hides === true || isSecret(field);
    if (mark === '{' || mark === '[') {
      // objects in a list of secrets are declarations of stores, or name Secrets
      around.push({ mark, hides: hides && field !== STORES && !(mark === '{' && inside?.mark === '[') });
      field = '';
    } else if (mark === '}' || mark === ']') {
      around.pop();
      field = '';
    } else if (mark === ',') field = '';
    else if (mark !== ':' && !isComment(text, at)) {
      if (text[skipComments(text, end)] === ':') field = unquoted(text.slice(at, end));
      else if (hides || isMistaken(field, text.slice(at, end))) {
        shown.push(text.slice(shownTo, at), hidden(text.slice(at, end)));
        shownTo = end;
      }
    }
  }
  return shown.length === 0 ? text : shown.join('') + text.slice(shownTo);
}

/** The end of what begins here: a string, a comment, a mark or a word. */
function jsonPartEnd(text: string, from: number): number {
  if (text[from] === '"') return stringEnd(text, from);
  if (isComment(text, from)) {
    const isLine = text[from + 1] === '/';
    const end = text.indexOf(isLine ? '\n' : '*/', from + 2);
    return end < 0 ? text.length : isLine ? end : end + 2;
  }
  let at = from;
  while (at < text.length && !endsWord(text.charCodeAt(at), JSON_MARKS)) at++;
  return Math.max(at, from + 1);
}

/** A string that is not closed ends with its line. */
function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === LINE_FEED) return at;
    if (code === BACKSLASH && text.charCodeAt(at + 1) !== LINE_FEED) at++;
  }
  return text.length;
}

/** Steps over blanks and comments. */
function skipComments(text: string, from: number): number {
  let at = skipBlank(text, from);
  while (isComment(text, at)) at = skipBlank(text, jsonPartEnd(text, at));
  return at;
}

function isComment(text: string, at: number): boolean {
  return text[at] === '/' && (text[at + 1] === '/' || text[at + 1] === '*');
}

function skipBlank(text: string, from: number): number {
  let at = from;
  while (at < text.length && isBlank(text.charCodeAt(at))) at++;
  return at;
}

function hideInYaml(text: string): string {
  /** The fields that we are in, as far as they hide or show what is indented beyond them; the innermost is the last. */
  const around: { readonly beyond: number; readonly hides: boolean }[] = [];
  const lines = text.split('\n').map((line) => {
    const depth = skipBlank(line, 0);
    if (depth === line.length) return line;
    while (around.length > 0 && depth <= around.at(-1)!.beyond) around.pop();
    const { indent, field, restAt } = yamlField(line);
    let hides = around.at(-1)?.hides === true;
    if (hides && field !== '' && (field === STORES || line[depth] === '-')) {
      hides = false;
      around.push({ beyond: line[depth] === '-' ? depth - 1 : indent, hides });
    }
    if (!hides && !isSecret(field) && !isMistaken(field, line.slice(restAt).trim())) {
      const valueAt = flowSecret(line);
      if (valueAt === null) return line;
      around.push({ beyond: depth, hides: true });
      return line.slice(0, valueAt) + hidden(line.slice(valueAt));
    }
    if (!hides) around.push({ beyond: indent, hides: true });
    const from = skipBlank(line, field === '' ? 0 : restAt);
    return line.slice(0, from) + hidden(line.slice(from));
  });
  return lines.join('\n');
}

/** The field that begins a line, and where what follows its colon begins; an empty one when there is none. */
function yamlField(line: string): { indent: number; field: string; restAt: number } {
  let at = skipBlank(line, 0);
  while (line[at] === '-' && line[at + 1] === ' ') at = skipBlank(line, at + 1);
  const indent = at;
  const none = { indent, field: '', restAt: line.length };
  const quote = line[at] === '"' || line[at] === "'" ? line[at++] : undefined;
  const nameAt = at;
  while (at < line.length && YAML_MARKS[line.charCodeAt(at)] !== 1) at++;
  const field = line.slice(nameAt, at).trim();
  if (field === '' || (quote !== undefined && line[at++] !== quote)) return none;
  at = skipBlank(line, at);
  const isField = line[at] === ':' && (at + 1 === line.length || isBlank(line.charCodeAt(at + 1)));
  return isField ? { indent, field, restAt: at + 1 } : none;
}

/** Where in a line with braces the value of a secret begins, or null. */
function flowSecret(line: string): number | null {
  if (line.length <= LONG_LINE) return YAML_FLOW.exec(line)?.[1]?.length ?? null;
  const found = YAML_LONG_FLOW.exec(line);
  return found === null ? null : skipBlank(line, found.index + found[0].length);
}

/** True for the name of a field that holds a secret, or an object of secrets. */
export function isSecret(field: string): boolean {
  const end = field.slice(-LONGEST_NAME);
  return SECRET.test(end) && !SECRET_ID.test(end);
}

/** Whether what stands where an id is wanted may be the secret itself. */
export function isMistaken(field: string, value: string): boolean {
  return SECRET_ID.test(field.slice(-LONGEST_NAME)) && value !== '' && !ID.test(value);
}

function hidden(value: string): string {
  const content = unquoted(value.trim());
  if (TAKEN_FROM_ELSEWHERE.test(content)) return value;
  const [open, close] = [value.startsWith('"') ? '"' : '', value.length > 1 && value.endsWith('"') ? '"' : ''];
  return open + stars(value.slice(open.length, value.length - close.length)) + close;
}

function unquoted(part: string): string {
  const plain = part.includes('\\u')
    ? part.replace(/\\u([\da-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : part;
  const [first, last] = [plain[0], plain.at(-1)];
  return plain.length > 1 && first === last && (first === '"' || first === "'") ? plain.slice(1, -1) : plain;
}
