import { didYouMean } from '../../contract/did-you-mean.ts';
import { type ListenerLimits, listenerLimits } from '../../dataplane/engine/head/limits.ts';
import { queryRules } from '../../dataplane/engine/head/query.ts';
import { trailerRules } from '../../dataplane/engine/head/trailers.ts';
import type { Reading } from '../commands/command.ts';
import { readDuration } from './duration.ts';

const names = Object.keys(listenerLimits.shape);
const isTime = (name: string): boolean => /(Timeout|Grace)$/.test(name);
/** The limits that are words, and their words. */
const words: Readonly<Record<string, readonly string[]>> = { queries: queryRules, trailers: trailerRules };

/** Reads `bodyBytes=1048576,headTimeout=5s`, or the word `default`; docs/limits.md lists the names. */
export function readLimits(text: string): Reading<Partial<ListenerLimits>> {
  if (text === 'default') return { value: {} };
  const given: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const part of text.split(',')) {
    const equals = part.indexOf('=');
    const name = part.slice(0, Math.max(0, equals)).trim();
    const value = readValue(name, part.slice(equals + 1).trim());
    if (equals < 0) problems.push(`'${part}' is not NAME=VALUE`);
    else if (!names.includes(name)) problems.push(unknown(name));
    else if ('problem' in value) problems.push(`${name} ${value.problem}`);
    else given[name] = value.value;
  }
  const judged = listenerLimits.partial().safeParse(given);
  if (!judged.success)
    for (const issue of judged.error.issues) problems.push(`${issue.path.join('.')}: ${issue.message}`);
  return problems.length > 0 ? { problem: `has problems: ${problems.join('; ')}` } : { value: given };
}

function readValue(name: string, text: string): Reading<unknown> {
  const known = words[name];
  if (known?.includes(text) === true) return { value: text };
  if (known !== undefined) return { problem: `must be one of ${known.join(', ')}, not '${text}'` };
  if (text === 'true' || text === 'false') return { value: text === 'true' };
  if (/^\d+$/.test(text)) return { value: Number(text) };
  return isTime(name) ? readDuration(text) : { problem: `must be a number, true or false, not '${text}'` };
}

function unknown(name: string): string {
  const meant = didYouMean(name, names);
  return `there is no limit '${name}'${meant === undefined ? `; there are ${names.join(', ')}` : `; did you mean '${meant}'?`}`;
}
