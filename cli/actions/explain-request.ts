import { setImmediate } from 'node:timers/promises';
import type { JsonObject, JsonValue } from '../../contract/document/json-value.ts';
import { tenantReach } from '../../contract/reach.ts';
import { HostGrants } from '../../contract/resources/host-grants.ts';
import { parseConfig } from '../../contract/vocabulary/parse-config.ts';
import { runtimeFlag } from '../../contract/vocabulary/runtime.ts';
import type { CompiledRoute, Snapshot } from '../../controller/compile/snapshot.ts';
import type { AskedRequest } from '../../controller/manage/explained-request.ts';
import { judgeTarget, target } from '../../dataplane/engine/head/target.ts';
import type { Exchange } from '../../dataplane/engine/message/exchange.ts';
import { refusals } from '../../dataplane/engine/message/refusal.ts';
import { documentReading } from '../../dataplane/routes/document-reading.ts';
import { type OperatorReach, operatorReach } from '../../dataplane/unit/operator-reach.ts';
import { describedExchange } from '../output/described-exchange.ts';
import { type SeenValue, seenValues } from './seen-values.ts';

/** Surroundings of the routes. */
export interface ExplainSetting {
  readonly reach: OperatorReach;
  /** `prefix` of `admin.json`. */
  readonly prefix: string;
}

/** A route that was asked whether it takes a request. */
export interface TriedRoute {
  readonly id: string;
  readonly name: string;
  /** As written; null where it takes every request. */
  readonly condition: string | null;
  /** Null if the condition has no value, which counts as false. */
  readonly verdict: boolean | null;
  /** Reason why the condition has no value. */
  readonly reason?: string;
  /** Values that the condition read, with stars for credentials. */
  readonly values: readonly SeenValue[];
  /** Set for a route that is not valid and rejects its requests. */
  readonly refuses?: true;
}

/** A router that got a request. */
export interface AskedRouter {
  readonly router: string;
  /** Routes in their order, up to the one that takes the request. */
  readonly tried: readonly TriedRoute[];
  /** Id of the route that takes the request; null for none. */
  readonly route: string | null;
  /** Answer if no route takes the request. */
  readonly otherwise?: 'default-handler' | 'not-found';
  /** Number of later routes. */
  readonly notTried: number;
}

/** Explanation of the way of a request through the routers. */
export interface RequestExplanation {
  /** Reason why no route is asked; null if they are. */
  readonly refusal: string | null;
  /** The outermost router first. */
  readonly routers: readonly AskedRouter[];
}

/** Milliseconds after which others get the thread: there may be thousands of conditions. */
const SLICE = 20;

/** Evaluates the conditions of routes for a request, up to the route that takes it. Filters and handlers do not run. */
export async function explainRequest(
  snapshot: Snapshot,
  setting: ExplainSetting,
  request: AskedRequest,
): Promise<RequestExplanation> {
  const refusal = refusalOf(request);
  if (refusal !== null) return { refusal, routers: [] };
  const exchange = describedExchange(request);
  const { rawPath } = exchange.request.uri;
  const prefix = `/${setting.prefix}`;
  if (rawPath === prefix || rawPath.startsWith(`${prefix}/`)) {
    return {
      refusal: `no route matches: ${prefix} is the administrative path, which clients never reach`,
      routers: [],
    };
  }
  const byRouter = Map.groupBy(snapshot.routes, ({ router }) => router);
  for (const name of snapshot.defaults) if (!byRouter.has(name)) byRouter.set(name, []);
  const routers: AskedRouter[] = [];
  const ask = async (router: string): Promise<void> => {
    const around = snapshot.routes.filter((route) => isInside(router, route)).map(({ document }) => document);
    const routes = ownRoutes(byRouter.get(router) ?? [], snapshot, exchange);
    const documents = [snapshot.base.document, ...around];
    const asked = await askRouter({ router, routes, documents, snapshot, setting, exchange });
    routers.push(asked.answer);
    const { taken } = asked;
    if (taken === null) return;
    for (const inner of byRouter.keys()) {
      if (isInside(inner, taken) && isDirectly(inner, taken, snapshot)) await ask(inner);
    }
  };
  const outer = [...byRouter.keys()].filter((name) => !snapshot.routes.some((route) => isInside(name, route)));
  for (const router of outer) await ask(router);
  return { refusal: null, routers };
}

/** Returns what a listener says of a target before any route is asked; null when it lets it pass. */
function refusalOf({ method, uri }: AskedRequest): string | null {
  const bytes = Buffer.from(`${uri}\0`, 'utf8');
  if (judgeTarget(bytes, 0, bytes.length - 1, method === 'OPTIONS', 'encode')) return null;
  const { status, reason } = refusals[target.refusal];
  return `no route is tried: the request is rejected with ${status} ${target.refusal}, because ${reason}`;
}

function isInside(router: string, route: CompiledRoute): boolean {
  return router.startsWith(`${route.router}.${route.name}.`);
}

/** True if no route of another router is between a route and a router in it. */
function isDirectly(router: string, route: CompiledRoute, { routes }: Snapshot): boolean {
  const own = `${route.router}.${route.name}.`;
  return !routes.some((other) => other.router.startsWith(own) && isInside(router, other));
}

/** Routes of operators and of the tenant that the host belongs to. */
function ownRoutes(routes: readonly CompiledRoute[], { base }: Snapshot, { request }: Exchange): CompiledRoute[] {
  const tenant = new HostGrants(base.trust?.tenants ?? []).tenantOf(request.uri.receivedHost);
  return routes.filter((route) => route.tenant === undefined || route.tenant === tenant);
}

interface RouterQuestion {
  readonly router: string;
  readonly routes: readonly CompiledRoute[];
  /** Documents around the routes, the outermost first. */
  readonly documents: readonly JsonObject[];
  readonly snapshot: Snapshot;
  readonly setting: ExplainSetting;
  readonly exchange: Exchange;
}

async function askRouter(question: RouterQuestion): Promise<{ answer: AskedRouter; taken: CompiledRoute | null }> {
  const { router, routes, snapshot } = question;
  const tried: TriedRoute[] = [];
  let begun = performance.now();
  for (const route of routes) {
    if (performance.now() - begun > SLICE) {
      await setImmediate();
      begun = performance.now();
    }
    const one = askRoute(route, question);
    tried.push(one);
    if (one.verdict !== true) continue;
    return { answer: { router, tried, route: route.id, notTried: routes.length - tried.length }, taken: route };
  }
  const otherwise = snapshot.defaults.includes(router) ? 'default-handler' : 'not-found';
  return { answer: { router, tried, route: null, otherwise, notTried: 0 }, taken: null };
}

function askRoute(route: CompiledRoute, { documents, setting, exchange }: RouterQuestion): TriedRoute {
  const { id, name, document, tenant } = route;
  const source: JsonValue = document['condition'] ?? null;
  const refuses = route.refuses === true ? { refuses: true as const } : {};
  if (source === null) return { id, name, condition: null, verdict: true, values: [], ...refuses };
  let reason: string | null = null;
  const failed = (_: string, why: string): void => {
    reason ??= why;
  };
  const reach = tenant === undefined ? operatorReach(setting.reach) : tenantReach({});
  const reading = documentReading(reach, [...documents, document], failed);
  const expression = parseConfig(runtimeFlag(), source, reading, ['condition']).value;
  const verdict = expression?.read(exchange, null) ?? null;
  const values = expression === undefined ? [] : seenValues(expression, reading, exchange);
  const why = reason === null ? {} : { reason };
  return { id, name, condition: String(source), verdict, ...why, values, ...refuses };
}
