import { codePoints, type Place } from '../syntax/place.ts';
import type { Arguments, Expression, MapItem, Statement, TypeName } from '../syntax/tree.ts';
import { type Emitting, quote } from './emitting.ts';
import { emitExpression } from './expressions.ts';
import { numberValue } from './literals.ts';
import { classOfPath } from './names.ts';
import type { Scope } from './unit.ts';

type Assert = Statement & { kind: 'assert' };

/** With a message: its text, the expression and the variables in it. Without: the source with the values below it. */
export function emitAssert(e: Emitting, node: Assert, scope: Scope): string {
  const isPlain = node.message === null || (node.message.kind === 'literal' && node.message.value === null);
  if (isPlain) return powerAssert(e, node, scope);
  const variables = variablesOf(node.condition)
    .filter((each) => classOfPath(e, each, scope) === null)
    .map((each) => `${quote(`${each.name} = `)},${e.value(each, scope)}`);
  const text = quote(textOf(e, node.condition, scope));
  return `if(!${e.condition(node.condition, scope)})H.assertionFailed(rt,${e.value(node.message, scope)},${text},[${variables.join(',')}]);`;
}

function powerAssert(e: Emitting, node: Assert, scope: Scope): string {
  const kept = e.unit.temporary(scope);
  const { line, column } = node.place;
  // A source of several lines is shown without values, because columns of other lines mean nothing below the first.
  const isOneLine = !node.source.includes('\n');
  const recording: Emitting = {
    ...e,
    value: (each, inner) => {
      const place = isOneLine ? recordedAt(e, each, inner) : null;
      const code = emitExpression(each.kind === 'closure' ? e : recording, each, inner);
      if (place === null || place.line !== line) return code;
      return `H.note(${kept},${codePoints(node.source.slice(0, place.column - column))},${code})`;
    },
    condition: (each, inner) => `rt.truth(${recording.value(each, inner)})`,
  };
  const condition = recording.condition(node.condition, scope);
  return `${kept}=[];if(!${condition})H.powerAssertionFailed(rt,${quote(node.shown)},${kept});`;
}

/** The place in the source below which the value of an expression is shown; null if it is not shown. */
function recordedAt(e: Emitting, node: Expression, scope: Scope): Place | null {
  switch (node.kind) {
    case 'name':
      return classOfPath(e, node, scope) === null ? node.place : null;
    case 'property':
      return classOfPath(e, node, scope) === null ? node.name.place : null;
    case 'call':
      return node.name.place;
    case 'binary':
    case 'type-test':
    case 'index':
      return node.at;
    case 'invoke':
      return node.of.kind === 'closure' ? null : node.place;
    case 'this':
    case 'new':
    case 'unary':
    case 'step':
    case 'coerce':
    case 'ternary':
    case 'pointer':
      return node.place;
    default:
      return null;
  }
}

type Name = Expression & { kind: 'name' };

/** Variables that are operands; those within calls and paths are not shown. */
function variablesOf(node: Expression): Name[] {
  if (node.kind === 'name') return [node];
  if (node.kind === 'binary') return [...variablesOf(node.left), ...variablesOf(node.right)];
  if (node.kind === 'index') return [node.of, ...node.items].flatMap(variablesOf);
  return node.kind === 'unary' && node.operator === '!' ? variablesOf(node.of) : [];
}

/** An expression as Groovy's syntax tree prints it: operators in parentheses, strings without quotes, classes by full name. */
function textOf(e: Emitting, node: Expression, scope: Scope): string {
  const text = (each: Expression): string => textOf(e, each, scope);
  const type = classOfPath(e, node, scope);
  if (type !== null) return type.name;
  switch (node.kind) {
    case 'literal':
      return literalText(node);
    case 'gstring':
      return node.strings
        .map((each, index) => (index === 0 ? each : `\${${text(node.values[index - 1]!)}}${each}`))
        .join('');
    case 'name':
      return node.name;
    case 'this':
    case 'super':
      return node.kind;
    case 'list':
      return `[${node.items.map(text).join(', ')}]`;
    case 'map':
      return `[${node.items.length === 0 ? ':' : itemTexts(node.items, text)}]`;
    case 'range':
      return `(${text(node.from)}..${node.skipsLast ? '<' : ''}${text(node.to)})`;
    case 'closure':
      return node.parameters === null
        ? '{ ... }'
        : `{ ${node.parameters.map(({ name }) => `java.lang.Object ${name}`).join(', ')} -> ... }`;
    case 'property':
      return `${text(node.of)}${{ plain: '.', safe: '?.', spread: '*.' }[node.navigation]}${text(node.name)}`;
    case 'index':
      return `${text(node.of)}[${node.items.map(text).join(', ')}]`;
    case 'call': {
      const dot = { plain: '.', safe: '?.', spread: '*.' }[node.navigation];
      return `${node.of === null ? 'this' : text(node.of)}${dot}${text(node.name)}${argumentsText(node.args, text)}`;
    }
    case 'invoke':
      return `${text(node.of)}.call${argumentsText(node.args, text)}`;
    case 'new':
      return `new ${typeText(e, node.type)}${argumentsText(node.args, text)}`;
    case 'unary':
      return node.operator === '!' ? text(node.of) : `${node.operator}${text(node.of)}`;
    case 'step':
      return node.isPrefix ? `(${node.operator}${text(node.of)})` : `(${text(node.of)}${node.operator})`;
    case 'binary':
      return `(${text(node.left)} ${node.operator} ${text(node.right)})`;
    case 'type-test':
      return `(${text(node.of)} ${node.isNegated ? '!' : ''}instanceof ${typeText(e, node.type)})`;
    case 'coerce':
      return node.isCast
        ? `(${typeText(e, node.type)}) ${text(node.of)}`
        : `${text(node.of)} as ${typeText(e, node.type)}`;
    case 'ternary':
      return `(${text(node.condition)}) ? ${text(node.yes ?? node.condition)} : ${text(node.no)}`;
    default:
      return '';
  }
}

function literalText(node: Expression & { kind: 'literal' }): string {
  if (node.value === null || typeof node.value !== 'object') return String(node.value);
  const value = numberValue(node.value.number, node.place);
  return typeof value === 'number' || typeof value === 'bigint'
    ? String(value)
    : node.value.number.replaceAll('_', '').replace(/[gGdDfF]$/, '');
}

function itemTexts(items: readonly MapItem[], text: (node: Expression) => string): string {
  return items
    .map((item) => ('key' in item ? `${text(item.key)}:${text(item.value)}` : `*:${text(item.spread)}`))
    .join(', ');
}

function argumentsText({ positional, named }: Arguments, text: (node: Expression) => string): string {
  const items = named.length === 0 ? [] : [`[${itemTexts(named, text)}]`];
  return `(${[...items, ...positional.map(text)].join(', ')})`;
}

function typeText(e: Emitting, type: TypeName): string {
  return e.unit.types.resolve(type).name;
}
