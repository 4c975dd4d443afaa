import { setImmediate } from 'node:timers/promises';
import type { JsonObject, JsonValue } from '../../contract/document/json-value.ts';
import { tenantReach } from '../../contract/reach.ts';
import { HostGrants } from '../../contract/resources/host-grants.ts';
import type { AskedRouter, RequestExplanation, SeenValue, TriedRoute } from '../../contract/shown/explanation.ts';
import { parseConfig } from '../../contract/vocabulary/parse-config.ts';
import type { Reading } from '../../contract/vocabulary/reading.ts';
import { runtimeFlag } from '../../contract/vocabulary/runtime.ts';
import type { CompiledRoute, Snapshot } from '../../controller/compile/snapshot.ts';
import { type AskedRequest, type ExplainTerms, withHost } from '../../controller/manage/explained-request.ts';
import { describedExchange } from '../../dataplane/dry-run/described-exchange.ts';
import { seenValues } from '../../dataplane/dry-run/seen-values.ts';
import { judgeTarget, target } from '../../dataplane/engine/head/target.ts';
import type { Exchange } from '../../dataplane/engine/message/exchange.ts';
import { refusals } from '../../dataplane/engine/message/refusal.ts';
import { documentReading } from '../../dataplane/routes/document-reading.ts';
import { type OperatorReach, operatorReach } from '../../dataplane/unit/operator-reach.ts';
import { answeringFilter, claimsPlace } from './own-places.ts';

/** Surroundings of the routes. */
export interface ExplainSetting {
  readonly reach: OperatorReach;
  /** `prefix` of `admin.json`; by default that of the snapshot. */
  readonly prefix?: string;
}

/** Milliseconds after which others get the thread: there may be thousands of conditions. */
const SLICE = 4;

const NO_LIMITS: ExplainTerms = {
  shown: async () => () => true,
  async inTurn(run) {
    await setImmediate();
    return run();
  },
  mostTried: Number.POSITIVE_INFINITY,
};

/** Evaluates the conditions of routes for a request, up to the route that takes it. Filters and handlers do not run. */
export async function explainRequest(
  snapshot: Snapshot,
  setting: ExplainSetting,
  request: AskedRequest,
  terms: ExplainTerms = NO_LIMITS,
): Promise<RequestExplanation> {
  const placed = withHost(request);
  const refusal = refusalOf(placed);
  if (refusal !== null) return { refusal, routers: [] };
  const exchange = exchangeOf(placed);
  if (exchange === null) return { refusal: 'no route is tried: the request has no valid host', routers: [] };
  const { rawPath } = exchange.request.uri;
  const prefix = `/${setting.prefix ?? prefixIn(snapshot)}`;
  if (rawPath === prefix || rawPath.startsWith(`${prefix}/`)) {
    return {
      refusal: `no route matches: ${prefix} is the administrative path, which clients never reach`,
      routers: [],
    };
  }
  const candidates = ownRoutes(snapshot, exchange);
  const isShown = await terms.shown(candidates);
  const own = new Set(candidates);
  const byRouter = Map.groupBy(snapshot.routes, ({ router }) => router);
  for (const name of snapshot.defaults) if (!byRouter.has(name)) byRouter.set(name, []);
  const routers: AskedRouter[] = [];
  const ask = async (router: string): Promise<void> => {
    const around = snapshot.routes.filter((route) => isInside(router, route)).map(({ document }) => document);
    const routes = (byRouter.get(router) ?? []).filter((route) => own.has(route));
    const documents = [snapshot.base.document, ...around];
    const asked = await askRouter({ router, routes, documents, snapshot, setting, exchange, terms, isShown });
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

/** Null for a request that names no host, or several. */
function exchangeOf(request: AskedRequest): Exchange | null {
  if (request.headers.filter((line) => /^host:/i.test(line)).length > 1) return null;
  try {
    return describedExchange(request);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** Returns what a listener says of a target before any route is asked; null when it lets it pass. */
function refusalOf({ method, uri }: AskedRequest): string | null {
  const bytes = Buffer.from(`${uri}\0`, 'utf8');
  if (judgeTarget(bytes, 0, bytes.length - 1, method === 'OPTIONS', 'encode')) return null;
  const { status, reason } = refusals[target.refusal];
  return `no route is tried: the request is rejected with ${status} ${target.refusal}, because ${reason}`;
}

function prefixIn({ base: { admin } }: Snapshot): string {
  return typeof admin?.['prefix'] === 'string' ? admin['prefix'] : 'openig';
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
function ownRoutes({ base, routes }: Snapshot, { request }: Exchange): CompiledRoute[] {
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
  readonly terms: ExplainTerms;
  isShown(route: CompiledRoute): boolean;
}

async function askRouter(question: RouterQuestion): Promise<{ answer: AskedRouter; taken: CompiledRoute | null }> {
  const { router, routes, snapshot, terms, isShown, exchange } = question;
  const shown: JudgedRoute[] = [];
  const asked = new Set<CompiledRoute>();
  const steps = candidates(routes, exchange);
  let leftOut = 0;
  /** Asks some routes. @returns the one that takes the request; null for none, and undefined if there are more */
  const askSome = (): CompiledRoute | null | undefined => {
    const end = performance.now() + SLICE;
    do {
      const { done, value } = steps.next();
      if (done === true) return null;
      if (value === null) continue;
      const { route, claims } = value;
      asked.add(route);
      const judged = claims ? claimingRoute(route, question) : judgeRoute(route, question);
      if (isShown(route)) shown.push(judged);
      if (shown.length > terms.mostTried) leftOut += shown.splice(0, 1).length;
      if (judged.tried.verdict === true) return route;
    } while (performance.now() < end);
    return undefined;
  };
  let taken: CompiledRoute | null | undefined;
  while (taken === undefined) taken = await terms.inTurn(askSome);
  const tried = await terms.inTurn(() => shown.map((one) => ({ ...one.tried, values: one.values() })));
  const notTried = routes.filter((one) => !asked.has(one) && isShown(one)).length;
  const seen = { router, tried, ...(leftOut > 0 && { leftOut }), notTried };
  if (taken !== null) {
    const by = isShown(taken) ? { route: taken.id } : { route: null, anotherRoute: true as const };
    return { answer: { ...seen, ...by }, taken };
  }
  const otherwise = snapshot.defaults.includes(router) ? 'default-handler' : 'not-found';
  return { answer: { ...seen, route: null, otherwise }, taken };
}

interface Candidate {
  readonly route: CompiledRoute;
  /** One of its objects claims the path. */
  readonly claims: boolean;
}

/**
 * Yields routes in the order of a router: of each owner, those that claim the path come before all others. Null stands for
 * a document that was looked at in vain, so that a caller can pause.
 */
function* candidates(routes: readonly CompiledRoute[], exchange: Exchange): Generator<Candidate | null, undefined> {
  const isClaimable = exchange.request.uri.rawPath.startsWith('/.well-known/');
  for (const own of Map.groupBy(routes, ({ tenant }) => tenant).values()) {
    for (const route of isClaimable ? own : []) {
      const claims = route.refuses !== true && claimsPlace(route.document, exchange);
      yield claims ? { route, claims } : null;
    }
    for (const route of own) yield { route, claims: false };
  }
}

/** A route that was asked. Its values are read only if it is shown. */
interface JudgedRoute {
  readonly tried: Omit<TriedRoute, 'values'>;
  values(): readonly SeenValue[];
}

function claimingRoute(route: CompiledRoute, question: RouterQuestion): JudgedRoute {
  const { id, name, document } = route;
  const source = document['condition'] ?? null;
  const condition = source === null ? null : String(source);
  const tried = { id, name, condition, verdict: true, claims: true as const, ...answersOf(route, question) };
  return { tried, values: () => [] };
}

function judgeRoute(route: CompiledRoute, question: RouterQuestion): JudgedRoute {
  const { id, name, document } = route;
  const { exchange } = question;
  const source: JsonValue = document['condition'] ?? null;
  const refuses = route.refuses === true ? { refuses: true as const } : {};
  if (source === null) {
    const tried = { id, name, condition: null, verdict: true, ...refuses, ...answersOf(route, question) };
    return { tried, values: () => [] };
  }
  let reason: string | null = null;
  const failed = (_: string, why: string): void => {
    reason ??= why;
  };
  const reading = readingOf(route, question, failed);
  const expression = parseConfig(runtimeFlag(), source, reading, ['condition']).value;
  const verdict = expression?.read(exchange, null) ?? null;
  const why = reason === null ? {} : { reason };
  const answers = verdict === true ? answersOf(route, question) : {};
  return {
    tried: { id, name, condition: String(source), verdict, ...why, ...refuses, ...answers },
    values: () => (expression === undefined ? [] : seenValues([expression], reading, exchange)),
  };
}

function answersOf(route: CompiledRoute, question: RouterQuestion): Pick<TriedRoute, 'answers'> {
  if (route.refuses === true) return {};
  const reading = readingOf(route, question, () => {});
  const answers = answeringFilter(route.document, question.exchange, reading);
  return answers === null ? {} : { answers };
}

function readingOf(
  { document, tenant }: CompiledRoute,
  { documents, setting }: RouterQuestion,
  failed: (source: string, reason: string) => void,
): Reading {
  const reach = tenant === undefined ? operatorReach(setting.reach) : tenantReach({});
  return documentReading(reach, [...documents, document], failed);
}
