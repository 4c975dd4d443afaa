import { isCredentialName } from '../../../contract/hiding/credential-names.ts';
import { percentDecoded } from '../../../contract/percent-decoded.ts';
import { parseCookies } from '../../engine/head/cookies.ts';
import { headerText } from '../../engine/head/header-text.ts';
import type { Headers } from '../../engine/head/headers.ts';
import { receivedLine } from '../../engine/head/received-lines.ts';
import { jsonText } from './json-text.ts';
import { MOST_NAMES, type NamePlan, recordedValue } from './name-plan.ts';

/** The parameters of a query that a plan records, decoded, as the members of a JSON object. */
export function queryMembers(query: string | null, plan: NamePlan): string {
  if (query === null || query === '' || (!plan.everything && plan.names.length === 0)) return '';
  const found = new Map<string, (string | null)[]>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decoded(equals < 0 ? pair : pair.slice(0, equals));
    if (!plan.records(name)) continue;
    const value = equals < 0 ? null : decoded(pair.slice(equals + 1));
    const values = found.get(name);
    if (values !== undefined) values.push(value);
    else if (found.size < MOST_NAMES) found.set(name, [value]);
  }
  const text = (value: string | null): string => (value === null ? 'null' : jsonText(recordedValue(value)));
  return [...found].map(([name, values]) => `${jsonText(name)}:[${values.map(text).join()}]`).join();
}

/** The cookies of a request that a plan records; the last of several with the same name. */
export function cookieMembers(headers: Headers, plan: NamePlan): string {
  if (!plan.everything && plan.names.length === 0) return '';
  const lines: string[] = [];
  for (let line = receivedLine(headers, 'cookie'); line >= 0; ) {
    lines.push(headers.valueAt(line));
    line = receivedLine(headers, 'cookie', line);
  }
  if (lines.length === 0) return '';
  return [...parseCookies(lines)]
    .filter(([name]) => !name.startsWith('$') && plan.records(name))
    .slice(0, MOST_NAMES)
    .map(([name, values]) => `${jsonText(headerText(name))}:${jsonText(recordedValue(headerText(values.at(-1)!)))}`)
    .join();
}

/** A path without the values of parameters that usually carry credentials, such as `;jsessionid=…`, and without users in front of hosts. */
export function recordedPath(path: string): string {
  return recordedValue(path.includes(';') ? path.replaceAll(/;([^;/=]*)=[^;/]*/g, withoutCredential) : path);
}

function withoutCredential(parameter: string, name: string): string {
  return isCredentialName(percentDecoded(name)) ? `;${name}=` : parameter;
}

function decoded(text: string): string {
  return percentDecoded(text.replaceAll('+', ' '));
}
