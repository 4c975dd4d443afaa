import type { Parsing } from './parsing.ts';
import { parsePostfix } from './postfix.ts';
import { PRIMITIVE_NAMES } from './token.ts';
import type { Expression } from './tree.ts';
import { looksLikeType, requireType, tryType } from './type-parser.ts';

const ASSIGNMENTS: ReadonlySet<string> = new Set([
  '=',
  '+=',
  '-=',
  '*=',
  '/=',
  '%=',
  '**=',
  '<<=',
  '>>=',
  '>>>=',
  '&=',
  '|=',
  '^=',
  '?=',
]);

/** Binding power; more binds tighter. */
const POWERS: ReadonlyMap<string, number> = new Map(
  [
    ['||'],
    ['&&'],
    ['|'],
    ['^'],
    ['&'],
    ['=~', '==~'],
    ['==', '!=', '===', '!==', '<=>'],
    ['<', '<=', '>', '>=', 'in', '!in'],
    ['instanceof', '!instanceof', 'as'],
    ['<<', '>>', '>>>', '..', '..<', '<..', '<..<'],
    ['+', '-'],
    ['*', '/', '%'],
    [],
    ['**'],
  ].flatMap((operators, index) => operators.map((operator): [string, number] => [operator, index + 3])),
);
const POWER_OF_POWER = 16;

/** Operators that are not chained in the code, but nested. */
const NESTING: ReadonlySet<string> = new Set(['as', 'instanceof', '!instanceof', '..', '..<', '<..', '<..<']);

/** Operators that continue an expression only on the same line, because they also begin one. */
const SAME_LINE: ReadonlySet<string> = new Set(['+', '-', '**']);

export function parseExpression(p: Parsing): Expression {
  return p.cursor.nested(() => parseAssignment(p, false));
}

/** An expression where `name argument` is a call. */
export function parseStatementExpression(p: Parsing): Expression {
  return p.cursor.nested(() => parseAssignment(p, true));
}

function parseAssignment(p: Parsing, mayBeCommand: boolean): Expression {
  const { cursor } = p;
  const place = cursor.place();
  const left = parseTernary(p, mayBeCommand);
  const operator = cursor.token.text;
  if (cursor.token.kind !== 'operator' || !ASSIGNMENTS.has(operator)) return left;
  cursor.next();
  checkTarget(p, left);
  cursor.lambdaAt = cursor.at;
  const value = cursor.nested(() => parseAssignment(p, mayBeCommand));
  return { kind: 'assign', place, operator, target: left, value };
}

function checkTarget(p: Parsing, target: Expression): void {
  if (target.kind === 'name' && PRIMITIVE_NAMES.has(target.name))
    p.cursor.fail(`'${target.name}' is a type and takes no value`, target.place);
  if (target.kind === 'name' || target.kind === 'property' || target.kind === 'index') return;
  p.cursor.fail('the left side of an assignment must be a variable, a property or an element', target.place);
}

function parseTernary(p: Parsing, mayBeCommand: boolean): Expression {
  const { cursor } = p;
  const place = cursor.place();
  const condition = parseBinary(p, 3, mayBeCommand);
  if (cursor.accept('?:')) {
    const no = cursor.nested(() => parseTernaryBranch(p));
    return { kind: 'ternary', place, condition, yes: null, no };
  }
  if (!cursor.accept('?')) return condition;
  const yes = cursor.nested(() => parseTernaryBranch(p));
  cursor.expect(':');
  const no = cursor.nested(() => parseTernaryBranch(p));
  return { kind: 'ternary', place, condition, yes, no };
}

/** A branch may be an assignment or a lambda without parentheses. */
function parseTernaryBranch(p: Parsing): Expression {
  return parseAssignment(p, false);
}

/** The operator at the cursor, `!in` and `!instanceof` as one. */
function operatorHere(p: Parsing): { operator: string; tokens: number } | null {
  const { token } = p.cursor;
  if (token.kind !== 'operator' && token.kind !== 'keyword') return null;
  if (token.text === '!') {
    const next = p.cursor.peek();
    const isNegated =
      next.kind === 'keyword' && (next.text === 'in' || next.text === 'instanceof') && !next.isAfterSpace;
    return isNegated ? { operator: `!${next.text}`, tokens: 2 } : null;
  }
  if (token.text === '<..' && p.cursor.peek().text === '<' && !p.cursor.peek().isAfterSpace)
    return { operator: '<..<', tokens: 2 };
  return { operator: token.text, tokens: 1 };
}

function parseBinary(p: Parsing, least: number, mayBeCommand: boolean): Expression {
  const { cursor } = p;
  const place = cursor.place();
  let left = parseUnary(p, mayBeCommand);
  for (let conversions = 0; ; ) {
    const here = operatorHere(p);
    const power = here === null ? undefined : POWERS.get(here.operator);
    if (here === null || power === undefined || power < least) return left;
    const { operator } = here;
    if (cursor.token.isAfterNewline && SAME_LINE.has(operator)) return left;
    const at = cursor.place();
    cursor.at += here.tokens;
    if (NESTING.has(operator) && ++conversions > 100) cursor.fail('the expression is nested too deeply');
    if (operator === 'as') left = { kind: 'coerce', place, of: left, type: requireType(cursor), isCast: false };
    else if (operator === 'instanceof' || operator === '!instanceof') {
      left = {
        kind: 'type-test',
        place,
        of: left,
        type: requireType(cursor),
        isNegated: operator === '!instanceof',
        at,
      };
    } else {
      const right = cursor.nested(() => parseBinary(p, power + 1, false));
      left = operator.includes('..')
        ? {
            kind: 'range',
            place,
            from: left,
            to: right,
            skipsFirst: operator.startsWith('<'),
            skipsLast: operator.endsWith('<'),
          }
        : { kind: 'binary', place, operator, left, right, at };
    }
  }
}

function parseUnary(p: Parsing, mayBeCommand: boolean): Expression {
  const { cursor } = p;
  const place = cursor.place();
  const { token } = cursor;
  if (token.kind === 'operator') {
    const operator = token.text;
    if (operator === '-' || operator === '+') {
      cursor.next();
      if (operator === '-' && cursor.token.kind === 'number' && !cursor.token.isAfterNewline && isBareNumber(p)) {
        return { kind: 'literal', place, value: { number: `-${cursor.next().text}` } };
      }
      const isBare = !cursor.is('(');
      const of = cursor.nested(() => parseBinary(p, POWER_OF_POWER, false));
      if (operator === '-' && isBare && isNegative(of))
        cursor.fail("'-' does not stand before a negative number", place);
      return { kind: 'unary', place, operator, of };
    }
    if (operator === '!' || operator === '~') {
      cursor.next();
      return { kind: 'unary', place, operator, of: cursor.nested(() => parseUnary(p, false)) };
    }
    if (operator === '++' || operator === '--') {
      cursor.next();
      const of = cursor.nested(() => parseUnary(p, false));
      return { kind: 'step', place, operator, isPrefix: true, of };
    }
    if (operator === '(') {
      const cast = tryCast(p);
      if (cast !== null) return cast;
    }
  }
  const of = parsePostfix(p, mayBeCommand);
  if (cursor.isHere('++') || cursor.isHere('--')) {
    return { kind: 'step', place, operator: cursor.next().text as '++' | '--', isPrefix: false, of };
  }
  return of;
}

function isNegative(node: Expression): boolean {
  if (node.kind === 'unary')
    return node.operator === '+' ? isNegative(node.of) : node.operator === '-' && isNumber(node.of);
  return isNumber(node) && node.value.number.startsWith('-');
}

function isNumber(node: Expression): node is Expression & { kind: 'literal'; value: { number: string } } {
  return node.kind === 'literal' && node.value !== null && typeof node.value === 'object';
}

/** A number that is not the object of a call and not raised to a power: the sign belongs to the literal. */
function isBareNumber(p: Parsing): boolean {
  const next = p.cursor.peek();
  return !(next.kind === 'operator' && ['.', '?.', '**', '[', '*.', '.&'].includes(next.text));
}

function tryCast(p: Parsing): Expression | null {
  const { cursor } = p;
  const from = cursor.at;
  const place = cursor.place();
  cursor.next();
  const type = tryType(cursor);
  if (type !== null && cursor.is(')') && (looksLikeType(type) || type.dimensions > 0)) {
    cursor.next();
    if (!cursor.token.isAfterNewline && startsOperand(p, PRIMITIVE_NAMES.has(type.name))) {
      return { kind: 'coerce', place, of: cursor.nested(() => parseUnary(p, false)), type, isCast: true };
    }
  }
  cursor.at = from;
  return null;
}

/** Tells a cast from a name in parentheses: an operand follows. */
function startsOperand(p: Parsing, isPrimitive: boolean): boolean {
  const { token } = p.cursor;
  if (token.kind === 'operator') {
    if (['(', '[', '{', '!', '~'].includes(token.text)) return true;
    if (!['-', '+', '++', '--'].includes(token.text)) return false;
    return isPrimitive || (token.isAfterSpace && !p.cursor.peek().isAfterSpace);
  }
  if (token.kind === 'keyword') return !['in', 'instanceof', 'as'].includes(token.text);
  return token.kind !== 'end';
}
