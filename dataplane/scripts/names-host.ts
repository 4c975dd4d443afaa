import type { ScriptText } from './script-fields.ts';

/** Words with which a script can send a request to another host. */
const SETS_HOST =
  /\.\s*uri\s*=(?!=)|\.\s*(?:host|authority)\s*=(?!=)|\bset(?:Uri|Host)\b|\brebase\b|\bnew\s+Request\b|\bMutableUri\b/g;

/** Comments, and texts with their quotes; a quote without an end in its line is left alone. */
const TOKENS =
  /\/\*[\s\S]*?\*\/|\/\/.*|'''[\s\S]*?'''|"""[\s\S]*?"""|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;

/** A statement that sets the host of the request of the client, and the value that it sets. */
const STATEMENT =
  /^\s*request\s*\.\s*(?:uri\s*=(?!=)|setUri\s*\(|uri\s*\.\s*(?:(host|authority)\s*=(?!=)|(setHost)\s*\(|rebase\s*\(\s*new\s+URI\s*\())\s*(.*?)[\s);]*$/;

/** Code that the next statement belongs to. */
const GOES_ON = /(?:^|[\s;}])(?:else|do)\s*$|(?:&&|\|\||->|=>|[?:=,+])\s*$/;
const CONDITION = /(?:^|[\s;}])(?:if|while|for)\s*(?=\()/g;

/** End of a value after its host: nothing, or the path, so that nothing can make the host longer. */
const PATH = String.raw`(?:\s*\+\s*(?:request\s*\.\s*uri\s*\.\s*(?:path|rawPath)\b|['"\`]/).*)?$`;
const PLACE = String.raw`https?://[A-Za-z0-9.-]+(?::\d+)?`;

/** Returns true for a script that sets the host of every request that it passes on, and unsure if it only may. */
export function namesHost(script: ScriptText | null, given: ReadonlySet<string> = new Set()): boolean | 'unsure' {
  if (script === null) return false;
  const code = script.text.replaceAll(TOKENS, (token) => (/^\/[/*]/.test(token) ? blank(token) : token));
  const bare = code.replaceAll(TOKENS, blank);
  const found = [...bare.matchAll(SETS_HOST)];
  if (found.length === 0) return false;
  return found.length === 1 && setsFirst(code, bare, found[0]!.index, given) ? true : 'unsure';
}

/** Spaces in the place of a token, so that places stay the same. */
function blank(token: string): string {
  return token.replaceAll(/[^\n]/g, ' ');
}

/** True if the only statement that sets a host stands outside of all braces, before `next`, and sets one that is known. */
function setsFirst(code: string, bare: string, at: number, given: ReadonlySet<string>): boolean {
  const before = bare.slice(0, at);
  if (/\bnext\b/.test(before) || depthOf(before) !== 0) return false;
  const begin = Math.max(before.lastIndexOf('\n'), before.lastIndexOf(';')) + 1;
  if (GOES_ON.test(before.slice(0, begin)) || endsWithCondition(before.slice(0, begin).trimEnd())) return false;
  const line = code.slice(begin).split('\n', 1)[0]!;
  const statement = STATEMENT.exec(bare.slice(begin, begin + line.length).trimEnd() === '' ? '' : line);
  if (statement === null) return false;
  const isHost = (statement[1] ?? statement[2]) !== undefined;
  return isKnown(statement[3]!, isHost, given) && passesRequest(bare);
}

/** True for code that ends with the parenthesis of a condition or loop. */
function endsWithCondition(text: string): boolean {
  const last = [...text.matchAll(CONDITION)].at(-1);
  if (last === undefined || !text.endsWith(')')) return false;
  const rest = text.slice(last.index + last[0].length);
  for (let at = 1; at < rest.length; at++) if (depthOf(rest.slice(0, at)) === 0) return false;
  return true;
}

/** Braces and the like that are open. */
function depthOf(text: string): number {
  return (text.match(/[([{]/g)?.length ?? 0) - (text.match(/[)\]}]/g)?.length ?? 0);
}

/** True for a text with a host, or a name that an argument or property has. */
function isKnown(value: string, isHost: boolean, given: ReadonlySet<string>): boolean {
  const name = /^([A-Za-z_]\w*)/.exec(value)?.[1];
  if (name !== undefined)
    return given.has(name) && (isHost ? value === name : new RegExp(`^${name}${PATH}`).test(value));
  if (isHost) return /^(['"`])[A-Za-z0-9.:-]+\1$/.test(value);
  return (
    new RegExp(`^(['"\`])${PLACE}[/?]`).test(value) ||
    new RegExp(`^(['"\`])${PLACE}\\1${PATH}`).test(value) ||
    new RegExp(`^["\`]${PLACE}\\$\\{request\\.uri\\.(?:path|rawPath)\\}`).test(value)
  );
}

/** True if every use of `next` passes the request of the client on. */
function passesRequest(bare: string): boolean {
  const uses = bare.match(/\bnext\b/g)?.length ?? 0;
  const plain = bare.match(
    /\bnext\s*\.\s*handle\s*\(\s*[\w.]+\s*,\s*request\s*\)|\bnext\s*\(\s*(?:request\s*)?\)/g,
  )?.length;
  return uses > 0 && uses === plain;
}
