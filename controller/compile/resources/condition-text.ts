import { printable } from '../../../contract/document/printable-text.ts';
import { type Path, type Problem, pathText } from '../../../contract/problem.ts';
import type { ReferenceFault } from './reference-fault.ts';

/** The API takes up to 32 KiB in a message; nobody reads that much. */
const MOST_CHARACTERS = 4096;
const LONGEST_PART = 1024;

/** Message of a condition: every problem with its path into the resource, then the effect. */
export function conditionText(parts: readonly string[], outcome: string | null): string {
  const kept: string[] = [];
  let room = MOST_CHARACTERS - (outcome?.length ?? 0) - 32;
  for (const text of parts) {
    const part = printable(shortened(text));
    room -= part.length + 2;
    if (room < 0 && kept.length > 0) break;
    kept.push(part);
  }
  const left = parts.length - kept.length;
  return [
    ...kept,
    ...(left > 0 ? [`… and ${left} more ${left === 1 ? 'problem' : 'problems'}`] : []),
    ...(outcome === null ? [] : [outcome]),
  ].join('; ');
}

export function problemPart({ path, message, hint }: Problem): string {
  return `${specPath(path)}: ${message}${hint === undefined ? '' : ` (${hint})`}`;
}

export function faultPart({ path, message }: Pick<ReferenceFault, 'path' | 'message'>): string {
  return `${specPath(path)}: ${message}`;
}

function specPath(path: Path): string {
  return pathText(['spec', ...path]);
}

function shortened(text: string): string {
  return text.length <= LONGEST_PART ? text : `${text.slice(0, LONGEST_PART - 1)}…`;
}
