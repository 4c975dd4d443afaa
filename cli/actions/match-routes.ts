import type { JsonObject } from '../../contract/document/json-value.ts';
import { printable } from '../../contract/document/printable-text.ts';
import { parseConfig } from '../../contract/vocabulary/parse-config.ts';
import { runtimeFlag } from '../../contract/vocabulary/runtime.ts';
import type { CompiledRoute, Snapshot } from '../../controller/compile/snapshot.ts';
import { judgeTarget, target } from '../../dataplane/engine/head/target.ts';
import type { Exchange } from '../../dataplane/engine/message/exchange.ts';
import { refusals } from '../../dataplane/engine/message/refusal.ts';
import { documentReading } from '../../dataplane/routes/document-reading.ts';
import { operatorReach } from '../../dataplane/unit/operator-reach.ts';
import { describedExchange } from '../output/described-exchange.ts';
import type { Instance } from './open-instance.ts';

/** The request that conditions are asked for. */
export interface AskedRequest {
  readonly method: string;
  readonly uri: string;
  readonly headers: readonly string[];
}

/** Lines with the result of each condition for a request, router by router, up to the route that takes it. */
export function matchLines(snapshot: Snapshot, instance: Instance, request: AskedRequest): string[] {
  const refusal = refusalOf(request);
  if (refusal !== null) return [`${request.method} ${request.uri}`, refusal];
  const exchange = describedExchange(request);
  const { rawPath } = exchange.request.uri;
  const prefix = `/${instance.admin.settings?.prefix ?? 'openig'}`;
  const lines = [`${request.method} ${request.uri}`];
  if (rawPath === prefix || rawPath.startsWith(`${prefix}/`)) {
    lines.push(`no route matches: ${prefix} is the administrative path, which clients never reach`);
    return lines;
  }
  const routers = Map.groupBy(snapshot.routes, ({ router }) => router);
  for (const name of snapshot.defaults) if (!routers.has(name)) routers.set(name, []);
  const isInside = (router: string, route: CompiledRoute): boolean =>
    router.startsWith(`${route.router}.${route.name}.`);
  const ask = (router: string): void => {
    const around = snapshot.routes.filter((route) => isInside(router, route)).map(({ document }) => document);
    const documents = [snapshot.base.document, ...around];
    const taken = matchOne(router, routers.get(router) ?? [], snapshot, documents, instance, exchange, lines);
    if (taken === null) return;
    for (const inner of routers.keys()) if (isInside(inner, taken) && isDirectly(inner, taken, snapshot)) ask(inner);
  };
  const outer = [...routers.keys()].filter((name) => !snapshot.routes.some((route) => isInside(name, route)));
  for (const router of outer) ask(router);
  if (outer.length === 0) lines.push('there are no routes');
  return lines;
}

/** What a listener says of a target before any route is asked; null when it lets it pass. */
function refusalOf({ method, uri }: AskedRequest): string | null {
  const bytes = Buffer.from(`${uri}\0`, 'utf8');
  if (judgeTarget(bytes, 0, bytes.length - 1, method === 'OPTIONS', 'encode')) return null;
  const { status, reason } = refusals[target.refusal];
  return `no route is tried: the request is rejected with ${status} ${target.refusal}, because ${reason}`;
}

/** Whether no route of another router is between a route and a router in it. */
function isDirectly(router: string, route: CompiledRoute, { routes }: Snapshot): boolean {
  const own = `${route.router}.${route.name}.`;
  return !routes.some((other) => other.router.startsWith(own) && router.startsWith(`${other.router}.${other.name}.`));
}

function matchOne(
  router: string,
  routes: readonly CompiledRoute[],
  { defaults }: Snapshot,
  above: readonly JsonObject[],
  instance: Instance,
  exchange: Exchange,
  lines: string[],
): CompiledRoute | null {
  lines.push(`router ${router}`);
  const width = Math.max(0, ...routes.map(({ name }) => name.length));
  for (const [index, route] of routes.entries()) {
    const { outcome, reason } = conditionOf(route, [...above, route.document], instance, exchange);
    const source = route.document['condition'];
    const condition = source === undefined || source === null ? 'every request' : String(source);
    const why = reason === null ? '' : `  (${reason})`;
    const mark = outcome === 'true' ? '→' : ' ';
    lines.push(printable(`${mark} ${route.name.padEnd(width)}  ${outcome.padEnd(8)}  ${condition}${why}`));
    if (outcome !== 'true') continue;
    const later = routes.length - index - 1;
    if (route.refuses === true) lines.push('  it is not valid and rejects the request with 500');
    if (later > 0) lines.push(`  ${later} later route${later === 1 ? ' is' : 's are'} not tried`);
    return route;
  }
  lines.push(`  no route matches: ${defaults.includes(router) ? "the router's default handler answers" : '404'}`);
  return null;
}

function conditionOf(
  { document }: CompiledRoute,
  documents: readonly JsonObject[],
  { reach }: Instance,
  exchange: Exchange,
): { outcome: 'true' | 'false' | 'no value'; reason: string | null } {
  const source = document['condition'];
  if (source === undefined || source === null) return { outcome: 'true', reason: null };
  let reason: string | null = null;
  const failed = (_: string, why: string): void => {
    reason = why;
  };
  const reading = documentReading(operatorReach(reach), documents, failed);
  const value = parseConfig(runtimeFlag(), source, reading, ['condition']).value?.read(exchange, null) ?? null;
  return { outcome: value === null ? 'no value' : value ? 'true' : 'false', reason };
}
