import type { Parsing } from './parsing.ts';
import type { Arguments, Expression, MapItem } from './tree.ts';

/** Arguments in parentheses. */
export function parseArguments(p: Parsing): Arguments {
  p.cursor.expect('(');
  const args = parseMapItems(p, ')');
  p.cursor.expect(')');
  return args;
}

/** Items and `key: value` pairs, separated by commas; without a closer, up to the end of the command. */
export function parseMapItems(p: Parsing, closer: ')' | ']' | null): { positional: Expression[]; named: MapItem[] } {
  const { cursor } = p;
  const positional: Expression[] = [];
  const named: MapItem[] = [];
  while (closer === null || !cursor.is(closer)) {
    const place = cursor.place();
    const key = literalKey(p);
    if (key !== null) {
      cursor.expect(':');
      named.push({ key, value: p.expression() });
    } else if (cursor.is('*') && cursor.peek().text === ':' && cursor.peek().kind === 'operator') {
      cursor.next();
      cursor.next();
      named.push({ spread: p.expression() });
    } else if (cursor.accept('*')) positional.push({ kind: 'spread', place, of: p.expression() });
    else {
      if (closer === ')') cursor.lambdaAt = cursor.at;
      const item = closer === ')' ? p.statementExpression() : p.expression();
      if (cursor.accept(':')) named.push({ key: item, value: p.expression() });
      else positional.push(item);
    }
    if (!cursor.accept(',')) break;
    if (closer === null && cursor.token.kind === 'end') cursor.unexpected();
  }
  return { positional, named };
}

/** A name, keyword, string or number before a colon is a key as it stands. */
function literalKey(p: Parsing): Expression | null {
  const { cursor } = p;
  const { token } = cursor;
  const colon = cursor.peek();
  if (colon.kind !== 'operator' || colon.text !== ':') return null;
  const place = cursor.place();
  if (token.kind === 'name' || token.kind === 'keyword' || token.kind === 'string') {
    cursor.next();
    return { kind: 'literal', place, value: token.text };
  }
  if (token.kind === 'number') {
    cursor.next();
    return { kind: 'literal', place, value: { number: token.text } };
  }
  return null;
}
