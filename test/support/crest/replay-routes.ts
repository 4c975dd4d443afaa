import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import { differenceLines } from '../audit/rows/difference-lines.ts';
import type { ObservedStep } from './crest-rows.ts';
import { type ManagedGateway, manageInstance } from './managed-gateway.ts';
import type { CrestReplay } from './replay-crest.ts';
import { wantedRouteDifference } from './routes-differences.ts';

/** A row of test/vectors/routes-rest-observed.jsonl. */
export interface RoutesRow {
  readonly id: string;
  readonly case: string;
  readonly steps: readonly ObservedStep[];
}

export function routesRows(text: string): RoutesRow[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as RoutesRow);
}

/** Sends the requests of a row to a gateway without routes and compares the answers. */
export async function replayRoutes(row: RoutesRow): Promise<CrestReplay> {
  const gateway = await manageInstance({
    'config/config.json': { handler: { type: 'Router', name: '_router', config: { scanInterval: 'disabled' } } },
    'config/routes/.keep': '',
  });
  const reasons: string[] = [];
  const different: string[] = [];
  try {
    for (const step of row.steps) {
      const { request, response } = step;
      const { method, path } = request;
      const ours = await answerOf(gateway, step);
      const renamed = (response.body ?? '').replace(/^\{"result":/, '{"results":');
      const observed = comparable(response.status, renamed, path);
      const lines = differenceLines(observed, ours);
      if (lines.length === 0) continue;
      const why = wantedRouteDifference(step, ours['status'] as number);
      if (why === null) different.push(`${method} ${path}`, ...lines);
      else reasons.push(why);
    }
  } finally {
    await gateway.close();
  }
  if (different.length > 0) return { verdict: 'different', lines: different };
  return reasons.length > 0 ? { verdict: 'wanted', lines: [...new Set(reasons)] } : { verdict: 'same', lines: [] };
}

async function answerOf(gateway: ManagedGateway, { request }: ObservedStep): Promise<JsonObject> {
  const { method, path, headers, body } = request;
  if (!path.startsWith('/openig')) {
    const { status, text } = await gateway.get(path);
    return comparable(status, text, path);
  }
  const pairs = headers.map((line) => line.split(/:\s*/, 2) as [string, string]);
  const sent = Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]));
  const local = body?.replaceAll('<dir>', `${gateway.path}/config`);
  const { status, text } = await gateway.send(`${method} ${path}`, local === '' ? undefined : local, sent);
  return comparable(status, text.replaceAll(`${gateway.path}/config`, '<dir>'), path);
}

/** Messages, revisions and the values of `info` may differ. */
function comparable(status: number, text: string, path: string): JsonObject {
  const value = jsonIn(text);
  if (!isJsonObject(value)) return { status, body: value };
  const { _rev, message, cause, detail, ...rest } = value;
  if (path.includes('/api/info') && 'version' in rest) return { status, body: Object.keys(rest) };
  if (!Array.isArray(rest['results'])) return { status, body: rest };
  const results = (rest['results'] as readonly JsonObject[]).map(({ _rev: _, ...one }) => one);
  return { status, body: { ...rest, results } };
}

function jsonIn(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text.trimEnd();
  }
}
