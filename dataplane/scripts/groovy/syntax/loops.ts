import { parseDeclaration, startsDeclaration } from './declarations.ts';
import type { Parsing } from './parsing.ts';
import type { Expression, Statement } from './tree.ts';
import { tryType } from './type-parser.ts';

/** `for (x in list)`, `for (T x : list)`, `for (init; condition; update)` */
export function parseFor(p: Parsing, bodyOf: () => Statement): Statement {
  const { cursor } = p;
  const place = cursor.place();
  cursor.expect('for');
  cursor.expect('(');
  const each = tryForIn(p);
  if (each !== null) {
    const of = p.expression();
    cursor.expect(')');
    return { kind: 'for-in', place, variable: each, of, body: bodyOf() };
  }
  const init: Statement[] = [];
  if (!cursor.is(';')) {
    if (startsDeclaration(p)) init.push(parseDeclaration(p));
    else for (const of of expressions(p, ';')) init.push({ kind: 'expression', place: of.place, of });
  }
  cursor.expect(';');
  const condition = cursor.is(';') ? null : p.expression();
  cursor.expect(';');
  const update = expressions(p, ')');
  cursor.expect(')');
  return { kind: 'for', place, init, condition, update, body: bodyOf() };
}

function expressions(p: Parsing, closer: string): Expression[] {
  const list: Expression[] = [];
  while (!p.cursor.is(closer)) {
    list.push(p.statementExpression());
    if (!p.cursor.accept(',')) break;
  }
  return list;
}

function tryForIn(p: Parsing): { name: string; type: ReturnType<typeof tryType>; place: Expression['place'] } | null {
  const { cursor } = p;
  const from = cursor.at;
  while (cursor.is('final') || cursor.is('def') || (cursor.isName('var') && cursor.peek().kind === 'name'))
    cursor.next();
  const typeFrom = cursor.at;
  let type = tryType(cursor);
  if (type === null || cursor.token.kind !== 'name') {
    cursor.at = typeFrom;
    type = null;
  }
  const place = cursor.place();
  const { token } = cursor;
  if (token.kind === 'name') {
    cursor.next();
    if (cursor.accept('in') || cursor.accept(':')) return { name: token.text, type, place };
  }
  cursor.at = from;
  return null;
}
