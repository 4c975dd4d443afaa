import { skipBlank, skipScalar, skipString } from '../../contract/document/json-place.ts';
import type { Step } from '../../contract/problem.ts';
import type { TextItem, TextNode } from './text-node.ts';

/** Returns the values of a JSON text without faults, with their places. */
export function jsonTree(text: string): TextNode {
  return read(skipBlank(text, 0));

  function read(from: number): TextNode {
    const first = text[from];
    if (first === '{' || first === '[') return collection(from, first === '{');
    const to = first === '"' ? skipString(text, from) : skipScalar(text, from);
    return { kind: 'scalar', from, to, isBlock: false, items: [] };
  }

  function collection(from: number, isObject: boolean): TextNode {
    const items: TextItem[] = [];
    const close = isObject ? '}' : ']';
    let at = skipBlank(text, from + 1);
    while (text[at] !== close && at < text.length) {
      const keyEnd = isObject ? skipString(text, at) : at;
      const valueFrom = isObject ? skipBlank(text, keyEnd) + 1 : at;
      const node = read(skipBlank(text, valueFrom));
      const step: Step = isObject ? (JSON.parse(text.slice(at, keyEnd)) as string) : items.length;
      items.push({ step, from: at, valueFrom, to: node.to, node });
      at = skipBlank(text, node.to);
      if (text[at] === ',') at = skipBlank(text, at + 1);
    }
    return { kind: isObject ? 'object' : 'array', from, to: at + 1, isBlock: false, items };
  }
}
