import { ScriptError } from '../syntax/place.ts';
import type { ClassNode, Expression } from '../syntax/tree.ts';
import { OBJECT } from '../values/java-class.ts';
import { checkCall, checkClosureArgument, checkStaticCall } from './absent-calls.ts';
import { argumentsCode } from './arguments.ts';
import { type Emitting, quote, settled } from './emitting.ts';
import { identityCallCode } from './identity.ts';
import { classOfPath, memberName, staticMethodAround } from './names.ts';
import { type Scope, unsupported } from './unit.ts';

type Call = Expression & { kind: 'call' };

export function emitCall(e: Emitting, node: Expression & { kind: 'call' | 'invoke' }, scope: Scope): string {
  // Made where it is used: arguments with casts have code of their own, and both would double the work at each level.
  const args = (): string => `[${argumentsCode(e, node.args, scope)}]`;
  if (node.kind === 'invoke') {
    const of = e.value(node.of, scope);
    return settled(`H.callValue(rt,${of},${args()})`);
  }
  if (node.of?.kind === 'new' && node.name.kind === 'literal' && node.name.value === 'is')
    return `(${e.value(node.of, scope)},${args()},false)`;
  const other = node.args.named.length === 0 && node.args.positional.length === 1 ? node.args.positional[0]! : null;
  const isIdentity = node.name.kind === 'literal' && node.name.value === 'is' && node.navigation === 'plain';
  if (isIdentity && node.of !== null && other !== null && other.kind !== 'spread') {
    const code = identityCallCode(e, node.of, other, scope);
    if (code !== null) return code;
  }
  return node.of === null ? unqualified(e, node, args, scope) : qualified(e, node, node.of, args, scope);
}

function isCastNull(arg: Expression): arg is Expression & { kind: 'coerce' } {
  return arg.kind === 'coerce' && arg.of.kind === 'literal' && arg.of.value === null;
}

/** Casts that can choose another overload than the class of the value; of methods of the library, only those to Object. */
function isWiderCast(e: Emitting, { type }: Expression & { kind: 'coerce' }, isOverloaded: boolean): boolean {
  const found = e.unit.types.find(type.name);
  if (found === OBJECT) return true;
  return isOverloaded && found !== undefined && found.component === null && !EXACT.test(found.name);
}

/** Types whose values have no other class. */
const EXACT = /^(?:[a-z]+|java\.lang\.(?!Number$|Iterable$|CharSequence$|Comparable$|Runnable$).*)$/;

/** Arguments with casts choose overloads by the types of the casts. */
function typedArguments(e: Emitting, node: Call, scope: Scope): string | null {
  const { positional, named } = node.args;
  const isOverloaded = node.name.kind === 'literal' && e.unit.overloaded.has(String(node.name.value));
  const isTyped = (arg: Expression): arg is Expression & { kind: 'coerce' } =>
    isCastNull(arg) || (arg.kind === 'coerce' && isWiderCast(e, arg, isOverloaded));
  if (!positional.some(isTyped) || named.length > 0 || positional.some((arg) => arg.kind === 'spread')) return null;
  const codes = positional.map((arg) =>
    isTyped(arg)
      ? `H.typed(rt,${e.value(isCastNull(arg) ? arg.of : arg, scope)},${e.unit.type(e.unit.types.resolve(arg.type))})`
      : e.value(arg, scope),
  );
  return `[${codes.join(',')}]`;
}

/** `name(…)`: a variable, a method, or a static import. */
function unqualified(e: Emitting, node: Call, args: () => string, scope: Scope): string {
  const { unit } = e;
  const { context } = scope;
  if (node.name.kind === 'literal' && typeof node.name.value === 'string') {
    const name = node.name.value;
    const local = scope.find(name);
    if (local !== null) return settled(`H.callValue(rt,${local.code},${args()})`);
    if (name === 'use' && node.args.positional.at(-1)?.kind === 'closure')
      unsupported('categories (`use`) are not supported', node.place);
    const given = unit.assigned.has(name) ? null : unit.types.givenMethod(name);
    const imported = unit.types.staticMember(name) ?? given;
    if (imported?.type.statics.has(imported.member)) {
      return settled(
        `H.callImported(rt,${context.receiver},${quote(name)},${unit.type(imported.type)},${quote(imported.member)},${args()})`,
      );
    }
  }
  const name = memberName(e, node.name, scope);
  const plain = node.name.kind === 'literal' ? String(node.name.value) : '';
  const around = context.owner === null ? null : staticMethodAround(e, context.owner.type, plain);
  const typed = typedArguments(e, node, scope);
  if (around !== null && typed !== null) return settled(`H.sendTyped(rt,${unit.type(around)},${name},${typed})`);
  if (around !== null) return settled(`H.sendStatic(rt,${unit.type(around)},${name},${args()})`);
  if (context.isStatic && !context.isClosure && typed !== null)
    return settled(`H.sendTyped(rt,${unit.type(context.owner!.type)},${name},${typed})`);
  if (typed !== null) return settled(`H.callHereTyped(rt,${context.receiver},${name},${typed})`);
  if (hasPrivate(e, plain, scope))
    return settled(`H.callOwn(rt,self,${unit.type(context.owner!.type)},${name},${args()})`);
  if (context.isStatic && !context.isClosure)
    return settled(`H.callStaticHere(rt,${unit.type(context.owner!.type)},${name},${args()})`);
  return settled(`H.callHere(rt,${context.receiver},${name},${args()})`);
}

/** The class around has a private method of the name: its own code calls that one, whatever the class of the object. */
function hasPrivate(e: Emitting, name: string, scope: Scope): boolean {
  const { owner, isStatic, isClosure } = scope.context;
  if (owner === null || isStatic || isClosure) return false;
  const node = e.unit.declared.get(owner.type)?.node;
  return (
    node?.form === 'class' &&
    node.methods.some(
      ({ name: own, modifiers: { words } }) => own === name && words.has('private') && !words.has('static'),
    )
  );
}

function qualified(e: Emitting, node: Call, of: Expression, args: () => string, scope: Scope): string {
  const { unit } = e;
  const name = memberName(e, node.name, scope);
  if (of.kind === 'super') return superCall(e, node, name, args, scope);
  if (of.kind === 'this' && node.name.kind === 'literal' && node.name.value === '<init>') {
    if (!scope.context.isConstructor) unsupported('`this(…)` outside of a constructor is not supported', node.place);
    return `(yield*H.constructorCall(rt,${unit.type(scope.context.owner!.type)},self,${args()}),null)`;
  }
  if (of.kind === 'property' && of.name.kind === 'literal' && of.name.value === 'super') {
    const above = classOfPath(e, of.of, scope);
    if (above !== null) return settled(`H.callAbove(rt,self,${unit.type(above)},${name},${args()})`);
  }
  const ownTyped = of.kind === 'this' && !scope.context.isStatic ? typedArguments(e, node, scope) : null;
  if (ownTyped !== null) return settled(`H.callHereTyped(rt,self,${name},${ownTyped})`);
  if (of.kind === 'this' && hasPrivate(e, node.name.kind === 'literal' ? String(node.name.value) : '', scope))
    return settled(`H.callOwn(rt,self,${unit.type(scope.context.owner!.type)},${name},${args()})`);
  if (of.kind === 'this') return settled(`H.callThis(rt,self,${name},${args()})`);
  const type = classOfPath(e, of, scope);
  if (type !== null) {
    checkStaticCall(e, type, node.name, node.place);
    if (node.navigation === 'spread') return `(yield*H.spreadCall(rt,${unit.type(type)},${name},${args()}))`;
    const typed = typedArguments(e, node, scope);
    if (typed !== null) return settled(`H.sendTyped(rt,${unit.type(type)},${name},${typed})`);
    return settled(`H.sendStatic(rt,${unit.type(type)},${name},${args()})`);
  }
  checkCall(e, of, node.name, node.place, scope);
  checkClosureArgument(e, node);
  const target = e.value(of, scope);
  if (node.navigation === 'spread') return `(yield*H.spreadCall(rt,${target},${name},${args()}))`;
  const typed = typedArguments(e, node, scope);
  if (node.navigation === 'plain' && typed !== null) return settled(`H.sendTyped(rt,${target},${name},${typed})`);
  if (node.navigation === 'plain') return settled(`H.send(rt,${target},${name},${args()})`);
  const kept = unit.temporary(scope);
  return `((${kept}=${target})===null?null:${settled(`H.send(rt,${kept},${name},${args()})`)})`;
}

function superCall(e: Emitting, node: Call, name: string, args: () => string, scope: Scope): string {
  const { owner } = scope.context;
  if (owner !== null && e.unit.declared.get(owner.type)?.node.form === 'trait')
    unsupported('`super` in a trait is not supported', node.place);
  if (owner === null || owner.type.superclass === null)
    throw new ScriptError('there is no class above this one', node.place);
  const type = e.unit.type(owner.type);
  if (node.name.kind === 'literal' && node.name.value === '<init>') {
    if (!scope.context.isConstructor) unsupported('`super(…)` outside of a constructor is not supported', node.place);
    return `(yield*H.constructorCall(rt,${type}.superclass,self,${args()}),null)`;
  }
  return settled(`H.superCall(rt,self,${type},${name},${args()})`);
}

export function emitCreation(e: Emitting, node: Expression & { kind: 'new' | 'new-array' }, scope: Scope): string {
  const { unit } = e;
  if (node.kind === 'new-array') {
    const type = unit.types.resolve(node.type);
    if (node.items !== null)
      return `rt.cast(H.list(rt,[${argumentsCode(e, { positional: node.items, named: [] }, scope)}]),${unit.type(type)})`;
    return `H.newArray(rt,${unit.type(type)},[${node.sizes.map((size) => e.value(size, scope)).join(',')}])`;
  }
  const args = `[${creationArguments(e, node, scope)}]`;
  if (node.body !== null) return e.anonymousClass(node.body, scope, args, true);
  const type = unit.types.resolve(node.type);
  if (unit.declared.get(type)?.node.form === 'trait')
    unsupported(`the trait ${type.name} cannot be created`, node.place);
  if (type.isInterface || type.isAbstract) {
    throw new ScriptError(
      `'${type.name}' is ${type.isInterface ? 'an interface' : 'abstract'} and cannot be created`,
      node.place,
    );
  }
  if (type.isEnum && type.declared !== null && scope.context.owner?.type !== type)
    throw new ScriptError(`'${type.name}' is an enum and only creates its own constants`, node.place);
  if (type.declared === null && type.constructors.length === 0 && !isThrowable(type)) {
    unsupported(`objects of class ${type.name} cannot be created`, node.place);
  }
  const inner = unit.declared.get(type);
  if (inner !== undefined && inner.outer !== null && isInner(inner.node))
    return `(yield*H.createInner(rt,${unit.type(type)},self,${unit.type(inner.outer)},${args}))`;
  return settled(`H.create(rt,${unit.type(type)},${args})`);
}

/** A cast chooses the constructor by its type. */
function creationArguments(e: Emitting, { args, type }: Expression & { kind: 'new' }, scope: Scope): string {
  const made = e.unit.types.find(type.name);
  const isOverloaded = made !== undefined && (e.unit.declared.get(made)?.node.constructors.length ?? 0) > 1;
  const isTyped = (arg: Expression): arg is Expression & { kind: 'coerce' } =>
    isCastNull(arg) || (isOverloaded && arg.kind === 'coerce' && isWiderCast(e, arg, true));
  if (!args.positional.some(isTyped) || args.named.length > 0) return argumentsCode(e, args, scope);
  return args.positional
    .map((arg) =>
      isTyped(arg)
        ? `H.typed(rt,${isCastNull(arg) ? 'null' : e.value(arg, scope)},${e.unit.type(e.unit.types.resolve(arg.type))})`
        : argumentsCode(e, { positional: [arg], named: [] }, scope),
    )
    .join(',');
}

/** A class within a class whose objects belong to one of the class around. */
function isInner({ form, modifiers }: ClassNode): boolean {
  return form === 'class' && !modifiers.words.has('static');
}

function isThrowable(type: { readonly supertypes: ReadonlySet<{ readonly name: string }> }): boolean {
  return [...type.supertypes].some((each) => each.name === 'java.lang.Throwable');
}
