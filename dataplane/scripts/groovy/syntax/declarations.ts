import { parseArguments } from './arguments.ts';
import { parseParameters } from './closures.ts';
import type { Parsing } from './parsing.ts';
import { PRIMITIVE_NAMES, type Token } from './token.ts';
import type {
  Annotation,
  Arguments,
  Expression,
  MethodNode,
  Modifiers,
  Statement,
  TypeName,
  Variable,
} from './tree.ts';
import { looksLikeType, parseTypeVariables, requireType, tryType } from './type-parser.ts';

const MODIFIERS: ReadonlySet<string> = new Set(
  'def final static private public protected abstract transient volatile native strictfp'.split(' '),
);

const CLASS_WORDS: ReadonlySet<string> = new Set(['class', 'interface', 'enum']);

/** A variable, method, class or import begins here, rather than an expression. */
export function startsDeclaration(p: Parsing): boolean {
  const { cursor } = p;
  const { token } = cursor;
  if (token.kind === 'keyword' && (MODIFIERS.has(token.text) || CLASS_WORDS.has(token.text) || token.text === 'import'))
    return true;
  if (token.kind === 'operator') return token.text === '@' || token.text === '<';
  if (token.kind === 'name' && ['trait', 'record', 'var', 'sealed'].includes(token.text)) {
    const next = cursor.peek();
    if (token.text === 'var' && next.kind === 'operator' && next.text === '(') {
      const after = cursor.tokens[cursor.closerOf(cursor.at + 1) + 1];
      return after?.kind === 'operator' && after.text === '=';
    }
    if (token.text === 'sealed' || (token.text === 'non' && next.text === '-')) return startsClass(next);
    return (
      next.kind === 'name' &&
      !next.isAfterNewline &&
      (token.text !== 'record' || ['(', '<'].includes(cursor.peek(2).text))
    );
  }
  return isTyped(p);
}

/** `Type name`, with something after it that fits. */
function isTyped(p: Parsing): boolean {
  const { cursor } = p;
  const from = cursor.at;
  const type = tryType(cursor);
  const name = cursor.token;
  const isAssigned = cursor.peek().kind === 'operator' && cursor.peek().text === '=';
  const isNamed = type !== null && (looksLikeType(type) || isAssigned) && name.kind === 'name' && !name.isAfterNewline;
  let fits = false;
  if (isNamed) {
    const after = cursor.peek();
    fits =
      after.isAfterNewline ||
      after.kind === 'end' ||
      (after.kind === 'operator' && ['=', ';', ',', '}', ')', ':', '->'].includes(after.text));
    if (after.kind === 'operator' && after.text === '(' && !after.isAfterNewline) {
      cursor.next();
      const closer = cursor.tokens[cursor.closerOf(cursor.at) + 1];
      fits = closer?.text === '{' || closer?.text === 'throws';
      // A method without a body is an error that the compiler names.
      if (!fits && PRIMITIVE_NAMES.has(type.name))
        fits = closer === undefined || closer.kind === 'end' || closer.isAfterNewline;
    }
  }
  cursor.at = from;
  return fits;
}

export function parseModifiers(p: Parsing): Modifiers {
  const { cursor } = p;
  const place = cursor.place();
  const words = new Set<string>();
  const annotations: Annotation[] = [];
  for (;;) {
    if (cursor.is('@') && !(cursor.peek().kind === 'keyword' && cursor.peek().text === 'interface'))
      annotations.push(parseAnnotation(p));
    else if (cursor.token.kind === 'keyword' && MODIFIERS.has(cursor.token.text)) words.add(cursor.next().text);
    else if (cursor.is('synchronized') || cursor.is('default')) words.add(cursor.next().text);
    else if (cursor.isName('var') && (cursor.peek().kind === 'name' || cursor.peek().text === '(')) {
      cursor.next();
      words.add('def');
    } else if (cursor.isName('sealed') && startsClass(cursor.peek())) cursor.next();
    else if (cursor.isName('non') && cursor.peek().text === '-' && cursor.peek(2).text === 'sealed') cursor.at += 3;
    else return { words, annotations, place };
  }
}

function startsClass({ kind, text }: Token): boolean {
  return kind === 'keyword' ? CLASS_WORDS.has(text) || MODIFIERS.has(text) : kind === 'name' && text === 'trait';
}

function parseAnnotation(p: Parsing): Annotation {
  const { cursor } = p;
  const place = cursor.place();
  cursor.expect('@');
  const { name } = requireType(cursor, false);
  const members = new Map<string, Expression>();
  if (cursor.isHere('(')) {
    const args: Arguments = parseArguments(p);
    for (const item of args.named)
      if ('key' in item && item.key.kind === 'literal') members.set(String(item.key.value), item.value);
    for (const item of args.positional) {
      if (item.kind === 'assign' && item.target.kind === 'name') members.set(item.target.name, item.value);
      else members.set('value', item);
    }
  }
  return { name, place, members };
}

export function parseDeclaration(p: Parsing): Statement {
  const { cursor } = p;
  const place = cursor.place();
  const modifiers = parseModifiers(p);
  const form = classForm(p);
  if (form !== null) return parseClass(p, form, modifiers);
  if (cursor.is('import')) return parseImport(p, modifiers);
  if (cursor.is('package')) return cursor.unexpected();
  if (cursor.is('<'))
    return cursor.withTypeVariables(parseTypeVariables(cursor), () => parseMethodOrLocal(p, modifiers, place));
  return parseMethodOrLocal(p, modifiers, place);
}

function parseMethodOrLocal(p: Parsing, modifiers: Modifiers, place: Expression['place']): Statement {
  const { cursor } = p;
  if ((modifiers.words.has('def') || modifiers.words.has('final')) && cursor.is('(')) {
    if (modifiers.annotations.length > 0)
      cursor.fail('an assignment to several names has no annotation', modifiers.place);
    return localMany(p, place);
  }
  const { type, name, at } = typeAndName(p, modifiers);
  if (cursor.isHere('(')) return parseMethod(p, name, type, modifiers, place);
  return parseLocal(p, { name, at }, type, modifiers, place);
}

/** Reads `Type name` or `name`; a name may be a string for a method. */
export function typeAndName(
  p: Parsing,
  modifiers: Modifiers,
): { type: TypeName | null; name: string; at: Expression['place'] } {
  const { cursor } = p;
  const from = cursor.at;
  let type = tryType(cursor);
  const isName = cursor.token.kind === 'name' || cursor.token.kind === 'string';
  if (type === null || !isName || cursor.token.isAfterNewline) {
    cursor.at = from;
    type = null;
  }
  const { token } = cursor;
  const at = cursor.place();
  if (token.kind !== 'name' && token.kind !== 'string') cursor.fail(`expected a name but found ${cursor.found()}`);
  if (type === null && modifiers.words.size === 0 && modifiers.annotations.length === 0) cursor.unexpected();
  cursor.next();
  return { type, name: token.text, at };
}

export function parseMethod(
  p: Parsing,
  name: string,
  returns: TypeName | null,
  modifiers: Modifiers,
  place: Expression['place'],
): MethodNode {
  const { cursor } = p;
  cursor.expect('(');
  const parameters = parseParameters(p, ')');
  cursor.expect(')');
  if (cursor.accept('throws')) {
    do requireType(cursor);
    while (cursor.accept(','));
  }
  const body = cursor.is('{') ? p.block() : null;
  return { kind: 'method', place, name, modifiers, returns, parameters, body };
}

function parseLocal(
  p: Parsing,
  first: { readonly name: string; readonly at: Expression['place'] },
  type: TypeName | null,
  modifiers: Modifiers,
  place: Expression['place'],
): Statement {
  const { cursor } = p;
  const variables: { variable: Variable; initial: Expression | null }[] = [];
  let { name, at } = first;
  const misplaced = ['private', 'protected', 'public', 'abstract', 'native'].find((word) => modifiers.words.has(word));
  if (misplaced !== undefined) cursor.fail(`a variable cannot be '${misplaced}'`, modifiers.place);
  if (type?.name === 'void' && type.dimensions === 0) cursor.fail("a variable cannot be 'void'", type.place);
  for (;;) {
    const initial = parseInitial(p);
    variables.push({ variable: { name, type, place: at }, initial });
    if (!cursor.accept(',')) return { kind: 'local', place, variables, modifiers };
    at = cursor.place();
    const token = cursor.next();
    if (token.kind !== 'name') cursor.fail(`expected a name but found '${token.text}'`, token);
    name = token.text;
  }
}

/** The value after `=`; null without one. */
export function parseInitial(p: Parsing): Expression | null {
  const { cursor } = p;
  if (!cursor.accept('=')) return null;
  cursor.lambdaAt = cursor.at;
  return p.statementExpression();
}

/** `def (a, b) = value` */
function localMany(p: Parsing, place: Expression['place']): Statement {
  const { cursor } = p;
  cursor.expect('(');
  const variables: Variable[] = [];
  while (!cursor.is(')')) {
    const at = cursor.place();
    const from = cursor.at;
    let type = tryType(cursor);
    if (type === null || cursor.token.kind !== 'name') {
      cursor.at = from;
      type = null;
    }
    const token = cursor.next();
    if (token.kind !== 'name') cursor.fail(`expected a name but found '${token.text}'`, token);
    variables.push({ name: token.text, type, place: at });
    if (!cursor.accept(',')) break;
  }
  cursor.expect(')');
  cursor.expect('=');
  return { kind: 'local-many', place, variables, value: p.statementExpression() };
}

export type ClassForm = 'class' | 'interface' | 'enum' | 'trait' | 'record' | 'annotation';

/** The word for a class at the cursor, which is then behind it. */
export function classForm(p: Parsing): ClassForm | null {
  const { cursor } = p;
  const { token } = cursor;
  if (token.kind === 'keyword' && CLASS_WORDS.has(token.text)) {
    if (cursor.peek().kind !== 'name') cursor.fail(`expected a name after '${token.text}'`);
    return cursor.next().text as ClassForm;
  }
  if (cursor.is('@')) {
    cursor.next();
    cursor.next();
    return 'annotation';
  }
  if ((cursor.isName('trait') || cursor.isName('record')) && cursor.peek().kind === 'name')
    return cursor.next().text as ClassForm;
  return null;
}

export function parseClass(p: Parsing, form: ClassForm, modifiers: Modifiers): Statement {
  const { cursor } = p;
  const name = cursor.next().text;
  if (!cursor.is('<')) return parseClassRest(p, name, form, modifiers);
  return cursor.withTypeVariables(parseTypeVariables(cursor), () => parseClassRest(p, name, form, modifiers));
}

function parseClassRest(p: Parsing, name: string, form: ClassForm, modifiers: Modifiers): Statement {
  const { cursor } = p;
  if (form === 'annotation') cursor.unsupported('annotations cannot be declared in a script');
  if (form === 'record') cursor.unsupported('records are not supported');
  let superclass: TypeName | null = null;
  const interfaces: TypeName[] = [];
  if (cursor.accept('extends')) {
    const types = [requireType(cursor)];
    while (cursor.accept(',')) types.push(requireType(cursor));
    if (form === 'interface') interfaces.push(...types);
    else superclass = types[0]!;
  }
  if (cursor.accept('implements')) {
    do interfaces.push(requireType(cursor));
    while (cursor.accept(','));
  }
  // The classes below a sealed one are those of the script anyway.
  if (cursor.isName('permits')) {
    do {
      cursor.next();
      requireType(cursor);
    } while (cursor.is(','));
  }
  return p.classBody(name, form, modifiers, { superclass, interfaces });
}

function parseImport(p: Parsing, modifiers: Modifiers): Statement {
  const { cursor } = p;
  const place = cursor.place();
  if (modifiers.annotations.length > 0)
    cursor.unsupported(`\`@${modifiers.annotations[0]!.name}\` is not supported`, modifiers.place);
  cursor.expect('import');
  const isStatic = cursor.accept('static');
  const parts: string[] = [];
  let isStar = false;
  do {
    if (cursor.accept('*')) {
      isStar = true;
      break;
    }
    const token = cursor.next();
    if (token.kind !== 'name' && token.kind !== 'keyword') cursor.fail('expected the name of a class', token);
    parts.push(token.text);
  } while (cursor.accept('.'));
  if (parts.length === 0) cursor.fail('expected the name of a class', place);
  let alias: string | null = null;
  if (cursor.accept('as')) {
    const token = cursor.next();
    if (token.kind !== 'name') cursor.fail('expected a name after `as`', token);
    alias = token.text;
  }
  return { kind: 'import', place, name: parts.join('.'), alias, isStatic, isStar };
}
