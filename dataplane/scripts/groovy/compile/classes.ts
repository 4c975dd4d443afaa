import type { AbstractMethod, DeclaredField } from '../runtime/instance.ts';
import type { ClassNode, FieldNode, MethodNode } from '../syntax/tree.ts';
import { ENUM, SCRIPT } from '../values/core-classes.ts';
import { type JavaClass, OBJECT } from '../values/java-class.ts';
import { argumentsCode } from './arguments.ts';
import { checkClass, hasVisibleStatics } from './class-checks.ts';
import type { ClassTemplate, TemplateMethod } from './class-template.ts';
import { type Emitting, quote } from './emitting.ts';
import { emitFunctionBody, emitMethod, isVariadic, parameterTypes } from './functions.ts';
import { castCode } from './known-types.ts';
import { checkReturns } from './return-checks.ts';
import { zeroOf } from './statements.ts';
import { type Canonical, canonicalOf, checkAnnotations, checkTransforms } from './transforms.ts';
import { type FunctionContext, type OwnerClass, Scope, type Unit } from './unit.ts';

/** Collects the functions of a class, and says where each is. */
class Functions {
  readonly codes: string[] = [];

  add(code: string): number {
    this.codes.push(code);
    return this.codes.length - 1;
  }
}

export interface EmittedClass {
  readonly template: ClassTemplate;
  /** Code of an array of functions. */
  readonly functions: string;
}

/** Compiles a class; one without a name sees the variables around it. */
export function emitClass(e: Emitting, node: ClassNode, type: JavaClass, around: Scope | null): EmittedClass {
  const { unit } = e;
  const functions = new Functions();
  const canonical = canonicalOf(node.modifiers.annotations);
  const isInterface = node.form === 'interface';
  const fields = node.fields.map((field) => fieldOf(e, node, field, canonical));
  const owner: OwnerClass = {
    type,
    fields: new Set(fields.filter((field) => !field.isStatic).map((field) => field.name)),
    staticFields: new Set(fields.filter((field) => field.isStatic).map((field) => field.name)),
    finals: new Set(fields.filter((field) => field.isFinal).map((field) => field.name)),
    isScript: false,
    isAutoFinal: node.modifiers.annotations.some(({ name }) => name === 'AutoFinal'),
  };
  checkClass(unit, node, type);
  checkTransforms(unit, node, type);
  if (node.form === 'class' || node.form === 'enum') checkReturns(unit, node, type);
  for (const { modifiers } of node.methods) checkAnnotations(modifiers.annotations);
  const methods = node.methods
    .filter((method) => method.body !== null)
    .map((method) => methodTemplate(e, method, owner, around, functions));
  const constructors = node.constructors.map((method) => constructorTemplate(e, method, owner, around, functions));
  if (canonical?.tuple === true && node.constructors.length === 0)
    constructors.push(...tupleConstructors(e, owner, fields, functions, canonical.immutable));
  const abstracts = abstractsOf(unit, node);
  const superclass = type.superclass ?? OBJECT;
  return {
    template: {
      name: type.name,
      superclass,
      interfaces: type.interfaces,
      form: node.form === 'record' || node.form === 'annotation' ? 'class' : node.form,
      isAbstract: node.modifiers.words.has('abstract') || isInterface || node.form === 'trait',
      sam: abstracts.size === 1 ? [...abstracts.keys()][0]! : null,
      abstracts,
      isLazy: hasVisibleStatics(node),
      isEvaluated: e.unit.isEvaluated,
      inheritsConstructors:
        node.name === '' || node.modifiers.annotations.some(({ name }) => name === 'InheritConstructors'),
      hasMapConstructor: node.modifiers.annotations.some(({ name }) => name === 'MapConstructor'),
      fields,
      methods,
      constructors,
      initialize: initializer(e, node, owner, around, functions, false),
      initializeStatics: initializer(e, node, owner, around, functions, true),
      canonical,
    },
    functions: `[${functions.codes.join(',')}]`,
  };
}

function abstractsOf(unit: Unit, node: ClassNode): Map<string, AbstractMethod[]> {
  const abstracts = new Map<string, AbstractMethod[]>();
  for (const { name, body, parameters, returns } of node.methods) {
    if (body !== null) continue;
    const method = {
      types: parameterTypes(unit, parameters),
      isVariadic: isVariadic(parameters),
      returns: unit.declaredType(returns),
    };
    abstracts.set(name, [...(abstracts.get(name) ?? []), method]);
  }
  return abstracts;
}

function fieldOf(e: Emitting, node: ClassNode, field: FieldNode, canonical: Canonical | null): DeclaredField {
  const { words, annotations } = field.modifiers;
  checkAnnotations(annotations, 'field');
  const isStatic = words.has('static') || node.form === 'interface';
  return {
    name: field.name,
    type: e.unit.declaredType(field.type),
    isFinal: words.has('final') || node.form === 'interface' || canonical?.immutable === true,
    isStatic,
    isProperty: !words.has('private') && !words.has('protected') && !words.has('public'),
    isPrivate: words.has('private'),
  };
}

export function methodTemplate(
  e: Emitting,
  method: MethodNode,
  owner: OwnerClass,
  around: Scope | null,
  functions: { add(code: string): number },
): TemplateMethod {
  const { unit } = e;
  const isStatic = method.modifiers.words.has('static');
  const code = emitMethod(e, {
    parameters: method.parameters,
    body: method.body ?? [],
    returns: unit.declaredType(method.returns),
    owner,
    isStatic,
    around,
  });
  return {
    name: method.name,
    types: parameterTypes(unit, method.parameters),
    hasDefault: method.parameters.map((each) => each.initial !== null),
    isVariadic: isVariadic(method.parameters),
    isStatic,
    access: accessOf(method),
    returns: unit.declaredType(method.returns),
    code: functions.add(code),
  };
}

function accessOf({ modifiers: { words } }: MethodNode): string {
  const access = ['private', 'protected'].find((word) => words.has(word)) ?? 'public';
  return [access, ...['static', 'final', 'synchronized'].filter((word) => words.has(word))].join(' ');
}

/** The constructor above runs first, then the fields get their values, then the statements run. */
function constructorTemplate(
  e: Emitting,
  method: MethodNode,
  owner: OwnerClass,
  around: Scope | null,
  functions: Functions,
): TemplateMethod {
  const { unit } = e;
  const body = method.body ?? [];
  const [first] = body;
  const call =
    first?.kind === 'expression' &&
    first.of.kind === 'call' &&
    first.of.name.kind === 'literal' &&
    first.of.name.value === '<init>'
      ? first.of
      : null;
  const type = unit.type(owner.type);
  const initialize = `yield*H.initialize(rt,${type},self);`;
  const before = (scope: Scope): string => {
    if (call === null) return `yield*H.constructorCall(rt,${type}.superclass,self,[]);${initialize}`;
    return `${e.statement(first!, scope, false)}${call.of?.kind === 'this' ? '' : initialize}`;
  };
  const statements = call === null ? body : body.slice(1);
  const code = emitMethod(e, {
    parameters: method.parameters,
    body: statements,
    returns: null,
    owner,
    isStatic: false,
    isConstructor: true,
    around,
    before,
  });
  return {
    name: '<init>',
    types: parameterTypes(unit, method.parameters),
    hasDefault: method.parameters.map((each) => each.initial !== null),
    isVariadic: isVariadic(method.parameters),
    isStatic: false,
    access: accessOf(method),
    returns: null,
    code: functions.add(code),
  };
}

/** Constructors of `@Canonical` and its like: as many properties as given, in order. */
function tupleConstructors(
  e: Emitting,
  owner: OwnerClass,
  fields: readonly DeclaredField[],
  functions: Functions,
  isImmutable: boolean,
): TemplateMethod[] {
  const { unit } = e;
  const own = fields.filter((field) => field.isProperty && !field.isStatic);
  const type = unit.type(owner.type);
  const sets = own.map((field, index) => {
    const given = field.type === null ? `a[${index}]` : `rt.cast(a[${index}],${unit.type(field.type)})`;
    const value = isImmutable ? `H.fixedCopy(rt,${given})` : given;
    return `if(a.length>${index}&&a[${index}]!==undefined)H.initField(self,${quote(field.name)},${value});`;
  });
  const code = functions.add(`function*(rt,self,a){yield*H.initialize(rt,${type},self);${sets.join('')}return null;}`);
  const named = functions.add(
    `function*(rt,self,a){yield*H.initialize(rt,${type},self);H.initNamed(rt,self,${type},a[0]);return null;}`,
  );
  const tuple: TemplateMethod = {
    name: '<init>',
    types: own.map((field) => field.type ?? OBJECT),
    hasDefault: own.map(() => !isImmutable),
    isVariadic: false,
    isStatic: false,
    access: 'public',
    returns: null,
    code,
  };
  const byName: TemplateMethod = {
    name: '<init>',
    types: [unit.types.classes.named(isImmutable ? 'java.util.Map' : 'java.util.LinkedHashMap')],
    hasDefault: [false],
    isVariadic: false,
    isStatic: false,
    access: 'public',
    returns: null,
    code: named,
  };
  const first = tuple.types[0]?.name;
  const isMap = first === 'java.util.Map';
  // Names are set after the constructor without arguments, unless the first property could take the map itself.
  if (!isImmutable) return first === 'java.lang.Object' || (isMap && own.length > 1) ? [byName, tuple] : [tuple];
  if (own.length === 0) return [byName, tuple];
  // All properties, or none; a lone map is always that of the names.
  const none = { ...tuple, types: [], hasDefault: [] };
  return isMap && own.length === 1 ? [byName, none] : [byName, tuple, none];
}

/** Code that sets the fields, and runs the blocks between them. */
function initializer(
  e: Emitting,
  node: ClassNode,
  owner: OwnerClass,
  around: Scope | null,
  functions: Functions,
  isStatic: boolean,
): number | null {
  const { unit } = e;
  const context: FunctionContext = {
    receiver: 'self',
    isClosure: false,
    isStatic,
    returns: null,
    owner,
    temporaries: [],
    isConstructor: true,
  };
  const isEmpty = { value: true };
  const body = emitFunctionBody(context, () => {
    const scope = new Scope(around, context);
    let code = isStatic ? enumConstants(e, node, owner, scope) : '';
    for (const field of node.fields) {
      if ((field.modifiers.words.has('static') || node.form === 'interface') !== isStatic) continue;
      const type = unit.declaredType(field.type);
      const raw = field.initial === null ? zeroOf(e, type) : e.value(field.initial, scope);
      const value = field.initial === null || type === null ? raw : castCode(e, raw, type, field.initial, scope);
      code += isStatic
        ? `H.initStatic(${unit.type(owner.type)},${quote(field.name)},${value});`
        : `H.initField(self,${quote(field.name)},${value});`;
    }
    for (const block of node.initializers)
      if (block.isStatic === isStatic) code += `{${e.statements(block.body, scope.inner(), false)}}`;
    isEmpty.value = code === '';
    return code;
  });
  return isEmpty.value ? null : functions.add(`function*(rt,self,a){${body}}`);
}

function enumConstants(e: Emitting, node: ClassNode, owner: OwnerClass, scope: Scope): string {
  const { unit } = e;
  return node.constants
    .map((constant, index) => {
      const args = `[${argumentsCode(e, constant.args, scope)}]`;
      const made =
        constant.body === null
          ? unit.type(owner.type)
          : e.anonymousClass({ ...constant.body, superclass: null }, scope, 'null', false);
      return `yield*H.enumConstant(rt,${unit.type(owner.type)},${made},${quote(constant.name)},${index},${args});`;
    })
    .join('');
}

/** The class that a header names above it. */
export function superclassOf(e: Emitting, node: ClassNode): { superclass: JavaClass; interfaces: JavaClass[] } {
  const { types } = e.unit;
  const above = node.superclass === null ? null : types.resolve(node.superclass);
  const interfaces = node.interfaces.map((each) => types.resolve(each));
  if (node.form === 'enum') return { superclass: ENUM, interfaces };
  if (above === null || above === SCRIPT) return { superclass: OBJECT, interfaces };
  return above.isInterface
    ? { superclass: OBJECT, interfaces: [above, ...interfaces] }
    : { superclass: above, interfaces };
}
