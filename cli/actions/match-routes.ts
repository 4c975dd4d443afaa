import { printable } from '../../contract/document/printable-text.ts';
import type { AskedRouter, TriedRoute } from '../../contract/shown/explanation.ts';
import type { Snapshot } from '../../controller/compile/snapshot.ts';
import type { AskedRequest } from '../../controller/manage/explained-request.ts';
import { explainRequest } from './explain-request.ts';
import type { Instance } from './open-instance.ts';

/** Returns lines with the result of each condition for a request, router by router, up to the route that takes it. */
export async function matchLines(snapshot: Snapshot, instance: Instance, request: AskedRequest): Promise<string[]> {
  const setting = { reach: instance.reach, prefix: instance.admin.settings?.prefix ?? 'openig' };
  const { refusal, routers } = await explainRequest(snapshot, setting, request);
  const head = `${request.method} ${request.uri}`;
  if (refusal !== null) return [head, refusal];
  return routers.length === 0 ? [head, 'there are no routes'] : [head, ...routers.flatMap(routerLines)];
}

function routerLines({ router, tried, route, otherwise, notTried }: AskedRouter): string[] {
  const width = Math.max(0, ...tried.map(({ name }) => name.length));
  const lines = [`router ${router}`, ...tried.map((one) => routeLine(one, width))];
  if (route === null) {
    const answer = otherwise === 'default-handler' ? "the router's default handler answers" : '404';
    return [...lines, `  no route matches: ${answer}`];
  }
  if (tried.at(-1)?.refuses === true) lines.push('  it is not valid and rejects the request with 500');
  const { claims, answers } = tried.at(-1)!;
  if (claims === true) lines.push('  it claims the path, whatever its condition says');
  if (answers !== undefined) {
    lines.push(printable(`  its filter ${answers.name ?? answers.type} answers the request itself (${answers.field})`));
  }
  if (notTried > 0) lines.push(`  ${notTried} later route${notTried === 1 ? ' is' : 's are'} not tried`);
  return lines;
}

function routeLine({ name, condition, verdict, reason }: TriedRoute, width: number): string {
  const outcome = verdict === null ? 'no value' : String(verdict);
  const why = reason === undefined ? '' : `  (${reason})`;
  const mark = verdict === true ? '→' : ' ';
  return printable(`${mark} ${name.padEnd(width)}  ${outcome.padEnd(8)}  ${condition ?? 'every request'}${why}`);
}
