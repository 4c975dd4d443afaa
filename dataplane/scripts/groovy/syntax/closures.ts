import type { Cursor } from './cursor.ts';
import type { Parsing } from './parsing.ts';
import { PRIMITIVE_NAMES } from './token.ts';
import type { ClosureNode, Parameter } from './tree.ts';
import { tryType } from './type-parser.ts';

/** `{ a, b -> … }` */
export function parseClosure(p: Parsing): ClosureNode {
  const { cursor } = p;
  const place = cursor.place();
  cursor.expect('{');
  let parameters: Parameter[] | null = null;
  if (cursor.accept('->')) parameters = [];
  else if (hasParameters(cursor)) {
    parameters = parseParameters(p, '->');
    cursor.expect('->');
  }
  const body = p.statements();
  cursor.expect('}');
  return { kind: 'closure', place, parameters, body };
}

/** Looks ahead: only what may stand in parameters comes before the arrow. */
function hasParameters(cursor: Cursor): boolean {
  let depth = 0;
  let isInValue = false;
  for (let at = cursor.at; ; at++) {
    const token = cursor.tokens[at]!;
    const before = cursor.tokens[at - 1]!;
    if (token.kind === 'end') return false;
    if (token.isAfterNewline && at > cursor.at && before.text !== ',' && token.text !== ',' && token.text !== '->')
      return false;
    if (token.kind === 'keyword') {
      if (
        !isInValue &&
        !PRIMITIVE_NAMES.has(token.text) &&
        !['def', 'final', 'null', 'true', 'false', 'extends', 'super', 'new'].includes(token.text)
      )
        return false;
      continue;
    }
    if (token.kind !== 'operator') continue;
    if (token.text === '->' && depth === 0) return true;
    if (token.text === '=') isInValue = true;
    else if (token.text === ',' && depth === 0) isInValue = false;
    if (token.text === '(' || token.text === '[' || (token.text === '{' && isInValue)) depth++;
    else if (token.text === ')' || token.text === ']' || token.text === '}') {
      if (--depth < 0) return false;
    } else if (token.text === ';') return false;
    else if (isInValue) continue;
    else if (!['=', ',', '.', '<', '>', '>>', '?', '...', '@', '-', ':'].includes(token.text)) return false;
  }
}

/** Parameters up to a closer, which is left. */
export function parseParameters(p: Parsing, closer: ')' | '->'): Parameter[] {
  const { cursor } = p;
  const parameters: Parameter[] = [];
  const names = new Set<string>();
  while (!cursor.is(closer)) {
    const parameter = parseParameter(p);
    if (names.has(parameter.name)) cursor.fail(`the parameter '${parameter.name}' is declared twice`, parameter.place);
    names.add(parameter.name);
    parameters.push(parameter);
    if (!cursor.accept(',')) break;
    if (cursor.is(closer)) cursor.unexpected();
  }
  const early = parameters.slice(0, -1).find((each) => each.isVariadic);
  if (early !== undefined) cursor.fail(`the parameter '${early.name}' takes the rest and must be last`, early.place);
  return parameters;
}

function parseParameter(p: Parsing): Parameter {
  const { cursor } = p;
  let isFinal = false;
  while (cursor.is('final') || cursor.is('def') || cursor.is('@') || isVar(cursor)) {
    if (cursor.is('final')) isFinal = true;
    if (cursor.next().text !== '@') continue;
    const annotation = tryType(cursor, false);
    if (!['DelegatesTo', 'ClosureParams', 'Deprecated', 'SuppressWarnings'].includes(annotation?.name ?? ''))
      cursor.unsupported(`\`@${annotation?.name}\` of a parameter is not supported`);
    if (cursor.is('(')) cursor.at = cursor.closerOf(cursor.at) + 1;
  }
  const from = cursor.at;
  let type = tryType(cursor);
  let isVariadic = false;
  if (type !== null && (cursor.token.kind === 'name' || cursor.is('...'))) isVariadic = cursor.accept('...');
  else {
    cursor.at = from;
    type = null;
  }
  const place = cursor.place();
  if (type === null && cursor.accept('...')) isVariadic = true;
  const { token } = cursor;
  if (token.kind !== 'name') cursor.fail(`expected the name of a parameter but found ${cursor.found()}`);
  cursor.next();
  const initial = cursor.accept('=') ? p.expression() : null;
  return { name: token.text, type, initial, isFinal, isVariadic, place };
}

function isVar(cursor: Cursor): boolean {
  return cursor.isName('var') && cursor.peek().kind === 'name';
}
