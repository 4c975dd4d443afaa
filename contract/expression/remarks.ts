import { didYouMean } from '../did-you-mean.ts';
import type { Compilation } from './compile.ts';
import type { Shape } from './language.ts';
import type { Part } from './part.ts';
import { kindNames } from './static-kind.ts';
import type { BinaryNode, SyntaxNode } from './syntax.ts';

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

/** Remarks that a list is compared with a text, which are never equal. */
export function remarkOnComparison(left: Part, right: Part, node: BinaryNode, { remarks }: Compilation): void {
  if (!isListAndText(left, right) && !isListAndText(right, left)) return;
  const list = left.kind === 'list' ? node.left : node.right;
  const written = pathOf(list) ?? 'the list';
  remark(remarks, `${written} is a list, which equals no text`, `compare an item of it: ${written}[0]`);
}

/** A text that begins as the text of a list does may be meant as one. */
function isListAndText(list: Part, text: Part): boolean {
  return (
    list.kind === 'list' && text.kind === 'text' && !(typeof text.value === 'string' && text.value.startsWith('['))
  );
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

function remark(remarks: Compilation['remarks'], message: string, hint?: string): void {
  remarks.set(message, hint === undefined ? { message } : { message, hint });
}
