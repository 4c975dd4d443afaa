import { ValueProblem } from '../problem.ts';
import { FORBIDDEN, indexOf, memberReader, propertyOf, readMember } from './access.ts';
import { arithmetic, negated } from './arithmetic.ts';
import { booleanOf } from './coercion.ts';
import { comparisons, isEmpty } from './comparison.ts';
import type { Compilation } from './compilation.ts';
import { compileCall } from './compile-call.ts';
import { compileMethod } from './compile-method.ts';
import type { Shapes } from './language.ts';
import { type Evaluate, known, made, type Part } from './part.ts';
import { remarkOnComparison, remarkOnKey } from './remarks.ts';
import type { StaticKind } from './static-kind.ts';
import type { AccessNode, BinaryNode, JoinedNode, SyntaxNode, UnaryNode } from './syntax.ts';
import { notTooLong, textOf } from './text.ts';
import type { Value } from './value.ts';

/** Turns a node into a function. @throws ValueProblem for names that do not exist or may not be used. */
export function compileNode(node: SyntaxNode, compilation: Compilation): Part {
  const compiled = (inner: SyntaxNode) => compileNode(inner, compilation);
  switch (node.kind) {
    case 'literal':
      return known(node.value);
    case 'root':
      return compileRoot(node.name, compilation);
    case 'access':
      return compileAccess(node, compilation);
    case 'method':
      return compileMethod(compiled(node.base), compiled(node.name), node.given.map(compiled), compilation);
    case 'call':
      return compileCall(node, node.given.map(compiled), compilation);
    case 'unary':
      return compileUnary(node, compilation);
    case 'binary':
      return compileBinary(node, compilation);
    case 'choice': {
      const [condition, yes, no] = [compiled(node.condition), compiled(node.yes), compiled(node.no)];
      const run: Evaluate = (subject, answer) =>
        (booleanOf(condition.run(subject, answer)) ? yes : no).run(subject, answer);
      return made(run, [condition, yes, no], null, yes.kind === no.kind ? yes.kind : null);
    }
    case 'joined':
      return compileJoined(node, compilation);
  }
}

function compileRoot(name: string, compilation: Compilation): Part {
  const { language } = compilation;
  compilation.roots.add(name);
  const root = language.roots.get(name);
  if (root !== undefined) {
    const { shape = null, kind = shape === null ? null : 'object' } = root;
    return { run: (subject, answer) => root.get(subject, answer), constant: false, shape, kind };
  }
  const value = language.constants.get(name);
  if (value === undefined) {
    const refused = language.refusedRoots.get(name);
    if (refused !== undefined) throw new ValueProblem(refused.code, refused.message, refused.hint);
    compilation.unknownRoots.add(name);
  }
  return known(value ?? null);
}

function compileAccess(node: AccessNode, compilation: Compilation): Part {
  const base = compileNode(node.base, compilation);
  const key = compileNode(node.key, compilation);
  const { shapes } = compilation.language;
  const { run } = base;
  if (!key.constant) {
    return made(
      (subject, answer) => {
        const object = run(subject, answer);
        return object === null ? null : readMember(object, key.run(subject, answer), shapes);
      },
      [base, key],
    );
  }
  const name = key.value ?? null;
  const property = base.shape === null || name === null ? null : propertyOf(base.shape, textOf(name, shapes));
  if (property === null) {
    if (name !== null) remarkOnKey(base, textOf(name, shapes), compilation);
    const read = readEntry(base, name, shapes) ?? readItem(run, name, shapes);
    if (base.items !== undefined) return made(read, [base], base.items);
    return made(read, [base], null, base.shape?.entries?.kind ?? null);
  }
  const part = made(
    (subject, answer) => {
      const object = run(subject, answer);
      return typeof object === 'object' && object !== null ? property.get(object) : null;
    },
    [base],
    property.shape ?? null,
    property.shape === undefined ? (property.kind ?? null) : 'object',
  );
  return property.items === undefined ? part : { ...part, items: property.items };
}

/** Reads an entry of an object whose shape is known beforehand; null where that says nothing of the name. */
function readEntry({ run, shape }: Part, key: Value, shapes: Shapes): Evaluate | null {
  const name = key === null ? null : textOf(key, shapes);
  const entries = shape?.entries;
  if (entries === undefined || name === null || FORBIDDEN.has(name)) return null;
  const spelled = entries.spelling?.(name) ?? name;
  return (subject, answer) => {
    const object = run(subject, answer);
    return typeof object === 'object' && object !== null ? entries.get(object, spelled) : null;
  };
}

/** Reads a member under a key that is always the same; most often it is the place in a list. */
function readItem(run: Evaluate, key: Value, shapes: Shapes): Evaluate {
  const index = indexOf(key);
  if (index === null) {
    const read = typeof key === 'string' ? memberReader(key, shapes) : (value: Value) => readMember(value, key, shapes);
    return (subject, answer) => read(run(subject, answer));
  }
  return (subject, answer) => {
    const value = run(subject, answer);
    return Array.isArray(value) ? (value[index] ?? null) : readMember(value, key, shapes);
  };
}

function compileUnary(node: UnaryNode, compilation: Compilation): Part {
  const operand = compileNode(node.operand, compilation);
  const { run } = operand;
  const { shapes } = compilation.language;
  switch (node.operator) {
    case 'not':
      return made((subject, answer) => !booleanOf(run(subject, answer)), [operand], null, 'boolean');
    case 'empty':
      return made((subject, answer) => isEmpty(run(subject, answer), shapes), [operand], null, 'boolean');
    case 'negate':
      return made((subject, answer) => negated(run(subject, answer)), [operand], null, 'number');
  }
}

function compileBinary(node: BinaryNode, compilation: Compilation): Part {
  const left = compileNode(node.left, compilation);
  const right = compileNode(node.right, compilation);
  remarkOnComparison(left, right, node, compilation);
  return made(binaryRun(node, left.run, right.run, compilation), [left, right], null, kindOf(node));
}

function kindOf({ operator }: BinaryNode): StaticKind {
  return Object.hasOwn(arithmetic, operator) ? 'number' : 'boolean';
}

function binaryRun(node: BinaryNode, left: Evaluate, right: Evaluate, { language }: Compilation): Evaluate {
  const { shapes } = language;
  switch (node.operator) {
    case 'and':
      return (subject, answer) => booleanOf(left(subject, answer)) && booleanOf(right(subject, answer));
    case 'or':
      return (subject, answer) => booleanOf(left(subject, answer)) || booleanOf(right(subject, answer));
    case '+':
    case '-':
    case '*':
    case '/':
    case '%': {
      const operation = arithmetic[node.operator];
      return (subject, answer) => operation(left(subject, answer), right(subject, answer));
    }
    default: {
      const comparison = comparisons[node.operator];
      return (subject, answer) => comparison(left(subject, answer), right(subject, answer), shapes);
    }
  }
}

function compileJoined(node: JoinedNode, compilation: Compilation): Part {
  const { shapes } = compilation.language;
  const parts = node.parts.map((part) => compileNode(part, compilation));
  return made(
    (subject, answer) => {
      let text = '';
      for (const part of parts) {
        text += textOf(part.run(subject, answer), shapes);
        notTooLong(text.length);
      }
      return text;
    },
    parts,
    null,
    'text',
  );
}
