import { PRIMITIVE_NAMES } from '../syntax/token.ts';
import type { ClosureNode, Parameter, Statement } from '../syntax/tree.ts';
import type { ClosureShape } from '../values/closure.ts';
import { arrayOf, CLOSURE } from '../values/core-classes.ts';
import { JavaClass, OBJECT } from '../values/java-class.ts';
import type { Emitting } from './emitting.ts';
import { zeroOf } from './statements.ts';
import { type FunctionContext, type OwnerClass, Scope, type Unit } from './unit.ts';

/** The classes of parameters; the last one of many is an array. */
export function parameterTypes(unit: Unit, parameters: readonly Parameter[]): JavaClass[] {
  return parameters.map((each) => {
    const type = each.type === null ? OBJECT : unit.types.resolve(each.type);
    return each.isVariadic ? arrayOf(type) : type;
  });
}

/** True if more arguments than parameters may follow: declared so, or the last parameter is an array. */
export function isVariadic(parameters: readonly Parameter[]): boolean {
  const last = parameters.at(-1);
  return last !== undefined && (last.isVariadic || (last.type?.dimensions ?? 0) > 0);
}

/** Code that takes parameters from the array `a`, with their default values. */
export function parametersCode(e: Emitting, parameters: readonly Parameter[], scope: Scope): string {
  return parameters
    .map((each, index) => {
      const type = e.unit.declaredType(each.type);
      const initial = each.initial === null ? null : e.value(each.initial, scope);
      const local = e.unit.declareLocal(
        scope,
        each.name,
        each.isVariadic ? null : type,
        each.place,
        each.isFinal || scope.context.owner?.isAutoFinal === true,
      );
      const isFunctional =
        (type?.isInterface === true || type?.isAbstract === true) &&
        !each.isVariadic &&
        (type.sam !== null || type.declared !== null);
      if (isFunctional)
        return `let ${local.code}=H.functional(rt,a[${index}]${initial === null ? '' : `===undefined?${initial}:a[${index}]`},${e.unit.type(type)});`;
      if (initial === null) return `let ${local.code}=a[${index}];`;
      const converted = type === null ? initial : `rt.cast(${initial},${e.unit.type(type)})`;
      return `let ${local.code}=a[${index}]===undefined?${converted}:a[${index}];`;
    })
    .join('');
}

/** Frames code with the limits of depth, and declares the temporaries that it uses. */
export function emitFunctionBody(context: FunctionContext, write: () => string, last = 'null'): string {
  const code = write();
  const temporaries = context.temporaries.length === 0 ? '' : `,${context.temporaries.join(',')}`;
  return `let t${temporaries};rt.enter();try{${code}return ${last};}finally{rt.leave();}`;
}

export function emitClosure(e: Emitting, node: ClosureNode, scope: Scope): string {
  const { unit } = e;
  const { context } = scope;
  const parameters = node.parameters ?? [];
  const types = node.parameters === null ? [OBJECT] : parameterTypes(unit, parameters);
  const javaClass = new JavaClass(unit.closureName('run'));
  javaClass.superclass = CLOSURE;
  const shape: ClosureShape = {
    types,
    isVariadic: isVariadic(parameters),
    hasImplicitIt: node.parameters === null,
    required:
      node.parameters === null
        ? 0
        : parameters.filter((each) => each.initial === null).length - (isVariadic(parameters) ? 1 : 0),
  };
  const self = unit.name('c');
  const inner: FunctionContext = {
    ...context,
    receiver: self,
    isClosure: true,
    returns: null,
    temporaries: [],
    isConstructor: false,
  };
  const body = emitFunctionBody(inner, () => {
    const own = new Scope(scope, inner, [], null);
    let code = '';
    if (node.parameters === null) {
      const it = {
        code: unit.name('v'),
        type: null,
        isFinal: false,
        value: null,
        origin: { kind: 'unknown' as const },
      };
      own.set('it', it);
      code = `let ${it.code}=a[0];`;
    } else code = parametersCode(e, parameters, own);
    return code + e.statements(node.body, own, true);
  });
  return `H.closure(rt,function*(${self},a){${body}},${context.receiver},self,${unit.constant(shape)},${unit.constant(javaClass)})`;
}

/** The result of a method of a primitive type that ends without `return`: null, which fails, after a loop or without code. */
function endValue(e: Emitting, body: readonly Statement[], returns: JavaClass): string {
  const kind = body.at(-1)?.kind ?? 'empty';
  const isNull = ['empty', 'while', 'for', 'for-in'].includes(kind);
  return isNull ? `rt.cast(null,${e.unit.type(returns)})` : zeroOf(e, returns);
}

/** Code of a method: `function*(rt, self, a)`. */
export function emitMethod(
  e: Emitting,
  options: {
    readonly parameters: readonly Parameter[];
    readonly body: readonly Statement[];
    readonly returns: JavaClass | null;
    readonly owner: OwnerClass;
    readonly isStatic: boolean;
    readonly isConstructor?: boolean;
    /** Variables around a class without a name. */
    readonly around: Scope | null;
    /** Code before the statements, for constructors. */
    readonly before?: (scope: Scope) => string;
  },
): string {
  const context: FunctionContext = {
    receiver: 'self',
    isClosure: false,
    isStatic: options.isStatic,
    returns: options.returns,
    owner: options.owner,
    temporaries: [],
    isConstructor: options.isConstructor ?? false,
  };
  const { returns } = options;
  const isPrimitive = returns !== null && PRIMITIVE_NAMES.has(returns.name) && returns.name !== 'void';
  const body = emitFunctionBody(
    context,
    () => {
      const scope = new Scope(options.around, context);
      const parameters = parametersCode(e, options.parameters, scope);
      return (
        parameters +
        (options.before?.(scope) ?? '') +
        e.statements(options.body, scope, !(options.isConstructor ?? false))
      );
    },
    isPrimitive ? endValue(e, options.body, returns) : 'null',
  );
  return `function*(rt,self,a){${body}}`;
}
