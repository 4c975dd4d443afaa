import { didYouMean } from '../did-you-mean.ts';
import type { Compilation } from './compilation.ts';
import type { Shape } from './language.ts';
import type { Part } from './part.ts';
import { kindNames } from './static-kind.ts';
import type { BinaryNode, SyntaxNode } from './syntax.ts';

type Remarks = Compilation['remarks'];

/** Remarks that a key leads nowhere, whatever the exchange is. Where only a run can tell, nothing is said. */
export function remarkOnKey({ shape, kind }: Part, key: string, { remarks }: Compilation): void {
  if (shape !== null) {
    if (shape.entries !== undefined) return;
    remark(remarks, `'${shape.name}' has no property '${key}', which is always null`, propertyHint(shape, key));
  } else if (kind === 'text' || kind === 'number' || kind === 'boolean') {
    remark(remarks, `${kindNames[kind]} has no property '${key}', which is always null`);
  } else if (kind === 'list' && !/^[+-]?\d+$/.test(key)) {
    const hint = `take one of its items first: [0].${key}`;
    remark(remarks, `a list has no property '${key}', which is always null`, hint);
  }
}

/** Remarks that a comparison never does what it says, because no value of the one side is like one of the other. */
export function remarkOnComparison(left: Part, right: Part, node: BinaryNode, { remarks }: Compilation): void {
  if (!COMPARISONS.has(node.operator)) return;
  const isEquality = node.operator === '==' || node.operator === '!=';
  for (const [part, other, written] of [
    [left, right, pathOf(node.left)],
    [right, left, pathOf(node.right)],
  ] as const) {
    if (part.kind === 'list' && ((isEquality && isOtherText(other)) || other.kind === 'number')) {
      const path = written ?? 'the list';
      const what = isEquality ? `equals no ${other.kind}` : `compares with no ${other.kind}`;
      remark(remarks, `${path} is a list, which ${what}`, `compare an item of it: ${path}[0]`);
    } else if (part.shape !== null && (other.kind === 'number' || (isEquality && isDigits(other)))) {
      remarkOnNumber(part.shape, written, isEquality, remarks);
    } else if (isEquality && written === HOST && typeof other.value === 'string') remarkOnHost(other.value, remarks);
  }
}

const COMPARISONS: ReadonlySet<string> = new Set(['==', '!=', '<', '>', '<=', '>=']);

/** The host of a request, which has one spelling. */
const HOST = 'request.uri.host';

/** A host in another spelling than its one never equals that of a request, and the route would take no traffic. */
function remarkOnHost(text: string, remarks: Remarks): void {
  const plain = text.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
  if (plain === text && /^[\x21-\x7e]*$/.test(text)) return;
  const hint = /^[\x21-\x7e]*$/.test(plain) ? `compare it with '${plain}'` : 'write labels of other scripts as xn--…';
  remark(remarks, `${HOST} never is '${text}': it is in lower case, without a port or a dot at the end`, hint);
}

/** An object is not a number, but may have one. */
function remarkOnNumber(shape: Shape, written: string | null, isEquality: boolean, remarks: Remarks): void {
  const path = written ?? `the ${shape.name}`;
  const [number] = Object.entries(shape.properties).find(([, { kind }]) => kind === 'number') ?? [];
  const hint = number === undefined ? undefined : `compare ${path}.${number}`;
  remark(remarks, `${path} is an object, which ${isEquality ? 'equals' : 'compares with'} no number`, hint);
}

/** A text that begins as the text of a list does may be meant as one. */
function isOtherText({ kind, value }: Part): boolean {
  return kind === 'text' && !(typeof value === 'string' && value.startsWith('['));
}

/** The text of a number is meant as one. */
function isDigits({ value }: Part): boolean {
  return typeof value === 'string' && /^\d+$/.test(value);
}

function propertyHint({ properties }: Shape, key: string): string {
  const names = Object.keys(properties);
  const meant = didYouMean(key, names) ?? inner(properties, key);
  return meant === undefined ? `it has ${names.join(', ')}` : `did you mean '${meant}'?`;
}

/** `host` belongs to what `uri` holds. */
function inner(properties: Shape['properties'], key: string): string | undefined {
  const holder = Object.entries(properties).find(
    ([, { shape }]) => shape !== undefined && Object.hasOwn(shape.properties, key),
  );
  return holder === undefined ? undefined : `${holder[0]}.${key}`;
}

function pathOf(node: SyntaxNode): string | null {
  if (node.kind === 'root') return node.name;
  if (node.kind !== 'access' || node.key.kind !== 'literal') return null;
  const base = pathOf(node.base);
  const { value } = node.key;
  if (base === null || typeof value !== 'string') return null;
  return /^[A-Za-z_]\w*$/.test(value) ? `${base}.${value}` : `${base}['${value}']`;
}

function remark(remarks: Remarks, message: string, hint?: string): void {
  remarks.set(message, hint === undefined ? { message } : { message, hint });
}
