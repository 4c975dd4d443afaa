import { parseArguments, parseMapItems } from './arguments.ts';
import { parseClosure, parseParameters } from './closures.ts';
import { Cursor } from './cursor.ts';
import { startsDeclaration } from './declarations.ts';
import type { Parsing } from './parsing.ts';
import { PRIMITIVE_NAMES, type Token } from './token.ts';
import type { ClassNode, Expression, Statement } from './tree.ts';
import { requireType, skipTypeArguments } from './type-parser.ts';

/** A literal, a name, something in brackets, `new`, a closure or a lambda. */
export function parsePrimary(p: Parsing): Expression {
  const { cursor } = p;
  const { token } = cursor;
  const place = cursor.place();
  switch (token.kind) {
    case 'number':
      cursor.next();
      return { kind: 'literal', place, value: { number: token.text } };
    case 'string':
      cursor.next();
      return { kind: 'literal', place, value: token.text };
    case 'gstring':
      cursor.next();
      return gstring(p, token);
    case 'name':
      if (isOperator(cursor.peek(), '->') && !cursor.peek().isAfterNewline && cursor.lambdaAt === cursor.at) {
        cursor.next();
        return lambda(p, [{ name: token.text, type: null, initial: null, isVariadic: false, place }], place);
      }
      cursor.next();
      return { kind: 'name', place, name: token.text };
    case 'keyword':
      return keyword(p, token);
    case 'operator':
      return bracketed(p, token);
    default:
      return cursor.unexpected();
  }
}

/** In `case NAME ->` the arrow belongs to the case. */
function isInCase(cursor: Cursor): boolean {
  for (let at = cursor.at - 1; at >= 0; at--) {
    const { kind, text } = cursor.tokens[at]!;
    if (kind === 'keyword' && text === 'case') return true;
    if (kind === 'operator' && text !== ',' && text !== '.') return false;
    if (kind === 'end') return false;
  }
  return false;
}

function isOperator(token: Token, text: string): boolean {
  return token.kind === 'operator' && token.text === text;
}

function gstring(p: Parsing, token: Token): Expression {
  const strings: string[] = [];
  const values: Expression[] = [];
  for (const part of token.parts ?? []) {
    if ('text' in part) {
      strings.push(part.text);
      continue;
    }
    const inner = p.within(new Cursor(part.tokens, p.cursor.source, p.cursor));
    values.push(part.isPath ? inner.expression() : braced(inner));
  }
  return { kind: 'gstring', place: { line: token.line, column: token.column }, strings, values };
}

function isAtEnd(cursor: Cursor): boolean {
  return cursor.token.kind === 'end';
}

/** The value in `${…}`: an expression, statements of which the last counts, or a closure that is called for its text. */
function braced(p: Parsing): Expression {
  const { cursor } = p;
  const place = cursor.place();
  if (isAtEnd(cursor)) return { kind: 'literal', place, value: null };
  if (cursor.is('->')) {
    cursor.next();
    const body = p.statements();
    return { kind: 'closure', place, parameters: [], body };
  }
  const from = cursor.at;
  if (isOperator(cursor.peek(), '->') && cursor.token.kind === 'name') {
    const name = cursor.next().text;
    cursor.next();
    return {
      kind: 'closure',
      place,
      parameters: [{ name, type: null, initial: null, isVariadic: false, place }],
      body: p.statements(),
    };
  }
  cursor.at = from;
  const value = startsDeclaration(p) ? null : p.statementExpression();
  if (value === null || !isAtEnd(cursor)) {
    cursor.at = from;
    const body = p.statements();
    return {
      kind: 'invoke',
      place,
      of: { kind: 'closure', place, parameters: [], body },
      args: { positional: [], named: [] },
    };
  }
  return value;
}

function keyword(p: Parsing, token: Token): Expression {
  const { cursor } = p;
  const place = cursor.place();
  switch (token.text) {
    case 'null':
    case 'true':
    case 'false':
      cursor.next();
      return { kind: 'literal', place, value: token.text === 'null' ? null : token.text === 'true' };
    case 'this':
      cursor.next();
      return { kind: 'this', place };
    case 'super':
      cursor.next();
      return { kind: 'super', place };
    case 'new':
      return creation(p);
    case 'switch':
      return { kind: 'switch-value', place, switch: p.switchNode(true) };
    default:
      if (PRIMITIVE_NAMES.has(token.text)) {
        const type = requireType(cursor);
        return { kind: 'name', place, name: type.name + '[]'.repeat(type.dimensions) };
      }
      return cursor.unexpected();
  }
}

function bracketed(p: Parsing, token: Token): Expression {
  const { cursor } = p;
  const place = cursor.place();
  if (token.text === '{') return parseClosure(p);
  if (token.text === '[') return listOrMap(p);
  if (token.text !== '(') return cursor.unexpected();
  const closer = cursor.closerOf(cursor.at);
  if (isOperator(cursor.tokens[Math.min(closer + 1, cursor.tokens.length - 1)]!, '->') && !isInCase(cursor)) {
    cursor.next();
    const parameters = parseParameters(p, ')');
    cursor.expect(')');
    return lambda(p, parameters, place);
  }
  cursor.next();
  cursor.lambdaAt = cursor.at;
  const inner = p.statementExpression();
  cursor.expect(')');
  // Groovy reads `(name)(…)` as a cast, and has no class of that name.
  if (cursor.isHere('(') && isPlainPath(inner)) cursor.fail('a name in parentheses before `(` would be a class', place);
  // `(name) = …` would be no assignment.
  return inner.kind === 'name' ? inner : { ...inner, place };
}

function isPlainPath(node: Expression): boolean {
  if (node.kind === 'name') return true;
  return (
    node.kind === 'property' &&
    node.navigation === 'plain' &&
    !node.isField &&
    node.name.kind === 'literal' &&
    isPlainPath(node.of)
  );
}

function lambda(p: Parsing, parameters: ReturnType<typeof parseParameters>, place: Expression['place']): Expression {
  const { cursor } = p;
  cursor.expect('->');
  if (cursor.is('{')) {
    return { kind: 'closure', place, parameters, body: p.block() };
  }
  const of = p.statementExpression();
  const body: Statement[] = [{ kind: 'expression', place: of.place, of }];
  return { kind: 'closure', place, parameters, body };
}

function listOrMap(p: Parsing): Expression {
  const { cursor } = p;
  const place = cursor.place();
  cursor.expect('[');
  if (cursor.is(':') && isOperator(cursor.peek(), ']')) {
    cursor.next();
    cursor.next();
    return { kind: 'map', place, items: [] };
  }
  const { positional, named } = parseMapItems(p, ']');
  cursor.expect(']');
  if (named.length === 0) return { kind: 'list', place, items: positional };
  if (positional.length > 0) cursor.fail('a literal is either a list or a map', place);
  return { kind: 'map', place, items: named };
}

function creation(p: Parsing): Expression {
  const { cursor } = p;
  const place = cursor.place();
  cursor.expect('new');
  const type = requireType(cursor, false);
  if (cursor.isHere('<')) skipTypeArguments(cursor);
  if (cursor.isHere('[')) return newArray(p, type, place);
  if (!cursor.is('(')) cursor.fail(`expected '(' after 'new ${type.name}'`);
  const args = parseArguments(p);
  let body: ClassNode | null = null;
  if (cursor.isHere('{')) {
    const modifiers = { words: new Set<string>(), annotations: [], place };
    body = p.classBody('', 'class', modifiers, { superclass: type, interfaces: [] });
  }
  return { kind: 'new', place, type, args, body };
}

function newArray(p: Parsing, element: ReturnType<typeof requireType>, place: Expression['place']): Expression {
  const { cursor } = p;
  const sizes: Expression[] = [];
  let dimensions = 0;
  while (cursor.isHere('[')) {
    cursor.next();
    dimensions++;
    if (!cursor.is(']')) sizes.push(p.expression());
    cursor.expect(']');
  }
  const type = { ...element, dimensions };
  if (sizes.length > 0) return { kind: 'new-array', place, type, sizes, items: null };
  if (!cursor.is('{')) cursor.fail('an array needs a size or elements');
  return { kind: 'new-array', place, type, sizes, items: arrayItems(p, dimensions) };
}

function arrayItems(p: Parsing, dimensions: number): Expression[] {
  const { cursor } = p;
  cursor.expect('{');
  const items: Expression[] = [];
  while (!cursor.is('}')) {
    const place = cursor.place();
    if (dimensions > 1 && cursor.is('{')) items.push({ kind: 'list', place, items: arrayItems(p, dimensions - 1) });
    else items.push(p.expression());
    if (!cursor.accept(',')) break;
  }
  cursor.expect('}');
  return items;
}
