import { ScriptError } from '../syntax/place.ts';
import type { Expression } from '../syntax/tree.ts';
import type { JavaClass } from '../values/java-class.ts';
import { indexValue } from './arguments.ts';
import { type Emitting, quote, settled } from './emitting.ts';
import { castCode } from './known-types.ts';
import { checkStaticName, memberName, methodOf, staticFieldAround } from './names.ts';
import { type Scope, unsupported } from './unit.ts';

/** Code that makes the new value from code for the old one; null if the old value is not needed. */
type Change = {
  readonly from: ((old: string) => string) | null;
  readonly to: string;
  readonly node?: Expression;
  readonly isStep?: true;
};

export function emitAssignment(e: Emitting, node: Expression & { kind: 'assign' }, scope: Scope): string {
  const { target, operator } = node;
  if (operator === '=')
    return assign(e, target, { from: null, to: e.value(node.value, scope), node: node.value }, scope);
  if (operator === '?=') {
    const kept = e.unit.temporary(scope);
    return assign(
      e,
      target,
      { from: (old) => `(rt.truth(${kept}=${old})?${kept}:${e.value(node.value, scope)})`, to: '' },
      scope,
    );
  }
  const method = methodOf(operator.slice(0, -1));
  return assign(
    e,
    target,
    { from: (old) => settled(`H.operate(rt,${quote(method!)},${old},${e.value(node.value, scope)})`), to: '' },
    scope,
  );
}

/** `++` and `--`: the value before or after the step. */
export function emitStep(e: Emitting, node: Expression & { kind: 'step' }, scope: Scope): string {
  const by = node.operator === '++' ? '1' : '-1';
  checkTraitField(e, node.of, scope);
  if (!isTarget(node.of)) {
    const kept = e.unit.temporary(scope);
    const step = settled(`H.step(rt,(${kept}=${e.value(node.of, scope)}),${by})`);
    return node.isPrefix ? step : `(${step},${kept})`;
  }
  if (node.isPrefix)
    return assign(e, node.of, { from: (old) => settled(`H.step(rt,${old},${by})`), to: '', isStep: true }, scope);
  const before = e.unit.temporary(scope);
  const after = assign(
    e,
    node.of,
    { from: (old) => settled(`H.step(rt,(${before}=${old}),${by})`), to: '', isStep: true },
    scope,
  );
  return `(${after},${before})`;
}

/** Groovy's compiler rejects `++` and `--` of the fields of a trait. */
function checkTraitField(e: Emitting, target: Expression, scope: Scope): void {
  const { owner } = scope.context;
  if (owner === null || e.unit.declared.get(owner.type)?.node.form !== 'trait') return;
  const isThis = target.kind === 'property' && target.of.kind === 'this' && target.name.kind === 'literal';
  const name = target.kind === 'name' ? target.name : isThis ? String((target.name as { value: unknown }).value) : '';
  if (scope.find(name) === null && (owner.fields.has(name) || owner.staticFields.has(name)))
    throw new ScriptError(`'++' and '--' do not apply to the field '${name}' of a trait`, target.place);
}

function isTarget(node: Expression): boolean {
  return node.kind === 'name' || node.kind === 'property' || node.kind === 'index';
}

function assign(e: Emitting, target: Expression, change: Change, scope: Scope): string {
  switch (target.kind) {
    case 'name':
      return assignName(e, target, change, scope);
    case 'property':
      return assignProperty(e, target, change, scope);
    case 'index':
      return assignElement(e, target, change, scope);
    default:
      throw new ScriptError(
        'the left side of an assignment must be a variable, a property or an element',
        target.place,
      );
  }
}

function assignName(e: Emitting, target: Expression & { kind: 'name' }, change: Change, scope: Scope): string {
  const { name } = target;
  const { unit } = e;
  const local = scope.find(name);
  const newValue = (): string => (change.from === null ? change.to : change.from(e.value(target, scope)));
  if (local !== null) {
    if (local.isFinal) throw new ScriptError(`the variable '${name}' is final`, target.place);
    return local.type === null
      ? `(${local.code}=${newValue()})`
      : `(${local.code}=${castCode(e, newValue(), local.type, change.node ?? null, scope)})`;
  }
  const { context } = scope;
  const { owner } = context;
  if (owner?.finals.has(name) === true && !context.isConstructor)
    throw new ScriptError(`the field '${name}' is final`, target.place, owner.isScript);
  if (owner !== null && !owner.fields.has(name) && inheritsFinal(e, owner.type.superclass, name))
    unsupported(`assigning the inherited final field '${name}' is not supported`, target.place);
  const kept = unit.temporary(scope);
  if (owner !== null && !context.isClosure && owner.fields.has(name) && !context.isStatic) {
    return `(${kept}=${newValue()},H.setField(rt,self,${quote(name)},${kept}))`;
  }
  if (owner?.staticFields.has(name) === true)
    return `(${kept}=${newValue()},H.setStaticField(rt,${unit.type(owner.type)},${quote(name)},${kept}))`;
  const around = owner === null ? null : staticFieldAround(e, owner.type, name);
  if (around !== null)
    return `(${kept}=${newValue()},H.setStaticField(rt,${unit.type(around)},${quote(name)},${kept}))`;
  checkStaticName(e, name, target.place, scope);
  if (owner === null || owner.isScript || context.isClosure || owner.type.superclass !== null) {
    return `(${kept}=${newValue()},${settled(`H.writeHere(rt,${context.receiver},${quote(name)},${kept})`)},${kept})`;
  }
  return `(${kept}=${newValue()},${settled(`H.write(rt,self,${quote(name)},${kept})`)},${kept})`;
}

/** A class above declares the field first, and as final. */
function inheritsFinal(e: Emitting, above: JavaClass | null, name: string): boolean {
  const node = above === null ? undefined : e.unit.declared.get(above)?.node;
  if (node === undefined) return false;
  const field = node.fields.find((each) => each.name === name);
  if (field === undefined) return inheritsFinal(e, above!.superclass, name);
  return field.modifiers.words.has('final') && !field.modifiers.words.has('private');
}

function assignProperty(e: Emitting, target: Expression & { kind: 'property' }, change: Change, scope: Scope): string {
  const { unit } = e;
  const name = memberName(e, target.name, scope);
  const { owner } = scope.context;
  const plain = target.name.kind === 'literal' ? String(target.name.value) : '';
  if (plain === 'metaClass') unsupported('assigning `metaClass` is not supported', target.place);
  checkOwnFinal(target, plain, change, scope);
  const isOwnField = (target.of.kind === 'this' && owner?.fields.has(plain) === true) || target.isField;
  const [object, key, value] = [unit.temporary(scope), unit.temporary(scope), unit.temporary(scope)];
  const read =
    target.isField || isOwnField ? `H.rawField(rt,${object},${key})` : settled(`H.read(rt,${object},${key})`);
  const to = change.from === null ? change.to : change.from(read);
  const write = isOwnField
    ? `H.setField(rt,${object},${key},${value})`
    : settled(`H.write(rt,${object},${key},${value})`);
  if (target.navigation === 'spread') {
    const values = change.from === null ? change.to : change.from(`(yield*H.spreadRead(rt,${object},${name}))`);
    return `(${object}=${e.value(target.of, scope)},${value}=${values},yield*H.spreadWrite(rt,${object},${name},${value}),${value})`;
  }
  const of = e.value(target.of, scope);
  const whole = `(${key}=${name},${value}=${to},${write},${value})`;
  if (target.navigation !== 'safe') return `(${object}=${of},${whole})`;
  return `((${object}=${of})===null?${change.from === null ? change.to : change.from('null')}:${whole})`;
}

/** Rejects `this.name = …` of a final field outside of constructors, as Groovy does; there, closures and `++` fail when they run. */
function checkOwnFinal(
  { of, place }: Expression & { kind: 'property' },
  name: string,
  { isStep }: Change,
  { context: { owner, isConstructor, isClosure } }: Scope,
): void {
  if (of.kind !== 'this' || owner?.finals.has(name) !== true || isConstructor) return;
  throw new ScriptError(`the field '${name}' is final`, place, owner.isScript || isClosure || isStep === true);
}

function assignElement(e: Emitting, target: Expression & { kind: 'index' }, change: Change, scope: Scope): string {
  const { unit } = e;
  const [object, key, value] = [unit.temporary(scope), unit.temporary(scope), unit.temporary(scope)];
  const of = e.value(target.of, scope);
  const index = indexValue(e, target.items, scope);
  const to = change.from === null ? change.to : change.from(settled(`H.at(rt,${object},${key})`));
  const whole = `(${key}=${index},${value}=${to},${settled(`H.putAt(rt,${object},${key},${value})`)},${value})`;
  if (!target.isSafe || change.from !== null) return `(${object}=${of},${whole})`;
  return `((${object}=${of})===null?${change.to}:${whole})`;
}

/** `(a, b) = value` */
export function emitAssignMany(e: Emitting, node: Expression & { kind: 'assign-many' }, scope: Scope): string {
  const list = e.unit.temporary(scope);
  const parts = node.targets.map((target, index) =>
    assign(e, target, { from: null, to: settled(`H.part(rt,${list},${index})`) }, scope),
  );
  return `(${list}=${e.value(node.value, scope)},${parts.join(',')},${list})`;
}
