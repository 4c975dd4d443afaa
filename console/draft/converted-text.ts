import { stringify } from 'yaml';
import type { JsonValue } from '../../contract/document/json-value.ts';
import type { DraftFormat, DraftText } from './draft-text.ts';
import { valueAt } from './edited-value.ts';
import { indented } from './piece.ts';
import type { TextNode } from './text-node.ts';

const UNIT = '  ';

/** Returns the text of a document in the other format. Comments stay with the values that they are about. */
export function convertedText({ text, format, value }: DraftText, root: TextNode, to: DraftFormat): string {
  const marker = to === 'json' ? '//' : '#';
  const comments = (from: number, end: number): Comments => commentsIn(text.slice(from, end), format, marker);
  const write = to === 'json' ? jsonLines : yamlLines;

  function linesOf(node: TextNode, shown: JsonValue): string[] {
    const { items } = node;
    if (items.length === 0) return write(null, shown, []);
    let end = node.isBlock ? items[0]!.from : node.from + 1;
    const parts = items.map((item): Part => {
      const above = comments(end, item.from);
      const inside = comments(item.valueFrom, Math.max(item.valueFrom, item.node.from));
      end = item.to;
      const lines = linesOf(item.node, valueAt(shown, [item.step]) ?? null);
      return { key: item.step, above, inside: [...inside.behind, ...inside.own], lines };
    });
    const tail = node.isBlock ? NONE : comments(end, node.to - 1);
    return write(node.kind, shown, parts, tail);
  }

  const head = comments(0, root.from);
  const foot = comments(root.to, text.length);
  const lines = linesOf(root, value);
  const last = `${lines.at(-1)}${behindText(foot)}`;
  return `${[...head.behind, ...head.own, ...lines.slice(0, -1), last, ...foot.own].join('\n')}\n`;
}

interface Comments {
  /** In the line that something before them ends in. */
  readonly behind: readonly string[];
  /** In lines of their own. */
  readonly own: readonly string[];
}

interface Part {
  readonly key: string | number;
  readonly above: Comments;
  readonly inside: readonly string[];
  readonly lines: readonly string[];
}

type Kind = TextNode['kind'];

const NONE: Comments = { behind: [], own: [] };

function jsonLines(kind: Kind | null, value: JsonValue, parts: readonly Part[], tail = NONE): string[] {
  if (kind === null) return [JSON.stringify(value)];
  const inner = parts.flatMap(({ key, above, inside, lines }, at) => {
    const prefix = typeof key === 'number' ? '' : `${JSON.stringify(key)}: `;
    const behind = behindText(parts[at + 1]?.above ?? tail);
    const all = [`${prefix}${lines[0]}`, ...lines.slice(1)];
    const comma = at < parts.length - 1 ? ',' : '';
    return [
      ...(at === 0 ? above.behind : []),
      ...above.own,
      ...inside,
      ...all.slice(0, -1),
      `${all.at(-1)}${comma}${behind}`,
    ];
  });
  const [open, close] = kind === 'array' ? '[]' : '{}';
  return [open!, ...indented([...inner, ...tail.own], UNIT), close!];
}

function yamlLines(kind: Kind | null, value: JsonValue, parts: readonly Part[], tail = NONE): string[] {
  if (kind === null) return yamlText({ k: value }).slice('k: '.length).split('\n');
  const inner = parts.flatMap(({ key, above, inside, lines }, at) => {
    const next = parts[at + 1]?.above ?? tail;
    const isLong = /^[|>][-+\d]*$/.test(lines[0]!);
    const behind = isLong ? '' : behindText(next);
    const moved = isLong ? next.behind : [];
    const written = memberLines(key, valueAt(value, [key]) ?? null, lines);
    const all = [...written.slice(0, -1), `${written.at(-1)}${behind}`];
    return [...(at === 0 ? above.behind : []), ...above.own, ...inside, ...moved, ...all];
  });
  return [...inner, ...tail.own];
}

function memberLines(key: string | number, value: JsonValue, lines: readonly string[]): string[] {
  const isNested = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  if (typeof key === 'string') {
    const name = `${yamlText(key)}:`;
    return isNested ? [name, ...indented(lines, UNIT)] : [`${name} ${lines[0]}`, ...lines.slice(1)];
  }
  const isPlain = isNested && !lines[0]!.startsWith('#');
  if (!isNested || isPlain) return [`- ${lines[0]}`, ...(isNested ? indented(lines.slice(1), UNIT) : lines.slice(1))];
  return ['-', ...indented(lines, UNIT)];
}

function behindText({ behind }: Comments): string {
  return behind.length === 0 ? '' : ` ${behind.join(' ')}`;
}

/** Returns the comments of a part of a text that has no values, with another marker. */
function commentsIn(gap: string, format: DraftFormat, marker: string): Comments {
  const found = [...gap.matchAll(format === 'json' ? /\/\/[^\n\r]*|\/\*.*?\*\//gs : /#[^\n\r]*/g)];
  const behind: string[] = [];
  const own: string[] = [];
  for (const match of found) {
    const lines = match[0]
      .replace(/^\/\/|^\/\*+|\*+\/$|^#/g, '')
      .split('\n')
      .map((line) => line.replace(/^\s*\*\s?/, '').trim());
    const written = lines.filter((line) => line !== '').map((line) => `${marker} ${line}`);
    if (gap.slice(0, match.index).includes('\n') || written.length > 1) own.push(...written);
    else behind.push(...written);
  }
  return { behind, own };
}

function yamlText(value: JsonValue): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd();
}
