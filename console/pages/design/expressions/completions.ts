import type { ShownLanguage, ShownName } from '../../../../contract/shown/shown-catalogue.ts';

/** A name that can be written at a place of an expression. */
export interface Completion {
  readonly name: string;
  /** Signature of a function, or the kind of value. */
  readonly detail: string;
  readonly description: string;
  /** Text that takes the place of the begun name. */
  readonly text: string;
}

/** Names for a place, and where the begun name starts. */
export interface Completions {
  readonly from: number;
  readonly found: readonly Completion[];
}

const NOTHING: Completions = { from: 0, found: [] };
const MOST = 12;

/** A name with the steps before it, at the end of a text: `request.uri.pa`, `contexts['oauth2'].`. */
const STEPS = /([A-Za-z_]\w*)((?:\s*\.\s*\w+|\s*\[[^\][]*\])*)(\s*\.\s*(\w*))?$/;

/** Returns the names that can follow at a place of a text; none outside of `${…}` and within quotes. */
export function completionsAt(text: string, caret: number, language: ShownLanguage): Completions {
  const inside = expressionBefore(text, caret);
  if (inside === null) return NOTHING;
  const steps = STEPS.exec(inside);
  if (steps === null) return { from: caret, found: beginnings(language, '') };
  const [, root = '', path = '', dot, begun = ''] = steps;
  if (dot === undefined && path !== '') {
    const last = /^(.*?)\.\s*(\w+)$/s.exec(path);
    if (last === null) return NOTHING;
    return membersOf(shapeAt(language, root, last[1]!), last[2]!, caret);
  }
  if (dot === undefined) return { from: caret - root.length, found: beginnings(language, root) };
  return membersOf(shapeAt(language, root, path), begun, caret);
}

/** Returns the help for the name around a place of a text; null for none. */
export function helpAt(text: string, caret: number, language: ShownLanguage): Completion | null {
  let end = caret;
  while (/\w/.test(text[end] ?? '')) end++;
  const { from, found } = completionsAt(text, end, language);
  const name = text.slice(from, end);
  return name === '' ? null : (found.find((one) => one.name === name) ?? null);
}

/** The text of the expression before a place; null outside of one and within a quoted text. */
function expressionBefore(text: string, caret: number): string | null {
  let start: number | null = null;
  let quote: string | null = null;
  let depth = 0;
  for (let at = 0; at < caret; at++) {
    const sign = text[at]!;
    if (start === null) {
      if ((sign === '$' || sign === '#') && text[at + 1] === '{' && at + 1 < caret) {
        start = at + 2;
        at++;
      }
    } else if (quote !== null) {
      if (sign === '\\') at++;
      else if (sign === quote) quote = null;
    } else if (sign === "'" || sign === '"') quote = sign;
    else if (sign === '{') depth++;
    else if (sign === '}') {
      if (depth === 0) start = null;
      else depth--;
    }
  }
  return start === null || quote !== null ? null : text.slice(start, caret);
}

function beginnings({ roots, functions }: ShownLanguage, begun: string): readonly Completion[] {
  const names = roots.map((root) => completionOf(root));
  const calls = functions
    .filter(({ instead }) => instead === undefined)
    // Functions that few documents may call come last.
    .sort((a, b) => Number(a.operatorOnly ?? false) - Number(b.operatorOnly ?? false))
    .map(({ name, signature, description }) => ({
      name,
      detail: signature,
      description: `Returns ${description}.`,
      text: `${name}(`,
    }));
  return matching([...names, ...calls], begun);
}

function membersOf(members: readonly ShownName[], begun: string, caret: number): Completions {
  return { from: caret - begun.length, found: matching(members.map(completionOf), begun) };
}

/** Follows steps such as `.uri` and `['oauth2']` to the kind of object at their end. */
function shapeAt({ roots, shapes }: ShownLanguage, root: string, path: string): readonly ShownName[] {
  let shape = roots.find(({ name }) => name === root)?.shape;
  for (const [, member, quoted] of path.matchAll(/\.\s*(\w+)|\[\s*['"]([^'"]*)['"]\s*\]|\[[^\]]*\]/g)) {
    const name = member ?? quoted;
    shape = shape === undefined ? undefined : shapes[shape]?.find((one) => one.name === name)?.shape;
  }
  return shape === undefined ? [] : (shapes[shape] ?? []);
}

function completionOf({ name, description, kind, shape }: ShownName): Completion {
  const isMethod = kind === 'method';
  return {
    name,
    detail: isMethod ? `${name}(…)` : (kind ?? shape ?? ''),
    description,
    text: isMethod ? `${name}(` : name,
  };
}

/** Names that begin with a text come first, then those that contain it. */
function matching(all: readonly Completion[], begun: string): readonly Completion[] {
  const word = begun.toLowerCase();
  const starting = all.filter(({ name }) => name.toLowerCase().startsWith(word));
  const containing = all.filter((one) => !starting.includes(one) && one.name.toLowerCase().includes(word));
  return [...starting, ...(word === '' ? [] : containing)].slice(0, MOST);
}
