import { ScriptError } from '../syntax/place.ts';
import type { CatchClause, Expression, LocalNode, Statement, SwitchNode } from '../syntax/tree.ts';
import { THROWABLE } from '../values/core-classes.ts';
import type { JavaClass } from '../values/java-class.ts';
import { emitAssert } from './asserts.ts';
import { type Emitting, quote, settled } from './emitting.ts';
import { originOf } from './identity.ts';
import { castCode, knownType } from './known-types.ts';
import { type LoopContext, type Scope, unsupported } from './unit.ts';

const ZERO: ReadonlyMap<string, string> = new Map([
  ['int', '0'],
  ['long', '0n'],
  ['boolean', 'false'],
]);

/** Statements of a block; the value of the last one is returned if the block is a tail. */
export function emitStatements(e: Emitting, body: readonly Statement[], scope: Scope, isTail: boolean): string {
  return body.map((node, index) => e.statement(node, scope, isTail && index === body.length - 1)).join('');
}

export function emitStatement(e: Emitting, node: Statement, scope: Scope, isTail: boolean): string {
  switch (node.kind) {
    case 'expression':
      return isTail ? returned(e, e.value(node.of, scope), scope, node.of) : `${e.value(node.of, scope)};`;
    case 'local':
      return localCode(e, node, scope, isTail);
    case 'local-many':
      return localManyCode(e, node, scope, isTail);
    case 'block':
      return `{${e.statements(node.body, scope.inner(), isTail)}}`;
    case 'if': {
      const yes = `{${e.statement(node.yes, scope.inner(), isTail)}}`;
      const no = node.no === null ? '' : `else{${e.statement(node.no, scope.inner(), isTail)}}`;
      return `if(${e.condition(node.condition, scope)})${yes}${no}`;
    }
    case 'while':
    case 'for':
    case 'for-in':
      return emitLoop(e, node, scope, null);
    case 'switch':
      return e.switchCode(node, scope, isTail);
    case 'try':
      return tryCode(e, node, scope, isTail);
    case 'throw':
      if (node.of.kind === 'literal' && node.of.value !== null && typeof node.of.value === 'object')
        unsupported('a number cannot be thrown', node.place);
      return `throw H.thrown(rt,${e.value(node.of, scope)},${quote(thrownName(node.of))});`;
    case 'return':
      checkJump(node, scope);
      if (node.of !== null && scope.context.isConstructor && !scope.context.isClosure)
        throw new ScriptError('a constructor returns no value', node.place);
      if (node.of !== null && scope.context.returns?.name === 'void')
        throw new ScriptError("a method that is 'void' returns no value", node.place);
      return returned(e, node.of === null ? 'null' : e.value(node.of, scope), scope, node.of);
    case 'yield':
      if (scope.switchValue === null)
        return `${settled(`H.callHere(rt,${scope.context.receiver},"yield",[${e.value(node.of, scope)}])`)};`;
      return `${scope.switchValue.variable}=${e.value(node.of, scope)};break ${scope.switchValue.label};`;
    case 'break':
    case 'continue':
      return jumpCode(node, scope);
    case 'assert':
      return emitAssert(e, node, scope);
    case 'labelled':
      if (node.body.kind === 'while' || node.body.kind === 'for' || node.body.kind === 'for-in')
        return emitLoop(e, node.body, scope, node.label);
      return e.statement(node.body, scope, isTail);
    case 'empty':
      return '';
    case 'method':
      throw new ScriptError('a method cannot be declared here', node.place);
    case 'class':
      throw new ScriptError('a class cannot be declared here', node.place);
    case 'import':
      throw new ScriptError('an import cannot stand here', node.place);
  }
}

/** Java names the variable that is null. */
function thrownName(node: Expression): string {
  return node.kind === 'name' ? `"${node.name}" is null` : node.kind === 'literal' ? '"null" is null' : '"';
}

function returned(e: Emitting, code: string, scope: Scope, node: Expression | null = null): string {
  const { returns } = scope.context;
  if (returns === null) return `return(${code});`;
  return returns.name === 'void' ? `${code};return null;` : `return ${castCode(e, code, returns, node, scope)};`;
}

/** Content of a variable without a value. */
export function zeroOf(e: Emitting, type: JavaClass | null): string {
  if (type === null || type.name.includes('.')) return 'null';
  return (
    ZERO.get(type.name) ??
    (['double', 'float', 'short', 'byte', 'char'].includes(type.name) ? `rt.cast(0,${e.unit.type(type)})` : 'null')
  );
}

function localCode(e: Emitting, node: LocalNode, scope: Scope, isTail: boolean): string {
  const { unit } = e;
  for (const { name, place } of node.modifiers.annotations) {
    if (name !== 'SuppressWarnings' && name !== 'Deprecated') unsupported(`\`@${name}\` is not supported`, place);
  }
  let last = 'null';
  const code = node.variables.map(({ variable, initial }) => {
    const type = unit.declaredType(variable.type);
    // The name is in view only after its value: a closure cannot call itself by the name of its variable.
    const raw = initial === null ? zeroOf(e, type) : e.value(initial, scope);
    const local = unit.declareLocal(
      scope,
      variable.name,
      type,
      variable.place,
      node.modifiers.words.has('final') && initial !== null,
      initial === null ? null : knownType(e, initial, scope),
      initial === null ? { kind: 'unknown' } : originOf(initial, scope),
    );
    last = local.code;
    return `let ${local.code}=${initial === null || type === null ? raw : castCode(e, raw, type, initial, scope)};`;
  });
  return code.join('') + (isTail ? returned(e, last, scope) : '');
}

function localManyCode(e: Emitting, node: Statement & { kind: 'local-many' }, scope: Scope, isTail: boolean): string {
  const { unit } = e;
  const list = unit.temporary(scope);
  const value = e.value(node.value, scope);
  const parts = node.variables.map((variable, index) => {
    const type = unit.declaredType(variable.type);
    const local = unit.declareLocal(scope, variable.name, type, variable.place);
    const part = settled(`H.part(rt,${list},${index})`);
    return `let ${local.code}=${type === null ? part : `rt.cast(${part},${unit.type(type)})`};`;
  });
  return `${list}=${value};${parts.join('')}${isTail ? returned(e, list, scope) : ''}`;
}

/** A switch with a value ends with one: only loops and switches within it can be left. */
function checkJump({ kind, place }: Statement, scope: Scope): void {
  if (scope.loops.at(-1)?.kind === 'switch-value')
    throw new ScriptError(`'${kind}' cannot leave a switch with a value`, place);
}

function jumpCode(node: Statement & { kind: 'break' | 'continue' }, scope: Scope): string {
  const { kind, label, place } = node;
  checkJump(node, scope);
  const loops = scope.loops.filter((each) => each.kind === 'loop' || (each.kind === 'switch' && kind === 'break'));
  const target = label === null ? loops.at(-1) : loops.findLast((each) => each.label === label);
  if (target === undefined)
    throw new ScriptError(
      label === null
        ? `'${kind}' stands only in a loop${kind === 'break' ? ' or a switch' : ''}`
        : `there is no loop with the label '${label}'`,
      place,
    );
  return `${kind} ${target.code};`;
}

function emitLoop(
  e: Emitting,
  node: Statement & { kind: 'while' | 'for' | 'for-in' },
  scope: Scope,
  label: string | null,
): string {
  const { unit } = e;
  const loop: LoopContext = { kind: 'loop', label, code: unit.name('L') };
  const outer = scope.inner();
  const inner = outer.inner([...scope.loops, loop]);
  const body = (): string => `{rt.budget.spend(1);${e.statement(node.body, inner, false)}}`;
  if (node.kind === 'while') {
    const condition = e.condition(node.condition, scope);
    return node.isPostfix
      ? `${loop.code}:do${body()}while(${condition});`
      : `${loop.code}:while(${condition})${body()}`;
  }
  if (node.kind === 'for') {
    const init = node.init.map((each) => e.statement(each, outer, false)).join('');
    const condition = node.condition === null ? '' : e.condition(node.condition, outer);
    const update = node.update.map((each) => e.value(each, outer)).join(',');
    return `{${init}${loop.code}:for(;${condition};${update})${body()}}`;
  }
  const items = unit.name('i');
  const of = e.value(node.of, scope);
  const type = unit.declaredType(node.variable.type);
  const local = unit.declareLocal(outer, node.variable.name, type, node.variable.place);
  const next = type === null ? `${items}.next()` : `rt.cast(${items}.next(),${unit.type(type)})`;
  return `{let ${local.code}=null;const ${items}=yield*H.iterate(rt,${of});${loop.code}:while(${items}.hasNext()){rt.budget.spend(1);${local.code}=${next};${e.statement(node.body, inner, false)}}}`;
}

function tryCode(e: Emitting, node: Statement & { kind: 'try' }, scope: Scope, isTail: boolean): string {
  let body = '';
  const inner = scope.inner();
  let close = '';
  for (const resource of node.resources) {
    const { variable, initial } = resource.variables[0]!;
    const value = e.value(initial!, inner);
    const local = e.unit.declareLocal(inner, variable.name, null, variable.place);
    const failure = e.unit.name('f');
    body += `let ${local.code}=${value};let ${failure}=null;try{`;
    close = `}catch(error){${failure}=error;throw error;}finally{if(rt.budget.exceeded===null&&${local.code}!==null)yield*H.close(rt,${local.code},${failure});}${close}`;
  }
  body += e.statements(node.body, inner.inner(), isTail) + close;
  if (node.catches.length === 0 && node.last === null) return `{${body}}`;
  const caught = node.catches.length === 0 ? '' : catchCode(e, node.catches, scope, isTail);
  const last =
    node.last === null
      ? ''
      : `finally{if(rt.budget.exceeded===null){${e.statements(node.last, scope.inner(), false)}}}`;
  return `try{${body}}${caught}${last}`;
}

function catchCode(e: Emitting, catches: readonly CatchClause[], scope: Scope, isTail: boolean): string {
  const { unit } = e;
  const error = unit.name('e');
  const value = unit.name('e');
  const clauses = catches.map((each) => {
    const inner = scope.inner();
    const types =
      each.types.length === 0
        ? [unit.types.classes.named('java.lang.Exception')]
        : each.types.map((type) => unit.types.resolve(type));
    const other = types.findIndex((type) => !type.supertypes.has(THROWABLE));
    if (other >= 0) throw new ScriptError(`'${types[other]!.name}' is not an exception`, each.types[other]!.place);
    const local = unit.declareLocal(inner, each.name, null, each.place);
    const test = types.map((type) => `rt.isInstance(${value},${unit.type(type)})`).join('||');
    return `if(${test}){let ${local.code}=${value};${e.statements(each.body, inner, isTail)}}`;
  });
  return `catch(${error}){const ${value}=rt.caught(${error});${clauses.join('else ')}else throw ${error};}`;
}

/** The matching case is found first, then JavaScript's own switch runs its code and falls through as Groovy's. */
export function emitSwitch(e: Emitting, node: SwitchNode, scope: Scope, isTail: boolean): string {
  const { unit } = e;
  const [subject, chosen] = [unit.name('s'), unit.name('m')];
  const context: LoopContext = { kind: 'switch', label: null, code: unit.name('L') };
  const isValue = scope.loops.at(-1)?.kind === 'switch-value';
  const inner = isValue ? scope : scope.inner([...scope.loops, context]);
  const tests = node.cases
    .map((each, index) =>
      each.values
        .map((value) => `if(yield*rt.isCase(${e.value(value, scope)},${subject}))${chosen}=${index};else `)
        .join(''),
    )
    .join('');
  const other = node.cases.findIndex((each) => each.isDefault);
  const cases = node.cases.map((each, index) => {
    const isLast = index === node.cases.length - 1;
    const last = each.body.at(-1);
    const endsWithBreak = last?.kind === 'break' && last.label === null;
    const returns = (isTail && (endsWithBreak || isLast || each.isDefault)) || node.isArrow;
    const body = returns && endsWithBreak ? each.body.slice(0, -1) : each.body;
    const code = e.statements(body, inner.inner(), returns);
    return `case ${index}:{${code}${node.isArrow || (returns && endsWithBreak) ? `break ${context.code};` : ''}}`;
  });
  return `{const ${subject}=${e.value(node.subject, scope)};let ${chosen}=-1;${tests}${chosen}=${other};${context.code}:switch(${chosen}){${cases.join('')}}}`;
}
