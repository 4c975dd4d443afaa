import { parseDeclaration, startsDeclaration } from './declarations.ts';
import { parseFor } from './loops.ts';
import type { Parsing } from './parsing.ts';
import { codePoints } from './place.ts';
import type { Token } from './token.ts';
import type { CatchClause, Expression, LocalNode, Statement, SwitchCase, SwitchNode, TypeName } from './tree.ts';
import { requireType, tryType } from './type-parser.ts';

/** Statements up to a closing brace or the end, which is left. */
export function parseStatements(p: Parsing): Statement[] {
  const { cursor } = p;
  const statements: Statement[] = [];
  for (;;) {
    while (cursor.accept(';')) {}
    if (cursor.is('}') || cursor.token.kind === 'end') return statements;
    statements.push(parseStatement(p));
    endStatement(p);
  }
}

/** A statement ends with its line, a semicolon or its block; a block needs no end of its own. */
function endStatement(p: Parsing): void {
  const { cursor } = p;
  if (cursor.accept(';')) return;
  if (cursor.is('}') || cursor.token.kind === 'end' || cursor.token.isAfterNewline) return;
  const before = cursor.tokens[cursor.at - 1];
  const isAfterBlock =
    before?.kind === 'operator' && before.text === '}' && (cursor.is('case') || cursor.is('default'));
  if (isAfterBlock) return;
  if (before?.kind === 'operator' && before.text === '}')
    cursor.unsupported("a statement on the line of a '}' that ends another is not supported");
  cursor.unexpected();
}

export function parseBlock(p: Parsing): Statement[] {
  p.cursor.expect('{');
  const body = parseStatements(p);
  p.cursor.expect('}');
  return body;
}

export function parseStatement(p: Parsing): Statement {
  return p.cursor.nested(() => statement(p));
}

function statement(p: Parsing): Statement {
  const { cursor } = p;
  const { token } = cursor;
  const place = cursor.place();
  if (token.kind === 'keyword') {
    const parsed = keywordStatement(p);
    if (parsed !== null) return parsed;
  }
  if (token.kind === 'operator' && token.text === '{' && !isClosureStatement(p))
    return { kind: 'block', place, body: parseBlock(p) };
  const colon = cursor.peek();
  if (token.kind === 'name' && colon.kind === 'operator' && colon.text === ':' && !colon.isAfterNewline) {
    cursor.next();
    cursor.next();
    return { kind: 'labelled', place, label: token.text, body: parseStatement(p) };
  }
  if (
    cursor.isName('yield') &&
    !colon.isAfterNewline &&
    (colon.kind !== 'operator' || colon.text === '[') &&
    colon.kind !== 'end'
  ) {
    cursor.next();
    return { kind: 'yield', place, of: p.expression() };
  }
  if (token.kind === 'number' && colon.kind === 'name' && isOperandHere(cursor.peek(2)))
    cursor.unsupported('a call without parentheses on a number is not supported');
  if (startsDeclaration(p)) return parseDeclaration(p);
  if (token.kind === 'operator' && token.text === '(') {
    const many = tryAssignMany(p);
    if (many !== null) return { kind: 'expression', place, of: many };
  }
  return { kind: 'expression', place, of: p.statementExpression() };
}

function isOperandHere({ kind, isAfterNewline }: Token): boolean {
  return !isAfterNewline && (kind === 'number' || kind === 'name' || kind === 'string' || kind === 'gstring');
}

/** A block that begins with parameters is a closure. */
function isClosureStatement(p: Parsing): boolean {
  const { cursor } = p;
  const closer = cursor.closerOf(cursor.at);
  const after = cursor.tokens[Math.min(closer + 1, cursor.tokens.length - 1)]!;
  const isUsed = after.kind === 'keyword' ? ['as', 'in', 'instanceof'].includes(after.text) : after.kind === 'operator';
  if (!after.isAfterNewline && isUsed && ![';', '}', ')', ']', ',', ':', '{', '->'].includes(after.text)) return true;
  for (let at = cursor.at + 1; at < closer; at++) {
    const { kind, text, isAfterNewline } = cursor.tokens[at]!;
    if (kind === 'operator' && text === '->') return true;
    if (isAfterNewline && at > cursor.at + 1) return false;
    if (
      kind !== 'name' &&
      kind !== 'keyword' &&
      !(kind === 'operator' && [',', '.', '<', '>', '[', ']'].includes(text))
    )
      return false;
  }
  return false;
}

function keywordStatement(p: Parsing): Statement | null {
  const { cursor } = p;
  const place = cursor.place();
  switch (cursor.token.text) {
    case 'if':
      return ifStatement(p);
    case 'while': {
      cursor.next();
      const condition = inParentheses(p);
      return { kind: 'while', place, condition, body: bodyOf(p), isPostfix: false };
    }
    case 'do': {
      cursor.next();
      const body = bodyOf(p);
      cursor.accept(';');
      cursor.expect('while');
      return { kind: 'while', place, condition: inParentheses(p), body, isPostfix: true };
    }
    case 'for':
      return parseFor(p, () => bodyOf(p));
    case 'switch': {
      const node = parseSwitch(p, false);
      return node.isArrow ? { kind: 'expression', place, of: { kind: 'switch-value', place, switch: node } } : node;
    }
    case 'try':
      return tryStatement(p);
    case 'throw':
      cursor.next();
      return { kind: 'throw', place, of: p.expression() };
    case 'return': {
      cursor.next();
      const isBare = cursor.token.isAfterNewline || cursor.is(';') || cursor.is('}') || cursor.token.kind === 'end';
      return { kind: 'return', place, of: isBare ? null : p.expression() };
    }
    case 'break':
    case 'continue': {
      const kind = cursor.next().text as 'break' | 'continue';
      const hasLabel = cursor.token.kind === 'name' && !cursor.token.isAfterNewline;
      return { kind, place, label: hasLabel ? cursor.next().text : null };
    }
    case 'assert':
      return assertStatement(p);
    case 'synchronized':
      if (cursor.peek().text !== '(') return parseDeclaration(p);
      cursor.next();
      inParentheses(p);
      return { kind: 'block', place, body: parseBlock(p) };
    case 'goto':
    case 'const':
      return cursor.unexpected();
    default:
      return null;
  }
}

/** The body of an `if` or a loop: a statement, or nothing but a semicolon. */
function bodyOf(p: Parsing): Statement {
  const { cursor } = p;
  const place = cursor.place();
  if (cursor.is(';')) {
    cursor.next();
    return { kind: 'empty', place };
  }
  return parseStatement(p);
}

function inParentheses(p: Parsing): Expression {
  p.cursor.expect('(');
  const inner = p.statementExpression();
  p.cursor.expect(')');
  return inner;
}

function ifStatement(p: Parsing): Statement {
  const { cursor } = p;
  const place = cursor.place();
  cursor.next();
  const condition = inParentheses(p);
  const yes = bodyOf(p);
  const from = cursor.at;
  while (cursor.accept(';')) {}
  if (!cursor.is('else')) {
    cursor.at = from;
    return { kind: 'if', place, condition, yes, no: null };
  }
  cursor.next();
  return { kind: 'if', place, condition, yes, no: bodyOf(p) };
}

function assertStatement(p: Parsing): Statement {
  const { cursor } = p;
  const place = cursor.place();
  const { start } = cursor.token;
  cursor.next();
  const condition = p.expression();
  const { end } = cursor.tokens[cursor.at - 1]!;
  const message = cursor.accept(':') || cursor.accept(',') ? p.expression() : null;
  const source = cursor.source.slice(start, end);
  return { kind: 'assert', place, condition, message, source, shown: shownSource(cursor.source, start, end) };
}

/** Groovy counts columns in code points, and cuts the shown source out of its line as if they were UTF-16 units. */
function shownSource(script: string, start: number, end: number): string {
  const source = script.slice(start, end);
  const line = script.slice(Math.max(script.lastIndexOf('\n', start - 1), script.lastIndexOf('\r', start - 1)) + 1);
  const before = line.slice(0, line.length - (script.length - start));
  if (source.includes('\n') || !/[\u{10000}-\u{10ffff}]/u.test(before + source)) return source;
  const from = codePoints(before);
  return line.slice(from, from + codePoints(source)).trim();
}

/** `(a, b) = value` */
function tryAssignMany(p: Parsing): Expression | null {
  const { cursor } = p;
  const place = cursor.place();
  const closer = cursor.closerOf(cursor.at);
  const after = cursor.tokens[closer + 1];
  if (after === undefined || after.kind !== 'operator' || after.text !== '=') return null;
  cursor.next();
  const targets: Expression[] = [];
  do {
    const { kind, text } = cursor.token;
    if (kind !== 'name') cursor.fail('an assignment to several names variables only');
    targets.push({ kind: 'name', place: cursor.place(), name: text });
    cursor.next();
  } while (cursor.accept(','));
  cursor.expect(')');
  cursor.expect('=');
  return { kind: 'assign-many', place, targets, value: p.statementExpression() };
}

function tryStatement(p: Parsing): Statement {
  const { cursor } = p;
  const place = cursor.place();
  cursor.next();
  const resources = cursor.is('(') ? parseResources(p) : [];
  const body = parseBlock(p);
  const catches: CatchClause[] = [];
  while (cursor.is('catch')) catches.push(catchClause(p));
  const last = cursor.accept('finally') ? parseBlock(p) : null;
  if (catches.length === 0 && last === null && resources.length === 0) {
    cursor.fail("'try' needs 'catch' or 'finally'", place);
  }
  return { kind: 'try', place, resources, body, catches, last };
}

function parseResources(p: Parsing): LocalNode[] {
  const { cursor } = p;
  cursor.expect('(');
  const resources: LocalNode[] = [];
  while (!cursor.is(')')) {
    const place = cursor.place();
    cursor.accept('final');
    if (!cursor.accept('def')) {
      const from = cursor.at;
      if (tryType(cursor) === null || cursor.token.kind !== 'name') cursor.at = from;
    }
    const name = cursor.next();
    if (name.kind !== 'name') cursor.fail('expected the name of a resource', name);
    cursor.expect('=');
    const initial = p.expression();
    resources.push({
      kind: 'local',
      place,
      variables: [{ variable: { name: name.text, type: null, place }, initial }],
      modifiers: { words: new Set(), annotations: [], place },
    });
    if (!cursor.accept(';')) break;
  }
  cursor.expect(')');
  return resources;
}

function catchClause(p: Parsing): CatchClause {
  const { cursor } = p;
  const place = cursor.place();
  cursor.expect('catch');
  cursor.expect('(');
  cursor.accept('final');
  cursor.accept('def');
  const types: TypeName[] = [];
  const from = cursor.at;
  const type = tryType(cursor);
  if (type !== null && (cursor.token.kind === 'name' || cursor.is('|'))) {
    types.push(type);
    while (cursor.accept('|')) types.push(requireType(cursor));
  } else cursor.at = from;
  const name = cursor.next();
  if (name.kind !== 'name') cursor.fail('expected the name of the exception', name);
  cursor.expect(')');
  return { types, name: name.text, body: parseBlock(p), place };
}

const NO_VALUE: ReadonlySet<Statement['kind']> = new Set(['expression', 'local', 'assert', 'empty']);

export function parseSwitch(p: Parsing, isValue: boolean): SwitchNode {
  const { cursor } = p;
  const place = cursor.place();
  cursor.expect('switch');
  const subject = inParentheses(p);
  cursor.expect('{');
  const cases: SwitchCase[] = [];
  let isArrow = false;
  while (!cursor.is('}')) {
    const casePlace = cursor.place();
    const values: Expression[] = [];
    const isDefault = cursor.accept('default');
    if (!isDefault) {
      cursor.expect('case');
      do values.push(p.expression());
      while (cursor.accept(','));
    }
    if (cases.length > 0 && cursor.is('->') !== isArrow) cursor.fail("'->' and ':' do not go together in one switch");
    if (cursor.accept('->')) {
      isArrow = true;
      cases.push({ values, isDefault, body: [arrowBody(p)], place: casePlace });
      while (cursor.accept(';')) {}
      continue;
    }
    cursor.expect(':');
    cases.push({ values, isDefault, body: caseBody(p, isValue), place: casePlace });
  }
  cursor.expect('}');
  const misplaced = cases.slice(0, -1).find((each) => each.isDefault);
  if (isValue && !isArrow && !cases.some(({ body }) => body.some(({ kind }) => !NO_VALUE.has(kind))))
    cursor.fail("a switch with a value needs 'yield' or 'throw'", place);
  if (misplaced !== undefined) cursor.fail("'default' must be the last case of a switch", misplaced.place);
  return { kind: 'switch', place, subject, cases, isArrow };
}

function arrowBody(p: Parsing): Statement {
  const body = parseStatement(p);
  return body.kind === 'expression' ? { kind: 'yield', place: body.place, of: body.of } : body;
}

function caseBody(p: Parsing, isValue: boolean): Statement[] {
  const { cursor } = p;
  const body: Statement[] = [];
  let isEmpty = true;
  for (;;) {
    const isFirst = isEmpty;
    while (cursor.accept(';')) isEmpty = false;
    if (isFirst && !isEmpty && !cursor.is('}') && !cursor.is('case') && !cursor.is('default')) cursor.unexpected();
    if (cursor.is('}') && isEmpty) cursor.fail('the last case of a switch needs a statement');
    if (cursor.is('}') || cursor.is('case') || cursor.is('default') || cursor.token.kind === 'end') {
      if (isValue && !isEmpty && body.length === 0) cursor.fail("a case of a switch with a value needs 'yield'");
      return body;
    }
    isEmpty = false;
    body.push(parseStatement(p));
    endStatement(p);
  }
}
