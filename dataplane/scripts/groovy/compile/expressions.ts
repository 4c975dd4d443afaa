import { ScriptError } from '../syntax/place.ts';
import type { Expression, LiteralValue } from '../syntax/tree.ts';
import type { Value } from '../values/java-class.ts';
import { checkCall, checkRead, checkStaticCall } from './absent-calls.ts';
import { argumentsCode, indexValue, mapCode } from './arguments.ts';
import { emitAssignMany, emitAssignment, emitStep } from './assignments.ts';
import { emitCall, emitCreation } from './calls.ts';
import { type Emitting, quote, settled } from './emitting.ts';
import { identityCode } from './identity.ts';
import { castCode } from './known-types.ts';
import { numberValue } from './literals.ts';
import { checkStaticName, classOfPath, memberName, methodOf, staticFieldAround } from './names.ts';
import { notAvailable } from './type-names.ts';
import { Scope, type Unit, unsupported } from './unit.ts';

/** Operators that give a JavaScript boolean. */
const CONDITIONS: ReadonlySet<string> = new Set([
  '&&',
  '||',
  '==',
  '!=',
  '===',
  '!==',
  '<',
  '<=',
  '>',
  '>=',
  'in',
  '!in',
  '==~',
]);

const COMPARISONS: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=']);

export function emitCondition(e: Emitting, node: Expression, scope: Scope): string {
  if (node.kind === 'binary' && CONDITIONS.has(node.operator)) return e.value(node, scope);
  if (node.kind === 'type-test' || (node.kind === 'unary' && node.operator === '!')) return e.value(node, scope);
  return `rt.truth(${e.value(node, scope)})`;
}

export function emitExpression(e: Emitting, node: Expression, scope: Scope): string {
  const { unit } = e;
  switch (node.kind) {
    case 'literal':
      return literalCode(unit, node.value, node);
    case 'gstring':
      return `H.gstring(rt,${unit.constant(node.strings)},[${node.values.map((each) => embeddedCode(e, each, scope)).join(',')}])`;
    case 'name':
      return nameCode(e, node, scope);
    case 'this':
      return 'self';
    case 'super':
      return 'self';
    case 'list':
      return `H.list(rt,[${argumentsCode(e, { positional: node.items, named: [] }, scope)}])`;
    case 'map':
      return mapCode(e, node.items, scope);
    case 'range':
      return `H.range(rt,${e.value(node.from, scope)},${e.value(node.to, scope)},${node.skipsFirst},${node.skipsLast})`;
    case 'closure':
      return e.closure(node, scope);
    case 'property':
      return propertyCode(e, node, scope);
    case 'index':
      return indexCode(e, node, scope);
    case 'call':
    case 'invoke':
      return emitCall(e, node, scope);
    case 'new':
    case 'new-array':
      return emitCreation(e, node, scope);
    case 'unary':
      if (node.operator === '!') return `(!${e.condition(node.of, scope)})`;
      if (node.of.kind === 'literal' && (node.of.value === null || typeof node.of.value === 'boolean')) {
        if (node.operator === '-') throw new ScriptError("'-' stands only before a number or a variable", node.place);
        if (node.operator === '+' && node.of.value === null) return 'null';
      }
      return settled(`H.unary(rt,${quote(node.operator)},${e.value(node.of, scope)})`);
    case 'step':
      return emitStep(e, node, scope);
    case 'binary':
      return binaryCode(e, node, scope);
    case 'type-test':
      return `(${node.isNegated ? '!' : ''}rt.isInstance(${e.value(node.of, scope)},${unit.type(unit.types.resolve(node.type))}))`;
    case 'coerce':
      if (
        !node.isCast &&
        unit.declared.get(unit.types.resolve(node.type))?.node.form === 'trait' &&
        node.of.kind !== 'closure' &&
        node.of.kind !== 'map'
      )
        unsupported(`an object cannot become the trait ${node.type.name} at run time`, node.place);
      if (node.isCast) return castCode(e, e.value(node.of, scope), unit.types.resolve(node.type), node.of, scope);
      return `rt.as(${e.value(node.of, scope)},${unit.type(unit.types.resolve(node.type))})`;
    case 'ternary':
      return ternaryCode(e, node, scope);
    case 'assign':
      return emitAssignment(e, node, scope);
    case 'assign-many':
      return emitAssignMany(e, node, scope);
    case 'spread':
      throw new ScriptError("'*' stands only before an argument or an element of a list", node.place);
    case 'pointer':
      return pointerCode(e, node, scope);
    case 'switch-value':
      return switchValue(e, node, scope);
  }
}

/** A closure without parameters in a string is called without arguments. */
function embeddedCode(e: Emitting, node: Expression, scope: Scope): string {
  const code = e.value(node, scope);
  return node.kind === 'closure' && node.parameters === null ? `H.embedded(rt,${code})` : code;
}

export function literalCode(unit: Unit, literal: LiteralValue, node: Expression): string {
  if (literal === null || typeof literal === 'boolean') return String(literal);
  if (typeof literal === 'string') return quote(literal);
  const value: Value = numberValue(literal.number, node.place);
  if (typeof value === 'number') return value < 0 ? `(${value})` : String(value);
  return typeof value === 'bigint' ? (value < 0n ? `(${value}n)` : `${value}n`) : unit.number(literal.number, value);
}

function nameCode(e: Emitting, node: Expression & { kind: 'name' }, scope: Scope): string {
  const { unit } = e;
  const { name } = node;
  const local = scope.find(name);
  if (local !== null) return local.code;
  if (/^\$+$/.test(name)) throw new ScriptError(`'${name}' is no name`, node.place);
  const { context } = scope;
  const { owner } = context;
  if (owner !== null && !context.isClosure && owner.fields.has(name) && !context.isStatic)
    return `H.field(rt,self,${quote(name)})`;
  if (owner?.staticFields.has(name)) return `H.staticField(rt,${unit.type(owner.type)},${quote(name)})`;
  const type = classOfPath(e, node, scope);
  if (type !== null) return unit.type(type);
  const imported = unit.types.staticMember(name);
  if (imported !== null) return settled(`H.read(rt,${unit.type(imported.type)},${quote(imported.member)})`);
  if (unit.types.isKnownElsewhere(name)) notAvailable(name, node.place);
  const around = owner === null ? null : staticFieldAround(e, owner.type, name);
  if (around !== null) return `H.staticField(rt,${unit.type(around)},${quote(name)})`;
  checkStaticName(e, name, node.place, scope);
  // In a closure it may be a property of the delegate.
  const isSure = !context.isClosure && owner?.isScript === true;
  unit.unknown.push({ name, place: node.place, isSure });
  return settled(`H.readHere(rt,${context.receiver},${quote(name)})`);
}

function propertyCode(e: Emitting, node: Expression & { kind: 'property' }, scope: Scope): string {
  const { unit } = e;
  const type = classOfPath(e, node, scope);
  if (type !== null) return unit.type(type);
  const name = memberName(e, node.name, scope);
  const isOwnField = node.name.kind === 'literal' && scope.context.owner?.fields.has(String(node.name.value)) === true;
  if (node.of.kind === 'this' && isOwnField && scope.context.isStatic && !scope.context.isClosure)
    throw new ScriptError(`${name} is a field of an object, and the code around it is static`, node.place);
  if (node.name.kind === 'literal' && node.name.value === 'this') {
    const outer = classOfPath(e, node.of, scope);
    if (outer !== null) return `H.outerThis(rt,self,${unit.type(outer)})`;
  }
  if (node.of.kind === 'this' && isOwnField && !scope.context.isStatic) return `H.field(rt,self,${name})`;
  if (!node.isField && node.navigation !== 'spread') checkRead(e, node.of, node.name, node.place, scope);
  const of = e.value(node.of, scope);
  if (node.navigation === 'spread') return `(yield*H.spreadRead(rt,${of},${name}))`;
  const read = (target: string): string =>
    node.isField ? `H.rawField(rt,${target},${name})` : settled(`H.read(rt,${target},${name})`);
  if (node.of.kind === 'super') return settled(`H.superRead(rt,self,${unit.type(scope.context.owner!.type)},${name})`);
  if (node.navigation === 'plain') return read(of);
  const target = unit.temporary(scope);
  return `((${target}=${of})===null?null:${read(target)})`;
}

function indexCode(e: Emitting, node: Expression & { kind: 'index' }, scope: Scope): string {
  const of = e.value(node.of, scope);
  if (!node.isSafe) return settled(`H.at(rt,${of},${indexValue(e, node.items, scope)})`);
  const target = e.unit.temporary(scope);
  return `((${target}=${of})===null?null:${settled(`H.at(rt,${target},${indexValue(e, node.items, scope)})`)})`;
}

type Binary = Expression & { kind: 'binary' };

/** The operations of a chain from left to right, so that `a + b + c + …` of any length nests neither here nor in the code. */
function chainOf(node: Binary): Binary[] {
  const chain = [node];
  for (let at: Expression = node.left; at.kind === 'binary'; at = at.left) chain.push(at);
  return chain.reverse();
}

const LONG_CHAIN = 20;

function binaryCode(e: Emitting, node: Binary, scope: Scope): string {
  const { operator } = node;
  const chain = node.left.kind === 'binary' ? chainOf(node) : [node];
  if (operator === '&&' || operator === '||') {
    const from = chain.findLastIndex((each) => each.operator !== operator) + 1;
    const operands = [chain[from]!.left, ...chain.slice(from).map(({ right }) => right)];
    return `(${operands.map((each) => e.condition(each, scope)).join(operator)})`;
  }
  if (chain.length < LONG_CHAIN) return operationCode(e, node, e.value(node.left, scope), scope);
  const kept = e.unit.temporary(scope);
  const from = Math.max(
    chain.findLastIndex((each) => each.operator === '&&' || each.operator === '||'),
    0,
  );
  const steps = chain.slice(from).map((each, index) => {
    if (index === 0) return `${kept}=${operationCode(e, each, e.value(each.left, scope), scope)}`;
    return `${kept}=${operationCode(e, each, kept, scope)}`;
  });
  return `(${steps.join(',')},${kept})`;
}

function operationCode(e: Emitting, node: Binary, left: string, scope: Scope): string {
  const { operator } = node;
  const right = operator === '===' || operator === '!==' ? '' : e.value(node.right, scope);
  if (COMPARISONS.has(operator) && arePrimitive(node.left, node.right, scope))
    return `H.comparePrimitives(${quote(operator)},${left},${right})`;
  switch (operator) {
    case '==':
      return `rt.equals(${left},${right})`;
    case '!=':
      return `(!rt.equals(${left},${right}))`;
    case '===':
      return identityCode(e, node.left, node.right, scope, left);
    case '!==':
      return `(!${identityCode(e, node.left, node.right, scope, left)})`;
    case '<':
    case '<=':
    case '>':
    case '>=':
      return `H.compare(rt,${quote(operator)},${left},${right})`;
    case '<=>':
      return `H.spaceship(rt,${left},${right})`;
    case 'in':
      return `(yield*H.isIn(rt,${left},${right}))`;
    case '!in':
      return `(!(yield*H.isIn(rt,${left},${right})))`;
    case '=~':
      return `(yield*H.find(rt,${left},${right}))`;
    case '==~':
      return `rt.truth(yield*H.matches(rt,${left},${right}))`;
    default: {
      const method = methodOf(operator);
      if (method === undefined) return unsupported(`the operator '${operator}' is not supported`, node.place);
      return settled(`H.operate(rt,${quote(method)},${left},${right})`);
    }
  }
}

const FLOATING = /^(?:double|float)$/;

/** Numbers that Groovy compares as primitives: -0.0 equals 0.0 there, and NaN nothing. */
function arePrimitive(left: Expression, right: Expression, scope: Scope): boolean {
  const [a, b] = [primitiveOf(left, scope), primitiveOf(right, scope)];
  return a !== null && b !== null && (FLOATING.test(a) || FLOATING.test(b));
}

function primitiveOf(node: Expression, scope: Scope): string | null {
  if (node.kind === 'name') {
    const type = scope.find(node.name)?.type?.name ?? '';
    return /^(?:double|float|int|long|short|byte)$/.test(type) ? type : null;
  }
  if (node.kind !== 'literal' || node.value === null || typeof node.value !== 'object') return null;
  const { number } = node.value;
  if (/^-?0[xX]/.test(number)) return 'int';
  return /[dDfF]$/.test(number) ? 'double' : /^-?\d+[lLiI]?$/.test(number) ? 'int' : null;
}

function ternaryCode(e: Emitting, node: Expression & { kind: 'ternary' }, scope: Scope): string {
  if (node.yes !== null)
    return `(${e.condition(node.condition, scope)}?${e.value(node.yes, scope)}:${e.value(node.no, scope)})`;
  const kept = e.unit.temporary(scope);
  return `(rt.truth(${kept}=${e.value(node.condition, scope)})?${kept}:${e.value(node.no, scope)})`;
}

function pointerCode(e: Emitting, node: Expression & { kind: 'pointer' }, scope: Scope): string {
  const name = memberName(e, node.name, scope);
  const type = classOfPath(e, node.of, scope);
  if (type === null) checkCall(e, node.of, node.name, node.place, scope);
  else if (!node.isReference) checkStaticCall(e, type, node.name, node.place);
  const of = type === null ? e.value(node.of, scope) : e.unit.type(type);
  return `H.pointer(rt,${of},${name},${scope.context.receiver},self)`;
}

/** A switch as a value: its code runs as a function of its own, in place. */
function switchValue(e: Emitting, node: Expression & { kind: 'switch-value' }, scope: Scope): string {
  const variable = e.unit.temporary(scope);
  const label = e.unit.name('S');
  const context = { ...scope.context, returns: null };
  const inner = new Scope(scope, context, [{ kind: 'switch-value', label: null, code: label }], { variable, label });
  const code = e.switchCode(node.switch, inner, false);
  return `(yield*(function*(){let t;${variable}=null;${label}:{${code}}return ${variable};})())`;
}
