import { hideUrlPasswords } from './url-password.ts';

const SECRET_NAMES = '(?:password|passphrase|secrets?|private[_-]?key|api[_-]?key|authorization|token)';
/** Fields that hold secrets, or objects of secrets; ids of secrets and what provides them have other names. */
const SECRET = new RegExp(`${SECRET_NAMES}$`, 'i');
/** Fields that hold ids of secrets; what cannot be one may be the secret itself. */
const SECRET_ID = /secretId$/i;
const ID = /^["']?[\w-]+(?:\.[\w-]+)*["']?$/;
/** What only says where a value comes from. */
const TAKEN_FROM_ELSEWHERE = /^[&$#]\{[^}]*\}$/;
const JSON_PART = /"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[{}[\]:,]|\s+|[^\s"{}[\]:,/]+|\//g;
const YAML_FIELD = /^(\s*(?:- +)*)(["']?)([^\s"':#{[][^"':#{[]*)\2\s*:(?=\s|$)(.*)$/;
/** Up to the value of a secret in a line with braces. What follows it in the line is hidden too. */
const YAML_FLOW = new RegExp(`^(.*?[{[,]\\s*(["']?)[^\\s"':#{},[\\]]*${SECRET_NAMES}\\2\\s*:\\s*)(.*)$`, 'i');

/**
 * A document, sound or not, with stars for the secrets that are written into it: lines of it are shown where logs are
 * read. Everything stays in its line and column.
 */
export function hideSecrets(text: string): string {
  return hideUrlPasswords(/^\s*(?:[{[]|\/[/*])/.test(text) ? hideInJson(text) : hideInYaml(text));
}

function hideInJson(text: string): string {
  const parts = text.match(JSON_PART) ?? [];
  let shown = '';
  let field = '';
  /** Whether things are hidden in each of the arrays and objects that we are in, those around it first. */
  const around: { readonly mark: string; readonly hides: boolean }[] = [];
  for (const [at, part] of parts.entries()) {
    const inside = around.at(-1);
    const hides = inside?.hides === true || SECRET.test(field);
    if (part === '{' || part === '[') {
      // objects in a list of secrets are declarations of stores
      around.push({ mark: part, hides: hides && !(part === '{' && inside?.mark === '[') });
      field = '';
    } else if (part === '}' || part === ']') {
      around.pop();
      field = '';
    } else if (part === ',') field = '';
    else if (!/^[:\s]|^\/[/*]/.test(part)) {
      if (isField(parts, at)) field = unquoted(part);
      else if (hides || isMistaken(field, part)) {
        shown += stars(part);
        continue;
      }
    }
    shown += part;
  }
  return shown;
}

/** Whether a colon follows. */
function isField(parts: readonly string[], at: number): boolean {
  let next = at + 1;
  while (parts[next]?.trim() === '') next++;
  return parts[next] === ':';
}

function hideInYaml(text: string): string {
  /** How far lines are indented that belong to a hidden field; none do while it is infinite. */
  let beyond = Number.POSITIVE_INFINITY;
  const lines = text.split('\n').map((line) => {
    if (line.trim() === '') return line;
    const [, indent = '', , field = '', rest = ''] = YAML_FIELD.exec(line) ?? [];
    const depth = /^\s*/.exec(line)![0].length;
    const isHidden = depth > beyond;
    if (!isHidden) beyond = Number.POSITIVE_INFINITY;
    if (!isHidden && !SECRET.test(field.trim()) && !isMistaken(field.trim(), rest.trim())) {
      const [, before, , value] = YAML_FLOW.exec(line) ?? [];
      if (before === undefined || value === undefined) return line;
      beyond = depth;
      return before + stars(value);
    }
    if (!isHidden) beyond = indent.length;
    if (field === '') return line.replace(/\S.*/, stars);
    return line.slice(0, line.length - rest.length) + rest.replace(/\S.*/, stars);
  });
  return lines.join('\n');
}

/** Whether what stands where an id is wanted may be the secret itself. */
function isMistaken(field: string, value: string): boolean {
  return SECRET_ID.test(field) && value !== '' && !ID.test(value);
}

function stars(value: string): string {
  const content = unquoted(value.trim());
  if (TAKEN_FROM_ELSEWHERE.test(content)) return value;
  const [open, close] = [value.startsWith('"') ? '"' : '', value.length > 1 && value.endsWith('"') ? '"' : ''];
  return open + value.slice(open.length, value.length - close.length).replace(/[^\r\n]/gu, '*') + close;
}

function unquoted(part: string): string {
  const plain = part.replace(/\\u([\da-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return plain.replace(/^(["'])(.*)\1$/s, '$2');
}
