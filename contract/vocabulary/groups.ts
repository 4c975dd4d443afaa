import type { z } from 'zod';
import type { ProblemCode } from '../problem.ts';
import { rulesAbout } from './rules-about.ts';
import type { SchemaNode } from './schema-tree.ts';

/** A rule about several fields of one object, and how a page states it. */
const rules = new WeakMap<object, string>();

type Fields = Record<string, unknown>;
type Check = z.core.$ZodCheck<Fields>;

/** At most one of these fields may be given. */
export function exclusive(...names: readonly string[]): Check {
  return rule(names, `Use at most one of ${listed(names)}.`, (fields) => {
    const given = names.filter((name) => fields[name] !== undefined);
    if (given.length < 2) return null;
    return { code: 'exclusive', message: `${listed(given)} cannot be given together`, at: given[1]! };
  });
}

/** At least one of these fields must be given. */
export function oneRequired(...names: readonly string[]): Check {
  return rule(names, `One of ${listed(names)} is required.`, (fields) => {
    if (names.some((name) => fields[name] !== undefined)) return null;
    return { code: 'missing', message: `one of ${listed(names)} is required`, at: null };
  });
}

/** Check: a configuration with the first field must also have the second. */
export function needs(name: string, needed: string): Check {
  return rule([name, needed], `'${name}' needs '${needed}'.`, (fields) => {
    if (fields[name] === undefined || fields[needed] !== undefined) return null;
    return { code: 'missing', message: `is required: '${name}' needs it`, at: needed };
  });
}

/** The rules that the checks of a node stand for, as sentences. */
export function groupRules({ checks }: SchemaNode): string[] {
  return checks.flatMap((check) => rules.get(check) ?? []);
}

interface Breach {
  readonly code: ProblemCode;
  readonly message: string;
  readonly at: string | null;
}

function rule(names: readonly string[], sentence: string, judge: (fields: Fields) => Breach | null): Check {
  const check = rulesAbout<Fields>(names, (fields, add) => {
    const breach = judge(fields);
    if (breach !== null) add(breach.at === null ? [] : [breach.at], breach.message, breach.code);
  });
  rules.set(check, sentence);
  return check;
}

function listed(names: readonly string[]): string {
  const quoted = names.map((name) => `'${name}'`);
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)}`;
}
