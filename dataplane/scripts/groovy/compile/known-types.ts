import type { Expression, LiteralValue } from '../syntax/tree.ts';
import {
  ARRAY_LIST,
  BOOLEAN,
  CLOSURE,
  GSTRING_IMPL,
  INTEGER,
  LINKED_HASH_MAP,
  LONG,
  PRIMITIVES,
  STRING,
} from '../values/core-classes.ts';
import { CLASS, type JavaClass } from '../values/java-class.ts';
import type { Emitting } from './emitting.ts';
import { numberValue } from './literals.ts';
import { classOfPath } from './names.ts';
import type { Scope } from './unit.ts';

/** Static methods that return an object of the class they are called on. */
const FACTORIES: ReadonlySet<string> = new Set(
  'of now getInstance valueOf compile fromString randomUUID create ofEpochSecond ofEpochMilli ofInstant between getTimeZone ofPattern ofNullable'.split(
    ' ',
  ),
);

/** Methods that return a String, whatever they are called on. */
const TEXTS: ReadonlySet<string> = new Set(
  'toString trim toLowerCase toUpperCase substring join replaceAll replaceFirst capitalize'.split(' '),
);

/** The class of an expression that can be told before the script runs; null if it cannot. Script classes are not told. */
export function knownType(e: Emitting, node: Expression, scope: Scope): JavaClass | null {
  const type = typeOf(e, node, scope);
  return type === null || type.declared !== null || isPrimitive(type) ? null : type;
}

function isPrimitive(type: JavaClass): boolean {
  return Object.hasOwn(PRIMITIVES, type.name);
}

function typeOf(e: Emitting, node: Expression, scope: Scope): JavaClass | null {
  const { types } = e.unit;
  switch (node.kind) {
    case 'literal':
      return literalType(node.value, node);
    case 'gstring':
      return GSTRING_IMPL;
    case 'list':
      return ARRAY_LIST;
    case 'map':
      return LINKED_HASH_MAP;
    case 'closure':
      return CLOSURE;
    case 'new':
      return node.body === null ? types.resolve(node.type) : null;
    case 'coerce':
      return types.resolve(node.type);
    case 'binary':
      return node.operator === '=~' ? types.classes.named('java.util.regex.Matcher') : null;
    case 'name': {
      const local = scope.find(node.name);
      return local === null ? null : (local.type ?? local.value);
    }
    case 'call':
      return resultType(e, node, scope);
    default:
      return null;
  }
}

function literalType(value: LiteralValue, node: Expression): JavaClass | null {
  if (value === null) return null;
  if (typeof value === 'string') return STRING;
  if (typeof value === 'boolean') return BOOLEAN;
  const number = numberValue(value.number, node.place);
  if (typeof number === 'number') return INTEGER;
  return typeof number === 'bigint' ? LONG : (number as { javaClass: JavaClass }).javaClass;
}

function resultType(e: Emitting, node: Expression & { kind: 'call' }, scope: Scope): JavaClass | null {
  if (node.of === null || node.navigation !== 'plain' || node.name.kind !== 'literal') return null;
  const name = String(node.name.value);
  const owner = classOfPath(e, node.of, scope);
  if (owner !== null) return FACTORIES.has(name) && owner !== CLASS && owner.statics.has(name) ? owner : null;
  const of = TEXTS.has(name) ? typeOf(e, node.of, scope) : null;
  return of === STRING || (of !== null && name === 'toString' && of.declared === null) ? STRING : null;
}

const NUMBERS: ReadonlySet<string> = new Set(['int', 'long', 'double', 'float', 'short', 'byte']);

/** The primitive type of a number that Groovy's compiler knows: of a literal or a variable; null for others. */
export function primitiveNumber(node: Expression, scope: Scope): string | null {
  if (node.kind === 'name') {
    const name = scope.find(node.name)?.type?.name ?? '';
    return NUMBERS.has(name) ? name : null;
  }
  if (node.kind !== 'literal' || node.value === null || typeof node.value !== 'object') return null;
  const { name } = literalType(node.value, node)!;
  const simple = name.slice(name.lastIndexOf('.') + 1);
  return simple === 'Integer' ? 'int' : NUMBERS.has(simple.toLowerCase()) ? simple.toLowerCase() : null;
}

/** Code for a value that a variable, field or method of a type takes. */
export function castCode(e: Emitting, code: string, type: JavaClass, node: Expression | null, scope: Scope): string {
  const number = type === BOOLEAN && node !== null ? primitiveNumber(node, scope) : null;
  return number === null ? `rt.cast(${code},${e.unit.type(type)})` : `H.noBoolean(rt,${JSON.stringify(number)})`;
}
