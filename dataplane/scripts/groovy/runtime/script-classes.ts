import type { ClassTemplate, TemplateMethod } from '../compile/class-template.ts';
import { ArrayValue, List } from '../values/collections.ts';
import { SCRIPT } from '../values/core-classes.ts';
import {
  type JavaClass,
  type LibraryMethod,
  JavaClass as NewClass,
  OBJECT,
  type Runtime,
  type Steps,
  type Value,
} from '../values/java-class.ts';
import { type Declared, type DeclaredField, declaredOf, fieldsOf, isEnumConstant } from './instance.ts';
import { capitalized } from './properties.ts';

/** A compiled function of a script. */
export type ScriptFunction = (rt: Runtime, self: Value, args: readonly Value[]) => Steps;

/** Gives a class the members that a script declared. */
export function defineClass(type: JavaClass, template: ClassTemplate, functions: readonly ScriptFunction[]): void {
  type.superclass = template.superclass;
  type.interfaces = template.interfaces;
  type.isInterface = template.form === 'interface' || template.form === 'trait';
  type.isAbstract = template.isAbstract && !type.isInterface;
  type.isEnum = template.form === 'enum';
  type.sam = template.sam;
  const initialize = template.initialize === null ? null : functions[template.initialize]!;
  const declared: Declared & { readonly initializeStatics: ScriptFunction | null } = {
    fields: new Map(template.fields.map((field) => [field.name, field])),
    statics: new Map(template.fields.filter((field) => field.isStatic).map((field) => [field.name, null])),
    initialize: initialize === null ? null : (rt, self) => initialize(rt, self, []),
    initializeStatics: template.initializeStatics === null ? null : functions[template.initializeStatics]!,
    isTrait: template.form === 'trait',
    hasOnlyVariables:
      template.superclass === SCRIPT && template.fields.length === 0 && !template.methods.some(readsProperties),
    canonical: template.canonical,
    constants: [],
    abstracts: template.abstracts,
    inheritsConstructors: template.inheritsConstructors,
    hasMapConstructor: template.hasMapConstructor,
    isEvaluated: template.isEvaluated,
    isWaiting: template.isLazy && template.initializeStatics !== null,
    isReady: false,
  };
  type.declared = declared;
  for (const method of template.methods) {
    for (const each of overloadsOf(type, method, functions[method.code]!))
      addTo(method.isStatic ? type.statics : type.methods, each);
  }
  for (const method of template.constructors)
    type.constructors.push(...overloadsOf(type, method, functions[method.code]!));
  for (const field of template.fields) addAccessors(type, field);
  for (const above of [...type.interfaces].reverse()) copyTrait(type, above);
  if (type.isEnum) addEnumStatics(type, declared);
  if (!type.isInterface) addPropertyMethods(type);
}

/** Methods that answer for properties. */
function readsProperties({ name }: TemplateMethod): boolean {
  return /^(?:get|is)(?![a-z])/.test(name) || name === 'propertyMissing';
}

/** Objects of scripts have their properties by name, as every GroovyObject. */
function addPropertyMethods(type: JavaClass): void {
  const read = (rt: Runtime, self: Value, [name]: readonly Value[]): Steps => rt.get(self, name as string);
  const write = (rt: Runtime, self: Value, [name, value]: readonly Value[]): Steps =>
    rt.set(self, name as string, value!);
  const plain = { isVariadic: false, types: null } as const;
  if (!type.methods.has('getProperty'))
    addTo(type.methods, { name: 'getProperty', parameters: ['java.lang.String'], ...plain, code: read as never });
  if (!type.methods.has('setProperty'))
    addTo(type.methods, {
      name: 'setProperty',
      parameters: ['java.lang.String', 'java.lang.Object'],
      ...plain,
      code: write as never,
    });
}

function addTo(table: Map<string, LibraryMethod[]>, method: LibraryMethod): void {
  const overloads = table.get(method.name) ?? [];
  overloads.push(method);
  table.set(method.name, overloads);
}

/** A method of a script; overloads of methods with default values leave arguments out, the last first. */
function overloadsOf(owner: JavaClass, method: TemplateMethod, code: ScriptFunction): LibraryMethod[] {
  const overloads: LibraryMethod[] = [];
  const defaults = method.hasDefault.flatMap((hasDefault, index) => (hasDefault ? [index] : []));
  for (let left = 0; left <= defaults.length; left++) {
    const omitted = new Set(defaults.slice(defaults.length - left));
    const given = method.types.map((_, index) => index).filter((index) => !omitted.has(index));
    const isAll = left === 0;
    const run = isAll
      ? code
      : (rt: Runtime, self: Value, args: readonly Value[]) =>
          code(rt, self, spreadOut(method.types.length, given, args));
    const overload: LibraryMethod & { isOfScript: boolean } = {
      owner,
      name: method.name,
      parameters: given.map((index) => method.types[index]!.name),
      isVariadic: method.isVariadic && !omitted.has(method.types.length - 1),
      shown: shownAs(owner, method, given),
      types: given.map((index) => method.types[index]!),
      code: run as never,
      isOfScript: true,
    };
    overloads.push(overload);
  }
  return overloads;
}

function shownAs(owner: JavaClass, { name, access, returns, types }: TemplateMethod, given: readonly number[]): string {
  const result = name === '<init>' ? '' : ` ${typeName(returns ?? OBJECT)}`;
  return `${access}${result} ${owner.name}#${name}(${given.map((index) => typeName(types[index]!)).join(', ')})`;
}

function typeName(type: JavaClass): string {
  return type.component === null ? type.name : `${typeName(type.component)}[]`;
}

/** Arguments at the places of their parameters; those left out are undefined. */
function spreadOut(length: number, given: readonly number[], args: readonly Value[]): readonly Value[] {
  const all = new Array<Value>(length);
  for (const [at, index] of given.entries()) all[index] = args[at]!;
  return all;
}

/** A property has a getter and a setter, unless the class declares them. */
function addAccessors(type: JavaClass, field: DeclaredField): void {
  if (!field.isProperty) return;
  const suffix = capitalized(field.name);
  const table = field.isStatic ? type.statics : type.methods;
  const readOf = (self: Value): Value =>
    field.isStatic ? declaredOf(type)!.statics.get(field.name)! : (fieldsOf(self as never).get(field.name) ?? null);
  const getter = {
    parameters: [],
    isVariadic: false,
    types: [],
    code: (_rt: Runtime, self: Value) => readOf(self),
  } as const;
  const names = field.type?.name === 'boolean' ? [`get${suffix}`, `is${suffix}`] : [`get${suffix}`];
  const missing = names.filter((name) => !(table.get(name) ?? []).some((each) => each.parameters.length === 0));
  // A declared `getOk` leaves out the generated `isOk`.
  const isGot = !missing.includes(`get${suffix}`);
  for (const name of missing)
    if (!(isGot && name.startsWith('is'))) addTo(table, { name, ...getter, code: getter.code as never });
  if (field.isFinal || (table.get(`set${suffix}`) ?? []).length > 0) return;
  const write = (_rt: Runtime, self: Value, [value]: readonly Value[]): null => {
    if (field.isStatic) declaredOf(type)!.statics.set(field.name, value!);
    else fieldsOf(self as never).set(field.name, value!);
    return null;
  };
  addTo(table, {
    name: `set${suffix}`,
    parameters: [field.type?.name ?? 'java.lang.Object'],
    isVariadic: false,
    types: [field.type ?? OBJECT],
    code: write as never,
  });
}

/** Methods of a trait count as those of the class, before the ones above it. */
function copyTrait(type: JavaClass, above: JavaClass): void {
  for (const each of above.interfaces) copyTrait(type, each);
  if (declaredOf(above)?.isTrait !== true) return;
  for (const [name, overloads] of above.methods) {
    for (const method of overloads) {
      const signature = method.parameters.join();
      if (!(type.methods.get(name) ?? []).some((each) => each.parameters.join() === signature))
        addTo(type.methods, method);
    }
  }
}

function addEnumStatics(type: JavaClass, declared: Declared): void {
  const elements = (): Value[] => [...declared.constants];
  type.elements = elements;
  type.constants.set('MIN_VALUE', () => declared.constants[0] ?? null);
  type.constants.set('MAX_VALUE', () => declared.constants.at(-1) ?? null);
  const plain = { isVariadic: false } as const;
  addTo(type.statics, {
    name: 'values',
    parameters: [],
    types: [],
    ...plain,
    code: () => new ArrayValue(type, [...declared.constants]),
  });
  addTo(type.statics, {
    name: 'iterator',
    parameters: [],
    types: [],
    ...plain,
    code: (rt: Runtime) => rt.call(new List([...declared.constants]), 'iterator', []),
  });
  addTo(type.statics, {
    name: 'valueOf',
    parameters: ['java.lang.String'],
    types: null,
    ...plain,
    code: (rt: Runtime, _self: Value, [name]: [string | null]) =>
      (name === null ? rt.fail('java.lang.NullPointerException', 'Name is null') : undefined) ??
      declared.constants.find((each) => isEnumConstant(each) && each.fields.get('$name') === name) ??
      rt.fail('java.lang.IllegalArgumentException', `No enum constant ${type.name.replaceAll('$', '.')}.${name}`),
  });
}

/** Runs the static parts of classes, once. */
export function* initializeStatics(rt: Runtime, classes: readonly JavaClass[]): Steps<void> {
  for (const type of classes) {
    const { initializeStatics: run } = type.declared as { initializeStatics: ScriptFunction | null };
    if (run !== null && !declaredOf(type)!.isWaiting) yield* run(rt, type, []);
  }
}

/** Static fields as before the static parts ran. */
export function clearStatics(classes: readonly JavaClass[]): void {
  for (const type of classes) {
    const { statics, constants } = declaredOf(type)!;
    for (const name of statics.keys()) statics.set(name, null);
    constants.length = 0;
  }
}

/** A class without a name, made where its code stands: its methods see the variables there. */
export function anonymousClass(
  prototype: JavaClass,
  template: ClassTemplate,
  functions: readonly ScriptFunction[],
): JavaClass {
  const type = new NewClass(prototype.name);
  defineClass(type, template, functions);
  return type;
}
