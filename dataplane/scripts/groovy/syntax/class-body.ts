import { parseArguments } from './arguments.ts';
import { classForm, parseClass, parseInitial, parseMethod, parseModifiers, typeAndName } from './declarations.ts';
import type { Parsing } from './parsing.ts';
import type { ClassNode, EnumConstant, FieldNode, InitializerNode, MethodNode, Modifiers } from './tree.ts';
import { parseTypeVariables } from './type-parser.ts';

interface Members {
  readonly constants: EnumConstant[];
  readonly fields: FieldNode[];
  readonly methods: MethodNode[];
  readonly constructors: MethodNode[];
  readonly initializers: InitializerNode[];
  readonly classes: ClassNode[];
}

/** The members of a class in braces. */
export function parseClassBody(
  p: Parsing,
  name: string,
  form: ClassNode['form'],
  modifiers: Modifiers,
  header: Pick<ClassNode, 'superclass' | 'interfaces'>,
): ClassNode {
  const { cursor } = p;
  const { place } = modifiers;
  const members: Members = { constants: [], fields: [], methods: [], constructors: [], initializers: [], classes: [] };
  cursor.expect('{');
  if (form === 'enum') enumConstants(p, members);
  else if (cursor.is(';')) cursor.unexpected();
  for (;;) {
    while (cursor.accept(';')) {}
    if (cursor.accept('}')) break;
    if (cursor.token.kind === 'end') cursor.unexpected();
    cursor.nested(() => parseMember(p, name, members));
    if (!cursor.is(';') && !cursor.is('}') && !cursor.token.isAfterNewline) cursor.unexpected();
  }
  return { kind: 'class', place, name, form, modifiers, ...header, ...members };
}

function enumConstants(p: Parsing, members: Members): void {
  const { cursor } = p;
  while (cursor.token.kind === 'name') {
    const place = cursor.place();
    const from = cursor.at;
    const name = cursor.next().text;
    const { token } = cursor;
    if (token.kind !== 'end' && !['(', '{', ',', ';', '}'].includes(token.text) && !token.isAfterNewline) {
      cursor.at = from;
      return;
    }
    const args = cursor.isHere('(') ? parseArguments(p) : { positional: [], named: [] };
    const modifiers = { words: new Set<string>(), annotations: [], place };
    const body = cursor.isHere('{') ? p.classBody('', 'class', modifiers, { superclass: null, interfaces: [] }) : null;
    members.constants.push({ name, args, body, place });
    if (!cursor.accept(',')) return;
  }
}

function parseMember(p: Parsing, className: string, members: Members): void {
  const { cursor } = p;
  const place = cursor.place();
  if (cursor.is('{')) {
    members.initializers.push({ kind: 'initializer', place, isStatic: false, body: p.block() });
    return;
  }
  const modifiers = parseModifiers(p);
  if (cursor.is('{') && modifiers.words.has('static')) {
    members.initializers.push({ kind: 'initializer', place, isStatic: true, body: p.block() });
    return;
  }
  const form = classForm(p);
  if (form !== null) {
    members.classes.push(parseClass(p, form, modifiers) as ClassNode);
    return;
  }
  if (cursor.is('<')) {
    cursor.withTypeVariables(parseTypeVariables(cursor), () =>
      parseConstructorOrField(p, className, members, modifiers, place),
    );
  } else parseConstructorOrField(p, className, members, modifiers, place);
}

function parseConstructorOrField(
  p: Parsing,
  className: string,
  members: Members,
  modifiers: Modifiers,
  place: FieldNode['place'],
): void {
  const { cursor } = p;
  const next = cursor.peek();
  if (
    cursor.token.kind === 'name' &&
    cursor.token.text === className &&
    next.kind === 'operator' &&
    next.text === '('
  ) {
    cursor.next();
    members.constructors.push(parseMethod(p, className, null, modifiers, place));
    return;
  }
  const { type, name } = typeAndName(p, modifiers);
  if (cursor.isHere('(')) {
    members.methods.push(parseMethod(p, name, type, modifiers, place));
    return;
  }
  let at = name;
  for (;;) {
    const initial = parseInitial(p);
    members.fields.push({ kind: 'field', place, name: at, modifiers, type, initial });
    if (!cursor.accept(',')) return;
    at = cursor.next().text;
  }
}
