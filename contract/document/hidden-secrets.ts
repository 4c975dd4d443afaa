/** Fields that hold secrets, or objects of secrets; ids of secrets and what provides them have other names. */
const SECRET = /(?:password|passphrase|secrets?|private_?key|api_?key)$/i;
/** What only says where a value comes from. */
const TAKEN_FROM_ELSEWHERE = /^[&$#]\{[^}]*\}$/;
const JSON_PART = /"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[{}[\]:,]|\s+|[^\s"{}[\]:,/]+|\//g;
const YAML_FIELD = /^(\s*(?:- +)*)(["']?)([^\s"':#][^"':#]*)\2\s*:(?=\s|$)(.*)$/;

/**
 * A document, sound or not, with stars for the secrets that are written into it: lines of it are shown where logs are
 * read. Everything stays in its line and column.
 */
export function hideSecrets(text: string): string {
  return /^\s*(?:[{[]|\/[/*])/.test(text) ? hideInJson(text) : hideInYaml(text);
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
      else if (hides) {
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
    const isHidden = /^\s*/.exec(line)![0].length > beyond;
    if (!isHidden) beyond = Number.POSITIVE_INFINITY;
    if (!isHidden && !SECRET.test(field.trim())) return line;
    if (!isHidden) beyond = indent.length;
    if (field === '') return line.replace(/\S.*/, stars);
    return line.slice(0, line.length - rest.length) + rest.replace(/\S.*/, stars);
  });
  return lines.join('\n');
}

function stars(value: string): string {
  const content = unquoted(value.trim());
  if (TAKEN_FROM_ELSEWHERE.test(content)) return value;
  const [open, close] = [value.startsWith('"') ? '"' : '', value.length > 1 && value.endsWith('"') ? '"' : ''];
  return open + value.slice(open.length, value.length - close.length).replace(/[^\r\n]/gu, '*') + close;
}

function unquoted(part: string): string {
  return part.replace(/^(["'])(.*)\1$/s, '$2');
}
