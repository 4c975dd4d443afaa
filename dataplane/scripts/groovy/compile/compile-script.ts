import type { ClassTable } from '../runtime/class-table.ts';
import { isSteps, type RunnableScript } from '../runtime/core.ts';
import type { DeclaredField } from '../runtime/instance.ts';
import { defineClass, type ScriptFunction } from '../runtime/script-classes.ts';
import { setBody } from '../runtime/shell/nested-script.ts';
import { support } from '../runtime/support.ts';
import { parseScript } from '../syntax/parser.ts';
import { type Place, ScriptError } from '../syntax/place.ts';
import type { ClassNode, LocalNode, MethodNode, ScriptNode, Statement } from '../syntax/tree.ts';
import { ENUM, GROOVY_OBJECT, SCRIPT } from '../values/core-classes.ts';
import { type Budget, JavaClass, OBJECT } from '../values/java-class.ts';
import { assignedNames, openNames, refuseSuspects } from './absent-calls.ts';
import { resolveAnnotations } from './annotations.ts';
import { checkShortened, signatureOf } from './class-checks.ts';
import type { ClassTemplate } from './class-template.ts';
import { type EmittedClass, emitClass, methodTemplate, superclassOf } from './classes.ts';
import { type Emitting, quote } from './emitting.ts';
import { emitCondition, emitExpression } from './expressions.ts';
import { emitClosure, emitFunctionBody, emitMethod } from './functions.ts';
import { brokenIntoLines, lineMark, scriptLine } from './line-marks.ts';
import { emitStatement, emitStatements, emitSwitch, zeroOf } from './statements.ts';
import { checkAnnotations } from './transforms.ts';
import { TypeNames } from './type-names.ts';
import { type OwnerClass, Unit, unsupported } from './unit.ts';

export interface CompileOptions {
  readonly classes: ClassTable;
  /** Name of the class of the script. */
  readonly name?: string;
  /** For a text that a script evaluates: charged for the work, so that it can be interrupted. */
  readonly budget?: Budget;
  /** Packages whose classes need no import. */
  readonly packages?: readonly string[];
  /** Classes that need no import, by full name. */
  readonly imports?: readonly string[];
  /** Static methods that need no import, by full name. */
  readonly statics?: readonly string[];
}

/** A script that can be run many times. */
export interface CompiledScript extends RunnableScript {
  /** Names that the script reads as variables and that nothing in it sets, with the first place of each. */
  readonly open: ReadonlyMap<string, Place>;
  /** The line that an error comes from, or null if it is not from this script. */
  lineOf(error: Error): number | null;
}

/** Scripts have names in stack traces, which nobody else sees. */
let compiled = 0;

const MOST_CODE = 8_000_000;

/** Work of a node of the syntax tree, and characters of generated code that are read for one unit of work. */
const UNITS_PER_NODE = 50;
const CODE_PER_UNIT = 2;

/** Compiles a script; throws a ScriptError if it is wrong or not supported. */
export function compileScript(source: string, options: CompileOptions): CompiledScript {
  try {
    return compile(source, options);
  } catch (error) {
    // Long chains such as a.b.b.b are trees of that depth.
    if (!(error instanceof RangeError)) throw error;
    throw new ScriptError('the script is too deeply nested', { line: 1, column: 1 });
  }
}

function compile(source: string, options: CompileOptions): CompiledScript {
  const tree = withMain(parseScript(source, options.budget));
  const types = new TypeNames(options.classes, options.packages, options.imports, options.statics);
  const simple = options.name ?? 'Script1';
  const className = tree.packageName === null ? simple : `${tree.packageName}.${simple}`;
  const unit = new Unit(types, className, assignedNames(tree), options.budget !== undefined);
  for (const node of tree.imports) types.import(node);
  resolveAnnotations(tree);
  const e = emitting(unit, options.budget ?? null);
  const named = declareClasses(e, tree);
  const declared = [tree, ...named.map(({ node }) => node)].flatMap(({ methods }) => methods);
  for (const [name, methods] of Map.groupBy(declared, (each) => each.name))
    if (methods.length > 1) unit.overloaded.add(name);
  const type = new JavaClass(className);
  type.superclass = SCRIPT;
  const emitted = named.map(({ node, javaClass }) => ({ javaClass, ...emitClass(e, node, javaClass, null) }));
  const script = emitScript(e, tree, type);
  refuseSuspects(unit, tree);
  const parts = [script, ...emitted].map((each) => each.functions).join(',');
  const { code, lines } = brokenIntoLines(`"use strict";return [${parts}];`);
  if (code.length > MOST_CODE) throw new ScriptError('the script is too large', { line: 1, column: 1 });
  options.budget?.spend(code.length / CODE_PER_UNIT);
  // Every name in this code is a number or a word of the generator; texts of the script are JSON strings within it.
  const url = `groovy-script-${++compiled}`;
  const make = new Function('H', 'K', 'G', `${code}\n//# sourceURL=${url}`) as (
    h: unknown,
    k: unknown,
    g: unknown,
  ) => ScriptFunction[][];
  const [own = [], ...others] = make(support, unit.constants, isSteps);
  defineClass(type, script.template, own);
  setBody(type, own.at(-1)!);
  for (const [index, { javaClass, template }] of emitted.entries()) defineClass(javaClass, template, others[index]!);
  return {
    type,
    classes: emitted.map(({ javaClass }) => javaClass),
    run: own.at(-1)!,
    open: openNames(unit, tree),
    lineOf: (error) => scriptLine(error, url, lines),
  };
}

/** A script without statements runs its method `main`; one of classes only, that of the first class. */
function withMain(tree: ScriptNode): ScriptNode {
  if (tree.body.length > 0) return tree;
  const isMain = ({ name, parameters, modifiers }: MethodNode): boolean =>
    name === 'main' && parameters.length === 1 && modifiers.words.has('static');
  const main = tree.methods.find(isMain);
  const [first] = tree.classes;
  if (main === undefined && (tree.methods.length > 0 || first === undefined)) return tree;
  const { place } = main ?? first!;
  const name = { kind: 'literal', place, value: 'main' } as const;
  const type = { name: 'java.lang.String', dimensions: 1, place, args: [] };
  const args = { positional: [{ kind: 'new-array', place, type, sizes: [], items: [] } as const], named: [] };
  const of = main === undefined ? ({ kind: 'name', place, name: first!.name } as const) : null;
  const call = { kind: 'call', place, of, name, args, navigation: 'plain' } as const;
  const run: Statement = { kind: 'expression', place, of: call };
  return { ...tree, body: main === undefined ? [run, { kind: 'return', place, of: null }] : [run] };
}

function emitting(unit: Unit, budget: Budget | null): Emitting {
  const e: Emitting = {
    unit,
    value: (node, scope) => {
      budget?.spend(UNITS_PER_NODE);
      return node.kind === 'literal' || node.kind === 'this'
        ? emitExpression(e, node, scope)
        : lineMark(node.place) + emitExpression(e, node, scope);
    },
    condition: (node, scope) => emitCondition(e, node, scope),
    closure: (node, scope) => emitClosure(e, node, scope),
    statements: (body, scope, isTail) => emitStatements(e, body, scope, isTail),
    statement: (node, scope, isTail) => lineMark(node.place) + emitStatement(e, node, scope, isTail),
    switchCode: (node, scope, isTail) => emitSwitch(e, node, scope, isTail),
    functionBody: emitFunctionBody,
    anonymousClass: (node, scope, args, isObject) => {
      const type = new JavaClass(unit.name(`${unit.className}$`));
      const above = isObject ? superclassOf(e, node) : { superclass: scope.context.owner!.type, interfaces: [] };
      type.superclass = above.superclass;
      type.interfaces = above.interfaces;
      const { template, functions } = emitClass(e, node, type, scope);
      const made = `H.anonymousClass(${unit.type(type)},${unit.constant(template)},${functions})`;
      return isObject ? `(yield*H.createWithin(rt,${made},self,${args}))` : made;
    },
  };
  return e;
}

/** Makes the classes before any code, so that code can name them in any order. */
function declareClasses(e: Emitting, tree: ScriptNode): { node: ClassNode; javaClass: JavaClass }[] {
  const found: { node: ClassNode; javaClass: JavaClass }[] = [];
  const { types } = e.unit;
  const declare = (node: ClassNode, outer: JavaClass | null): void => {
    const prefix = outer === null ? (tree.packageName === null ? '' : `${tree.packageName}.`) : `${outer.name}$`;
    const javaClass = new JavaClass(prefix + node.name);
    if (outer === null && found.some((each) => each.node.name === node.name))
      throw new ScriptError(`the class '${node.name}' is declared twice`, node.place);
    types.declare(node.name, javaClass);
    types.declare(javaClass.name, javaClass);
    types.declare(javaClass.name.replaceAll('$', '.'), javaClass);
    javaClass.isInterface = node.form === 'interface' || node.form === 'trait';
    javaClass.isAbstract = node.modifiers.words.has('abstract');
    javaClass.isEnum = node.form === 'enum';
    javaClass.declared = {};
    found.push({ node, javaClass });
    e.unit.declared.set(javaClass, { node, outer });
    for (const inner of node.classes) declare(inner, javaClass);
  };
  for (const node of tree.classes) declare(node, null);
  for (const { node, javaClass } of found) {
    const { superclass, interfaces } = superclassOf(e, node);
    javaClass.superclass = superclass;
    javaClass.interfaces =
      (superclass === OBJECT || superclass === ENUM) && !javaClass.isInterface
        ? [...interfaces, GROOVY_OBJECT]
        : interfaces;
    for (let at: JavaClass | null = superclass, steps = 0; at !== null; at = at.superclass) {
      if (at === javaClass || steps++ > 100)
        throw new ScriptError(`the class '${node.name}' is above itself`, node.place);
    }
  }
  // Classes whose statics others use come first: a class after the one above it.
  return found.sort(
    (left, right) => Number(right.javaClass.superclass === ENUM) - Number(left.javaClass.superclass === ENUM),
  );
}

/** The script itself: its methods, its fields and its statements. */
function emitScript(e: Emitting, tree: ScriptNode, type: JavaClass): EmittedClass {
  const { unit } = e;
  const codes: string[] = [];
  const functions = { add: (code: string): number => codes.push(code) - 1 };
  const { fields, body } = takeFields(tree.body);
  const declared: DeclaredField[] = fields.flatMap((node) =>
    node.variables.map(({ variable }) => ({
      name: variable.name,
      type: unit.declaredType(variable.type),
      isFinal: node.modifiers.words.has('final'),
      isStatic: false,
      isProperty: true,
      isPrivate: false,
    })),
  );
  const owner: OwnerClass = {
    type,
    fields: new Set(declared.map((field) => field.name)),
    staticFields: new Set(),
    finals: new Set(declared.filter((field) => field.isFinal).map((field) => field.name)),
    isScript: true,
  };
  checkScriptMethods(tree.methods);
  const methods = tree.methods.map((method) => methodTemplate(e, method, owner, null, functions));
  const run = emitMethod(e, {
    parameters: [],
    body,
    returns: null,
    owner,
    isStatic: false,
    around: null,
    before: (scope) =>
      fields
        .flatMap((node) =>
          node.variables.map(({ variable, initial }) => {
            const fieldType = unit.declaredType(variable.type);
            const raw = initial === null ? zeroOf(e, fieldType) : e.value(initial, scope);
            return `H.initField(self,${quote(variable.name)},${fieldType === null || initial === null ? raw : `rt.cast(${raw},${unit.type(fieldType)})`});`;
          }),
        )
        .join(''),
  });
  functions.add(run);
  const template: ClassTemplate = {
    name: type.name,
    superclass: SCRIPT,
    interfaces: [],
    form: 'class',
    isAbstract: false,
    sam: null,
    abstracts: new Map(),
    isEvaluated: unit.isEvaluated,
    inheritsConstructors: false,
    hasMapConstructor: false,
    isLazy: false,
    fields: declared,
    methods,
    constructors: [],
    initialize: null,
    initializeStatics: null,
    canonical: null,
  };
  return { template, functions: `[${codes.join(',')}]` };
}

function checkScriptMethods(methods: readonly MethodNode[]): void {
  const known = new Set<string>();
  for (const method of methods) {
    checkAnnotations(method.modifiers.annotations);
    const isOverride = method.modifiers.annotations.some(({ name }) => name === 'Override');
    if (isOverride && method.name !== 'run' && ![...SCRIPT.supertypes].some((each) => each.methods.has(method.name)))
      throw new ScriptError(`the method '${method.name}' overrides nothing`, method.place);
    if (method.body === null) throw new ScriptError(`the method '${method.name}' has no body`, method.place);
    const signature = `${method.name}(${signatureOf(method.parameters)})`;
    if (known.has(signature)) throw new ScriptError(`the method '${method.name}' is declared twice`, method.place);
    known.add(signature);
  }
  checkShortened(methods);
}

function isFieldMark({ name }: { readonly name: string }): boolean {
  return name === 'Field' || name === 'groovy.transform.Field';
}

/** Variables with `@Field` are fields of the script. */
function takeFields(statements: readonly Statement[]): { fields: LocalNode[]; body: Statement[] } {
  const isField = (node: Statement): node is LocalNode =>
    node.kind === 'local' && node.modifiers.annotations.some(isFieldMark);
  for (const node of statements) {
    if (node.kind !== 'local') continue;
    const isStatic: boolean = node.modifiers.words.has('static') && !node.modifiers.annotations.some(isFieldMark);
    if (isStatic) throw new ScriptError("a variable of a script cannot be 'static'", node.place);
    const odd = node.modifiers.annotations.find(
      ({ name }) => !['Field', 'groovy.transform.Field', 'SuppressWarnings', 'Deprecated'].includes(name),
    );
    if (odd !== undefined) unsupported(`\`@${odd.name}\` is not supported`, odd.place);
  }
  return { fields: statements.filter(isField), body: statements.filter((node) => !isField(node)) };
}
