import { type Place, ScriptError } from '../syntax/place.ts';
import type { ClassNode, Expression, MethodNode, Modifiers, Parameter, Statement } from '../syntax/tree.ts';
import { type JavaClass, OBJECT } from '../values/java-class.ts';
import { type Unit, unsupported } from './unit.ts';

/** Rejects classes that Groovy's compiler rejects. */
export function checkClass(unit: Unit, node: ClassNode, type: JavaClass): void {
  checkOnce(
    'field',
    [...node.constants, ...node.fields].map(({ name, place }) => ({ name, place })),
  );
  checkOnce('constructor', node.constructors.map(signed));
  checkOnce('method', node.methods.map(signed));
  checkShortened(node.methods);
  checkFields(unit, node, type);
  for (const method of node.methods) checkBody(node, method);
  checkAccess(node.methods);
  for (const { body } of node.constructors) for (const each of (body ?? []).slice(1)) checkConstructorCall(each);
  const above = type.superclass === null ? undefined : unit.declared.get(type.superclass);
  if (isFinal(above?.node.modifiers)) throw new ScriptError(`the class '${above!.node.name}' is final`, node.place);
  if (type.superclass !== null && FINAL.test(type.superclass.name))
    throw new ScriptError(`the class '${type.superclass.name}' is final`, node.place);
  if (above !== undefined && node.form === 'class') {
    checkConstructors(node, above.node);
    checkFinalMethods(unit, node, type);
  }
  if (node.form === 'class') checkOverrides(unit, node, type);
  if (node.form === 'enum' && node.superclass !== null)
    throw new ScriptError('an enum extends no class', node.superclass.place);
  if (node.form === 'class' && node.name !== '' && !node.modifiers.words.has('abstract'))
    checkImplemented(unit, node, type);
}

/** Classes of the library that no class extends. */
const FINAL =
  /^java\.(?:lang\.(?:String|Integer|Long|Boolean|Double|Float|Short|Byte|Character|Math|System|StringBuilder|StringBuffer|Class)|util\.(?:UUID|Optional|Base64|Objects|Locale|regex\.\w+)|net\.UR[IL]|time\.\w+)$/;

function isFinal(modifiers: Modifiers | undefined): boolean {
  return (
    modifiers?.words.has('final') === true || (modifiers?.annotations.some(({ name }) => name === 'Final') ?? false)
  );
}

/** A constructor that does not call one above needs one there without parameters. */
function checkConstructors(node: ClassNode, above: ClassNode): void {
  if (above.constructors.length === 0 || hasTuple(above)) return;
  const plain = above.constructors.find(({ parameters }) => parameters.every(({ initial }) => initial !== null));
  const isInherited = node.modifiers.annotations.some(({ name }) => name === 'InheritConstructors');
  const silent =
    node.constructors.length === 0
      ? isInherited || node.name === ''
        ? undefined
        : node
      : node.constructors.find(({ body }) => !startsWithConstructor(body?.[0]));
  if (silent === undefined) return;
  if (plain === undefined)
    throw new ScriptError(`the class '${above.name}' has no constructor without parameters`, silent.place);
  if (plain.modifiers.words.has('private'))
    unsupported(`the private constructor of '${above.name}' is not available to '${node.name}'`, silent.place);
}

function hasTuple({ modifiers }: ClassNode): boolean {
  return modifiers.annotations.some(({ name }) => ['TupleConstructor', 'Canonical', 'Immutable'].includes(name));
}

function startsWithConstructor(node: Statement | undefined): boolean {
  if (node?.kind !== 'expression' || node.of.kind !== 'call') return false;
  const { of, name } = node.of;
  return (of?.kind === 'this' || of?.kind === 'super') && name.kind === 'literal' && name.value === '<init>';
}

/** Methods that are final above are not declared again. */
function checkFinalMethods(unit: Unit, node: ClassNode, type: JavaClass): void {
  const own = new Map(node.methods.map((method) => [signed(method).name, method]));
  for (let at = type.superclass; at !== null; at = at.superclass)
    for (const method of unit.declared.get(at)?.node.methods ?? []) {
      const again = isFinal(method.modifiers) ? own.get(signed(method).name) : undefined;
      if (again !== undefined)
        throw new ScriptError(`the method '${method.name}' is final in '${at.simpleName}'`, again.place);
    }
}

/** `@Override` needs something to override, where everything above is known. */
function checkOverrides(unit: Unit, node: ClassNode, type: JavaClass): void {
  const above = [...type.supertypes].filter((each) => each !== type);
  if (above.some((each) => !unit.declared.has(each) && each !== OBJECT && each.name !== 'groovy.lang.GroovyObject'))
    return;
  for (const { name, parameters, modifiers, place } of node.methods) {
    if (!modifiers.annotations.some((each) => each.name === 'Override')) continue;
    const isKnown = above.some((each) => {
      const declared = unit.declared.get(each)?.node;
      if (declared === undefined) return each.methods.has(name) || INHERITED.has(name);
      return (
        declared.methods.some((method) => method.name === name && method.parameters.length === parameters.length) ||
        declared.fields.some((field) => isAccessor(name, field.name))
      );
    });
    if (!isKnown) throw new ScriptError(`the method '${name}' overrides nothing`, place);
  }
}

/** Methods of Object and GroovyObject that have no table here. */
const INHERITED: ReadonlySet<string> = new Set(
  'clone finalize getMetaClass setMetaClass invokeMethod getProperty setProperty'.split(' '),
);

/** Groovy does not let overloads be partly private. */
function checkAccess(methods: readonly MethodNode[]): void {
  const isPrivate = new Map<string, boolean>();
  for (const { name, modifiers, place } of methods) {
    const own = modifiers.words.has('private');
    if (own !== (isPrivate.get(name) ?? own))
      throw new ScriptError(`the method '${name}' is private in one overload and not in another`, place);
    isPrivate.set(name, own);
  }
}

/** Overloads that leave out parameters with default values must not be declared as well. */
export function checkShortened(methods: readonly MethodNode[]): void {
  const known = new Set(methods.map((method) => signed(method).name));
  for (const method of methods) {
    const defaults = method.parameters.filter(({ initial }) => initial !== null);
    for (let left = 1; left <= defaults.length; left++) {
      const omitted = new Set(defaults.slice(defaults.length - left));
      const { name } = signed({ ...method, parameters: method.parameters.filter((each) => !omitted.has(each)) });
      if (known.has(name))
        throw new ScriptError(`the method '${method.name}' is declared again by its default values`, method.place);
      known.add(name);
    }
  }
}

/** Each class keeps a field of its own in Groovy; here an object has one field of a name. */
function checkFields(unit: Unit, node: ClassNode, type: JavaClass): void {
  const own = node.fields.filter(({ modifiers }) => !modifiers.words.has('static'));
  for (let at = type.superclass; at !== null && own.length > 0; at = at.superclass) {
    const above = unit.declared.get(at)?.node.fields ?? [];
    for (const { name, place } of own)
      if (above.some((each) => each.name === name && !each.modifiers.words.has('static')))
        unsupported(`the field '${name}', which ${at.simpleName} has too, is not supported`, place);
  }
}

function checkOnce(what: string, members: readonly { readonly name: string; readonly place: Place }[]): void {
  const known = new Set<string>();
  for (const { name, place } of members) {
    if (known.has(name)) throw new ScriptError(`the ${what} '${name.split('(')[0]}' is declared twice`, place);
    known.add(name);
  }
}

/** The types of parameters as written, by which two methods are the same. */
export function signatureOf(parameters: readonly Parameter[]): string {
  return parameters
    .map(
      ({ type, isVariadic }) =>
        `${type?.name ?? 'Object'}${'[]'.repeat((type?.dimensions ?? 0) + (isVariadic ? 1 : 0))}`,
    )
    .join();
}

function signed({ name, parameters, place }: MethodNode): { name: string; place: Place } {
  return { name: `${name}(${signatureOf(parameters)})`, place };
}

function checkBody(node: ClassNode, method: MethodNode): void {
  const { words } = method.modifiers;
  const { name, place } = method;
  if (node.form === 'interface') {
    if (method.parameters.some(({ initial }) => initial !== null))
      throw new ScriptError(`the method '${name}' of an interface has a default value`, place);
    if (words.has('static') || words.has('private') || words.has('protected'))
      throw new ScriptError(`the method '${name}' of an interface must be public and not static`, place);
    if (method.body !== null && !words.has('default'))
      throw new ScriptError(`the method '${name}' of an interface has a body and must be 'default'`, place);
    return;
  }
  if (method.body === null && !words.has('abstract') && !words.has('native'))
    throw new ScriptError(`the method '${name}' has no body and must be abstract`, place);
  if (method.body === null && node.form === 'class' && node.name !== '' && !node.modifiers.words.has('abstract'))
    throw new ScriptError(`the class '${node.name}' has an abstract method and must be abstract`, node.place);
}

function checkConstructorCall(node: Statement): void {
  if (node.kind !== 'expression' || node.of.kind !== 'call') return;
  const { of, name, place } = node.of;
  const isCall = (of?.kind === 'this' || of?.kind === 'super') && name.kind === 'literal' && name.value === '<init>';
  if (isCall) throw new ScriptError(`'${of.kind}(…)' must be the first statement of a constructor`, place);
}

/** Every method that a class above leaves open has a body somewhere. */
function checkImplemented(unit: Unit, node: ClassNode, type: JavaClass): void {
  for (const each of type.interfaces)
    if (!each.isInterface && each.constructors.length > 0)
      throw new ScriptError(`'${each.name}' is a class and cannot be implemented`, node.place);
  const types = [...type.supertypes];
  const isOf = (method: MethodNode, name: string, count: number): boolean =>
    method.name === name &&
    method.body !== null &&
    method.parameters.length >= count &&
    method.parameters.filter(({ initial }) => initial === null).length <= count;
  const isImplemented = (name: string, count: number): boolean =>
    types.some((each) => {
      const declared = unit.declared.get(each)?.node;
      if (declared === undefined)
        return !each.isInterface && each.name !== 'java.lang.Object' && each.methods.has(name);
      if (declared.methods.some((method) => isOf(method, name, count))) return true;
      return declared.fields.some((field) => isAccessor(name, field.name));
    });
  for (const each of types) {
    const declared = unit.declared.get(each)?.node;
    const open =
      declared === undefined
        ? []
        : declared.methods.filter(({ body }) => body === null).map(({ name, parameters }) => [name, parameters.length]);
    for (const [name, count] of open as [string, number][])
      if (!isImplemented(name, count))
        throw new ScriptError(`the class '${node.name}' must implement '${name}' or be abstract`, node.place);
    if (declared !== undefined || !each.isInterface || each.sam === null) continue;
    const { sam } = each;
    const isNamed = types.some((above) => {
      const own = unit.declared.get(above)?.node;
      return own === undefined
        ? !above.isInterface && above.methods.has(sam)
        : own.methods.some(({ name, body }) => name === sam && body !== null);
    });
    if (!isNamed) throw new ScriptError(`the class '${node.name}' must implement '${sam}' or be abstract`, node.place);
  }
}

function isAccessor(method: string, field: string): boolean {
  const suffix = field.charAt(0).toUpperCase() + field.slice(1);
  return method === `get${suffix}` || method === `set${suffix}` || method === `is${suffix}`;
}

/** Static parts that do more than make plain values. */
export function hasVisibleStatics(node: ClassNode): boolean {
  if (node.initializers.some(({ isStatic }) => isStatic)) return true;
  const hasArguments = node.constants.some(({ args }) => args.positional.length > 0 || args.named.length > 0);
  if (hasArguments || node.constants.some(({ body }) => body !== null)) return true;
  if (node.constants.length > 0 && node.constructors.length > 0) return true;
  const names = new Set(node.fields.map(({ name }) => name));
  return node.fields.some(
    ({ modifiers, initial }) =>
      (modifiers.words.has('static') || node.form === 'interface') && initial !== null && !isPlain(initial, names),
  );
}

/** A value that is made without running code of the script. */
function isPlain(node: Expression, names: ReadonlySet<string>): boolean {
  const isEach = (nodes: readonly Expression[]): boolean => nodes.every((each) => isPlain(each, names));
  switch (node.kind) {
    case 'literal':
    case 'closure':
      return true;
    case 'name':
      return names.has(node.name);
    case 'gstring':
      return isEach(node.values);
    case 'list':
      return isEach(node.items);
    case 'map':
      return isEach(node.items.flatMap((item) => ('key' in item ? [item.key, item.value] : [item.spread])));
    case 'unary':
      return isPlain(node.of, names);
    case 'coerce':
      return isPlain(node.of, names);
    default:
      return false;
  }
}
