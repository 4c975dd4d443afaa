import { answerCrest } from '../../../contract/crest/answer-crest.ts';
import type { CrestAnswer } from '../../../contract/crest/crest-answer.ts';
import type { CrestEndpoint } from '../../../contract/crest/provider.ts';
import { differenceLines } from '../audit/rows/difference-lines.ts';
import { comparableAnswer, comparableObserved, cookieIn } from './comparable-answer.ts';
import { wantedDifference } from './crest-differences.ts';
import type { CrestRow, Fixtures, ObservedRequest } from './crest-rows.ts';
import { echoEndpoint, singleEndpoint, versionedEndpoint } from './echo-endpoint.ts';
import { MemoryCollection } from './memory-collection.ts';

export interface CrestReplay {
  readonly verdict: 'same' | 'wanted' | 'different';
  /** Reasons of wanted differences, or the differences of all steps. */
  readonly lines: readonly string[];
}

/** Sends the requests of a row to fresh collections and compares the answers. */
export async function replayCrest(row: CrestRow, fixtures: Fixtures): Promise<CrestReplay> {
  const state = Object.fromEntries(row.state.map((name) => [name, fixtures[name]!]));
  const endpoints: Readonly<Record<string, CrestEndpoint>> = {
    users: { kind: 'collection', provider: new MemoryCollection(state).provider },
    echo: echoEndpoint,
    single: singleEndpoint,
    versioned: versionedEndpoint,
  };
  const cookies = new Map<string, string>();
  const reasons: string[] = [];
  const different: string[] = [];
  for (const step of row.steps) {
    const { request, response } = step;
    const answer = await answerOf(endpoints, request, withCookies(request.path, cookies));
    const ours = comparableAnswer(answer, request);
    const observed = comparableObserved(response, request);
    // of a long body only the beginning is known
    const isCut = response.bodyStart !== undefined;
    const lines = differenceLines(isCut ? { ...observed, body: ours['body']! } : observed, ours);
    const [theirCookie, ourCookie] = [cookieIn(response.body), cookieIn(String(answer.body))];
    if (theirCookie !== null && ourCookie !== null) cookies.set(theirCookie, ourCookie);
    if (lines.length === 0) continue;
    const why = wantedDifference(row, step, ours, lines);
    if (why === null) different.push(`${request.method} ${request.path.slice(0, 100)}`, ...lines);
    else reasons.push(why);
  }
  if (different.length > 0) return { verdict: 'different', lines: different };
  return reasons.length > 0 ? { verdict: 'wanted', lines: reasons } : { verdict: 'same', lines: [] };
}

/** Puts our cookies in the place of those that the framework gave. */
function withCookies(path: string, cookies: ReadonlyMap<string, string>): string {
  let result = path;
  for (const [theirs, ours] of cookies) result = result.replace(encodeURIComponent(theirs), encodeURIComponent(ours));
  return result;
}

async function answerOf(
  endpoints: Readonly<Record<string, CrestEndpoint>>,
  { method, headers, body, bodyBase64 }: ObservedRequest,
  target: string,
): Promise<CrestAnswer> {
  const [, name = '', path = '', query = ''] = /^\/?([^/?]*)([^?]*)(?:\?(.*))?$/s.exec(target) ?? [];
  const endpoint = Object.hasOwn(endpoints, name) ? endpoints[name] : undefined;
  if (endpoint === undefined) return { status: 404, headers: {}, body: '' };
  const header = (wanted: string): string | null => {
    const line = headers.find((one) => one.toLowerCase().startsWith(`${wanted}:`));
    return line === undefined ? null : line.slice(wanted.length + 1).trim();
  };
  const url = `http://gw.test/api/${name}`;
  const bytes = bodyBase64 === undefined ? Buffer.from(body ?? '') : Buffer.from(bodyBase64, 'base64');
  try {
    return await answerCrest(endpoint, { method, path, query, header, body: bytes, url });
  } catch {
    return { status: 500, headers: {}, body: '' };
  }
}
