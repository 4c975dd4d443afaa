import { z } from 'zod';
import type { Path, ProblemCode } from '../problem.ts';

/** Adds a problem at a path from the object on. */
export type AddBreach = (path: Path, message: string, code?: ProblemCode, hint?: string) => void;

/**
 * A check of rules about some fields of an object. It runs whenever these fields are sound, so that problems of other
 * fields do not hide those that it finds.
 */
export function rulesAbout<T extends object>(
  fields: readonly (keyof T & string)[],
  judge: (value: T, add: AddBreach, isSound: (path: Path) => boolean) => void,
): z.core.$ZodCheck<T> {
  const names: ReadonlySet<unknown> = new Set(fields);
  return z.core._check<T>(
    ({ value, issues }) => {
      const unsound = issues.filter(makesUnsound);
      const add = (path: Path, message: string, code: ProblemCode = 'value', hint?: string): void => {
        const params = { code, ...(hint === undefined ? {} : { hint }) };
        issues.push({ code: 'custom', message, input: value, path: [...path], params, continue: true });
      };
      judge(value, add, (path) => !unsound.some((issue) => path.every((step, at) => issue.path?.[at] === step)));
    },
    {
      when: ({ value, issues }) =>
        isObject(value) && !issues.some((issue) => makesUnsound(issue) && names.has(issue.path?.[0])),
    },
  );
}

/** A value that breaks only a rule has its type. */
function makesUnsound(issue: z.core.$ZodRawIssue): boolean {
  return issue.continue !== true;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
