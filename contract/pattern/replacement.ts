import { ValueProblem } from '../problem.ts';

/** A template in parts: text as it is, and numbers of groups. */
export type Replacement = readonly (string | number)[];

/** Reads a replacement as Java does: `$1` and `${name}` are groups, `\` takes the next character as it is. */
export function readReplacement(template: string, groupCount: number, names: ReadonlyMap<string, number>): Replacement {
  const parts: (string | number)[] = [];
  let text = '';
  for (let at = 0; at < template.length; ) {
    const character = template[at]!;
    if (character === '\\') {
      if (at + 1 === template.length) throw problem(template, 'it ends with a \\ that escapes nothing');
      text += template[at + 1]!;
      at += 2;
    } else if (character === '$') {
      const { group, end } = readGroup(template, at + 1, groupCount, names);
      parts.push(text, group);
      text = '';
      at = end;
    } else {
      text += character;
      at++;
    }
  }
  parts.push(text);
  return parts;
}

function readGroup(
  template: string,
  start: number,
  groupCount: number,
  names: ReadonlyMap<string, number>,
): { group: number; end: number } {
  const name = /^\{([A-Za-z][A-Za-z0-9]*)\}/.exec(template.slice(start))?.[1];
  if (name !== undefined) {
    const group = names.get(name);
    if (group === undefined) throw problem(template, `the pattern has no group '${name}'`);
    return { group, end: start + name.length + 2 };
  }
  const digit = template[start] ?? '';
  if (!/^[0-9]$/.test(digit)) throw problem(template, 'after a $ comes the number of a group or its {name}');
  let group = Number(digit);
  if (group > groupCount) throw problem(template, `the pattern has no group ${group}`);
  let end = start + 1;
  // More digits belong to the number as long as there is such a group.
  while (/^[0-9]$/.test(template[end] ?? '') && group * 10 + Number(template[end]) <= groupCount) {
    group = group * 10 + Number(template[end]);
    end++;
  }
  return { group, end };
}

function problem(template: string, message: string): ValueProblem {
  return new ValueProblem(
    'pattern',
    `the replacement '${template}' is not usable: ${message}`,
    'write \\$ for a dollar',
  );
}
