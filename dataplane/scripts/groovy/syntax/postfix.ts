import { parseArguments, parseMapItems } from './arguments.ts';
import { parseClosure } from './closures.ts';
import type { Parsing } from './parsing.ts';
import { parsePrimary } from './primary.ts';
import type { Arguments, Expression, Navigation } from './tree.ts';
import { skipTypeArguments } from './type-parser.ts';

const NO_ARGUMENTS: Arguments = { positional: [], named: [] };

/** Each part of a path nests the ones before it in the code. */
const LONGEST = 500;

const DOTS: ReadonlySet<string> = new Set(['.', '?.', '*.', '.@', '?.@', '.&', '::']);

/** An operand with everything that follows it: properties, calls, elements, closures. */
export function parsePostfix(p: Parsing, mayBeCommand: boolean): Expression {
  const { cursor } = p;
  const head = parsePrimary(p);
  const path = parsePath(p, head);
  if (!mayBeCommand || !startsCommandArgument(p)) return path;
  if (path.kind === 'closure' || path.kind === 'list' || path.kind === 'map' || path.kind === 'new')
    cursor.unexpected();
  return parseCommand(p, path);
}

function parsePath(p: Parsing, head: Expression): Expression {
  const { cursor } = p;
  let of = head;
  for (let length = 0; ; ) {
    const { token } = cursor;
    if ((token.text !== '(' || of.kind !== 'property') && ++length > LONGEST) cursor.fail('the path is too long');
    if (token.kind !== 'operator') return of;
    const place = cursor.place();
    if (DOTS.has(token.text)) {
      if (cursor.peek().kind === 'end') return of;
      of = parseMember(p, of);
    } else if (token.isAfterNewline) return of;
    else if (token.text === '[' || token.text === '?[') {
      if (of.kind === 'name' && cursor.peek().text === ']' && /^[A-Z]/.test(of.name)) {
        cursor.at += 2;
        of = { ...of, name: `${of.name}[]` };
        continue;
      }
      cursor.next();
      const items = parseIndex(p);
      of = { kind: 'index', place: of.place, of, items, isSafe: token.text === '?[', at: place };
    } else if (token.text === '(') {
      of = callOf(of, withClosures(p, parseArguments(p)), place);
    } else if (token.text === '{' && takesClosure(of)) {
      of = callOf(of, withClosures(p, NO_ARGUMENTS), place);
    } else return of;
  }
}

function takesClosure(of: Expression): boolean {
  return of.kind === 'name' || of.kind === 'property' || of.kind === 'call' || of.kind === 'invoke';
}

/** `name(…)` and `object.name(…)` are calls of methods; anything else is called itself. */
export function callOf(of: Expression, args: Arguments, place: Expression['place']): Expression {
  if (of.kind === 'name')
    return { kind: 'call', place: of.place, of: null, name: literal(of.name, of.place), args, navigation: 'plain' };
  if (of.kind === 'this' || of.kind === 'super') {
    return { kind: 'call', place, of, name: literal('<init>', place), args, navigation: 'plain' };
  }
  if (of.kind === 'property' && !of.isField)
    return { kind: 'call', place: of.name.place, of: of.of, name: of.name, args, navigation: of.navigation };
  if (of.kind === 'literal' && typeof of.value === 'string')
    return { kind: 'call', place, of: null, name: of, args, navigation: 'plain' };
  if (of.kind === 'gstring') return { kind: 'call', place, of: null, name: of, args, navigation: 'plain' };
  return { kind: 'invoke', place, of, args };
}

function literal(value: string, place: Expression['place']): Expression {
  return { kind: 'literal', place, value };
}

/** Closures after the parentheses are further arguments. */
function withClosures(p: Parsing, args: Arguments): Arguments {
  const positional = [...args.positional];
  while (p.cursor.isHere('{')) positional.push(parseClosure(p));
  return { positional, named: args.named };
}

function parseMember(p: Parsing, of: Expression): Expression {
  const { cursor } = p;
  const dot = cursor.next().text;
  let isField = dot === '.@' || dot === '?.@';
  if (dot === '*.' && cursor.accept('@')) isField = true;
  if (dot === '.' && cursor.isHere('<')) skipTypeArguments(cursor);
  const place = cursor.place();
  if (dot === '.' && cursor.is('new') && cursor.peek().kind === 'name')
    cursor.unsupported('`outer.new Inner()` is not supported');
  const name = parseMemberName(p);
  if (dot === '.&' || dot === '::') return { kind: 'pointer', place, of, name, isReference: dot === '::' };
  const navigation: Navigation = dot.startsWith('?') ? 'safe' : dot === '*.' ? 'spread' : 'plain';
  return { kind: 'property', place: of.place, of, name, navigation, isField };
}

function parseMemberName(p: Parsing): Expression {
  const { cursor } = p;
  const { token } = cursor;
  const place = cursor.place();
  if (token.kind === 'name' || token.kind === 'keyword') {
    cursor.next();
    return literal(token.text, place);
  }
  if (token.kind === 'string' || token.kind === 'gstring') return parsePrimary(p);
  if (token.text === '(' && token.kind === 'operator') {
    cursor.next();
    const name = p.expression();
    cursor.expect(')');
    return name;
  }
  if (token.kind === 'number') cursor.unsupported(`expected a name but found ${cursor.found()}`);
  return cursor.fail(`expected a name but found ${cursor.found()}`);
}

/** The items between brackets; named items are one map. */
function parseIndex(p: Parsing): Expression[] {
  const { cursor } = p;
  const place = cursor.place();
  const { positional, named } = parseMapItems(p, ']');
  cursor.expect(']');
  if (named.length > 0) cursor.fail('an index is not a map', place);
  if (positional.length === 0) cursor.unsupported('an index without a value is not supported', place);
  return [...positional];
}

/** The token begins the argument of a call without parentheses. */
function startsCommandArgument(p: Parsing): boolean {
  const { token } = p.cursor;
  if (token.isAfterNewline || token.kind === 'end') return false;
  if (token.kind === 'name' || token.kind === 'number' || token.kind === 'string' || token.kind === 'gstring')
    return true;
  if (token.kind === 'operator')
    return (token.text === '!' || token.text === '~') && !['in', 'instanceof'].includes(p.cursor.peek().text);
  return [
    'new',
    'null',
    'true',
    'false',
    'this',
    'super',
    'int',
    'long',
    'double',
    'float',
    'short',
    'byte',
    'char',
    'boolean',
    'switch',
  ].includes(token.text);
}

/** `a b` is `a(b)`; `a b c d` is `a(b).c(d)`; `a b c` is `a(b).c`. */
function parseCommand(p: Parsing, head: Expression): Expression {
  const { cursor } = p;
  let of = callOf(head, commandArguments(p), head.place);
  while (
    !cursor.token.isAfterNewline &&
    (cursor.token.kind === 'name' ||
      cursor.token.kind === 'string' ||
      ['null', 'true', 'false', 'this'].includes(cursor.token.text))
  ) {
    const place = cursor.place();
    const name = parseMemberName(p);
    const member: Expression = { kind: 'property', place, of, name, navigation: 'plain', isField: false };
    const path = parsePath(p, member);
    of = startsCommandArgument(p) ? callOf(path, commandArguments(p), place) : path;
  }
  return of;
}

function commandArguments(p: Parsing): Arguments {
  const { positional, named } = parseMapItems(p, null);
  return { positional, named };
}
