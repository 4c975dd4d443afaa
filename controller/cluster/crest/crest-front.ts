import { hkdfSync } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { errorAnswer } from '../../../contract/crest/crest-answer.ts';
import { CrestError } from '../../../contract/crest/crest-error.ts';
import type { DescribedSchema, EndpointDescription } from '../../../contract/crest/describe/description.ts';
import { PageCookies } from '../../../contract/crest/page-cookie.ts';
import type { CrestEndpoint } from '../../../contract/crest/provider.ts';
import { transactionIdOf } from '../../../contract/crest/transaction-id.ts';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { AdminAnswer } from '../../../platform/admin/admin-answer.ts';
import { type AdminRefusal, openGuard } from '../../../platform/admin/admin-guard.ts';
import type { AdminCall, AdminPath } from '../../../platform/admin/admin-table.ts';
import { type CrestTree, crestRefusal, treeAnswer } from '../../../platform/admin/crest-path.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import type { PlaneReport } from '../../admin/status-report.ts';
import type { AdmissionJudge } from '../../admission/admission-judge.ts';
import { PERMISSIONS } from '../../manage/permissions.ts';
import { INFO_DESCRIPTION, routeDescription } from '../../manage/route-description.ts';
import { PLANE_DESCRIPTION } from '../../manage/shown-plane.ts';
import type { ApiCaller, ApiOnBehalf } from '../api/api-client.ts';
import { isOlderVersion } from '../api/resource-version.ts';
import type { ClusterSource } from '../cluster-source.ts';
import { bearerToken } from '../identity/reviews.ts';
import { credentialFilter } from '../sign-in/credential-filter.ts';
import { bearerCredentials, type RequestCredentials } from '../sign-in/request-credentials.ts';
import { type AnsweredCall, collectionOf, operationOf } from './answered-call.ts';
import type { CallerGate } from './caller-gate.ts';
import { type Caller, unauthenticated, unavailable } from './caller-review.ts';
import { CallerSlots } from './caller-slots.ts';
import { clusterObjects } from './cluster-objects.ts';
import { clusterPermissions } from './cluster-permissions.ts';
import { type ClusterPlanesParts, clusterPlanes, recentAnswer } from './cluster-planes.ts';
import { CLUSTER_ROUTE_STATE, type ClusterRouteStatesParts, clusterRouteStates } from './cluster-route-states.ts';
import { type ClusterRouteVersionsParts, clusterRouteVersions } from './cluster-route-versions.ts';
import { type ClusterRoutesParts, clusterRoutes } from './cluster-routes.ts';
import { clusterTree } from './cluster-tree.ts';
import { ASKED_OF_PLANES, type ExplainedPlanes } from './explain-for-caller.ts';
import { QueryTurns } from './query-turns.ts';
import { ResourceItems } from './resource-items.ts';
import type { RoutePlace } from './route-place.ts';
import { RouteWriter } from './route-writer.ts';
import { CLUSTER_SERVICE, CLUSTER_STORE, shownAuditResource, shownSecretStore } from './shown-resources.ts';

export interface CrestFrontOptions extends ExplainedPlanes, Pick<ClusterRouteStatesParts, 'served' | 'verdicts'> {
  readonly api: Pick<ApiCaller, 'call'> & ApiOnBehalf;
  readonly source: Pick<ClusterSource, 'resources' | 'resource' | 'isFollowed' | 'chosenNamespaces' | 'onChange'>;
  readonly judge: AdmissionJudge;
  /** Facts about the server, such as its version. */
  readonly info: JsonObject;
  /** Judges who asks. */
  readonly gate: CallerGate;
  /** Finds the token of a request; by default in its Authorization header. */
  readonly credentials?: RequestCredentials | undefined;
  /** Returns all data planes. @throws Error when the leader cannot be asked for them */
  planes(): Promise<readonly PlaneReport[]>;
  /** Reads the versions of Routes; absent or null if none are kept. */
  readonly history?: Pick<ClusterRouteVersionsParts, 'versions'> | null;
  /** Returns the schema of a route document. */
  readonly routeSchema: () => Promise<DescribedSchema>;
  readonly clock?: Clock;
  /** Returns true once everything has been listed. */
  isListed(): boolean;
  /** Text that only controllers know, and all of them. */
  secret(): string;
  /** Called after each request. */
  answered?(call: AnsweredCall): void;
}

const ROOTS = ['/api', '/openig/api'];
const LONGEST_BODY = 1_048_576;
/** Milliseconds that a change waits for the cache. */
const SEEN_WITHIN = 2_000;
/** Explanations under way: each looks at all routes of a tenant. */
const EXPLANATIONS = { each: 2, all: 8 };
/** Histories of Routes that are read at a time: each takes megabytes while it is decompressed. */
const HISTORIES = { each: 4, all: 16 };

/** Serves Common REST to users of the cluster. Every request brings a token, and nothing of it outlives the request. */
export class CrestFront {
  private readonly options: CrestFrontOptions;
  private readonly clock: Clock;
  private readonly parts: ClusterRoutesParts;
  private readonly description: EndpointDescription;
  private readonly readOnly: readonly ReadOnlyKind[];
  private readonly planes: ClusterPlanesParts;
  private readonly states: ClusterRouteStatesParts;
  private readonly histories = new CallerSlots(HISTORIES);
  private cookies: { readonly secret: string; readonly made: PageCookies } | null = null;

  constructor(options: CrestFrontOptions) {
    const { source, judge, gate, clock = systemClock } = options;
    this.options = options;
    this.clock = clock;
    this.description = clusterRouteDescription(options.routeSchema);
    const turns = new QueryTurns(clock);
    this.parts = {
      ...{ source, items: new ResourceItems(), review: gate.review, judge },
      ...{ explain: options.explain, evaluate: options.evaluate, live: options.live, dryRuns: options.dryRuns },
      dryRan: (made) => options.dryRan?.(made),
      explanations: new CallerSlots(EXPLANATIONS),
      cookies: () => this.pageCookies(),
      inTurn: (run) => turns.run(run),
    };
    const { cookies, inTurn } = this.parts;
    this.planes = { review: gate.review, cookies, inTurn, planes: recentAnswer(() => options.planes(), clock) };
    const served = recentAnswer(() => options.served(), clock);
    this.states = { source, review: gate.review, cookies, inTurn, served, verdicts: () => options.verdicts() };
    this.readOnly = READ_ONLY.map(({ shown, ...kind }) => ({ ...kind, items: new ResourceItems(shown) }));
  }

  /** Paths for a server that speaks TLS: tokens of people arrive there. */
  get paths(): AdminPath[] {
    const { gate, credentials = bearerCredentials } = this.options;
    const filter = credentialFilter({ gate, credentials, refused: (...refused) => this.refused(...refused) });
    return ROOTS.map((root) => ({
      ...{ method: '*', path: `${root}/*`, guard: openGuard, filter, longestBody: LONGEST_BODY },
      refused: crestRefusal,
      answer: (call) => this.answer(root, call),
    }));
  }

  private refused(
    request: IncomingMessage,
    { status }: AdminRefusal,
    caller: Caller | null,
    milliseconds: number,
  ): void {
    const { method = '', headersDistinct, url = '' } = request;
    const [path = '', search = ''] = url.split('?', 2);
    const query = new URLSearchParams(search);
    const operation = operationOf({ method, query, header: (name) => headersDistinct[name]?.[0] ?? null });
    const root = ROOTS.find((one) => path === one || path.startsWith(`${one}/`)) ?? '';
    const name = caller?.name ?? null;
    this.answered({ root, caller: name, operation, path, status, milliseconds, transactionId: null });
  }

  private async answer(root: string, call: AdminCall): Promise<AdminAnswer> {
    const begun = this.clock.steady();
    const transactionId = transactionIdOf(call.header, false);
    const { path } = call;
    let caller: Caller | null = null;
    let status = 500;
    try {
      const token = bearerToken(call.header('authorization'));
      caller = await this.options.gate.review.caller(token, call.remoteAddress);
      if (token === null) throw unauthenticated('send Authorization: Bearer with a token of the cluster');
      if (!this.options.isListed()) throw unavailable('the controller has not read the cluster yet');
      const answer = await treeAnswer({ ...this.tree(caller, token), transactionId }, root, call);
      ({ status } = answer);
      return answer;
    } catch (error) {
      if (!(error instanceof CrestError)) throw error;
      ({ status } = error);
      return answerOf(error);
    } finally {
      const milliseconds = this.clock.steady() - begun;
      const operation = operationOf(call);
      this.answered({ root, caller: caller?.name ?? null, operation, path, status, milliseconds, transactionId });
    }
  }

  private answered({ root, ...call }: Omit<AnsweredCall, 'collection'> & { readonly root: string }): void {
    this.options.answered?.({ ...call, collection: collectionOf(root, call.path) });
  }

  private tree(caller: Caller, token: string): CrestTree {
    const { options, parts } = this;
    const { api, judge, source } = options;
    const writer = new RouteWriter({
      ...{ api, token, judge, inTurn: parts.inTurn },
      isFollowed: (namespace) => source.isFollowed(namespace),
      known: ({ namespace, name }) => source.resource('Route', namespace, name),
      seen: (place, version) => this.seen(place, version),
    });
    const provider = clusterRoutes(parts, { caller, writer });
    const others = this.readOnly.map(({ path, kind, items, describes }): [string, CrestEndpoint] => [
      path,
      { kind: 'collection', describes, provider: clusterObjects({ ...parts, source, kind, items }, caller) },
    ]);
    const endpoints = {
      info: {
        kind: 'singleton',
        describes: INFO_DESCRIPTION,
        provider: { read: async () => ({ id: null, revision: null, content: options.info }) },
      },
      routes: { kind: 'collection', provider, describes: this.description },
      planes: { kind: 'collection', provider: clusterPlanes(this.planes, caller), describes: PLANE_DESCRIPTION },
      'route-states': {
        kind: 'collection',
        provider: clusterRouteStates(this.states, caller),
        describes: CLUSTER_ROUTE_STATE,
      },
      permissions: { kind: 'collection', provider: clusterPermissions(parts, caller), describes: PERMISSIONS },
      ...Object.fromEntries(others),
    } as const;
    const { history = null } = options;
    const inSlot = <T>(read: () => Promise<T>): Promise<T> => this.histories.run(caller.party, read);
    const versionsOf = (id: string): CrestEndpoint | null =>
      history &&
      clusterRouteVersions({ ...parts, versions: (route) => inSlot(() => history.versions(route)) }, caller, id);
    return { ...clusterTree(endpoints, String(options.info['version'] ?? ''), versionsOf), inTurn: parts.inTurn };
  }

  /** Resolves when the cache has a version or a later one, or after a while: the answer is right in any case. */
  private seen({ namespace, name }: RoutePlace, version: string | null): Promise<void> {
    const { source } = this.options;
    const isSeen = (): boolean => {
      const known = source.resource('Route', namespace, name)?.resourceVersion ?? null;
      if (known === null || version === null) return known === version || !source.isFollowed(namespace);
      return !isOlderVersion(known, version);
    };
    if (isSeen()) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        callOff();
        leave();
        resolve();
      };
      const callOff = this.clock.after(SEEN_WITHIN, end);
      const leave = source.onChange(() => {
        if (isSeen()) end();
      });
    });
  }

  /** The key follows the secret of the controllers, so that all of them read the cookies of each. */
  private pageCookies(): PageCookies {
    const secret = this.options.secret();
    if (this.cookies?.secret !== secret) {
      const key = Buffer.from(hkdfSync('sha256', secret, '', 'gatewarden page cookies', 32));
      this.cookies = { secret, made: new PageCookies(key) };
    }
    return this.cookies.made;
  }
}

/** Kinds that are only read: what a read leaves out, a write would take away. */
const READ_ONLY = [
  { path: 'secret-stores', kind: 'SecretStore', describes: CLUSTER_STORE, shown: shownSecretStore },
  { path: 'audit-services', kind: 'AuditService', describes: CLUSTER_SERVICE, shown: shownAuditResource },
] as const;

type ReadOnlyKind = Omit<(typeof READ_ONLY)[number], 'shown'> & { readonly items: ResourceItems };

function clusterRouteDescription(schema: () => Promise<DescribedSchema>): EndpointDescription {
  const { actions = [], ...description } = routeDescription(schema);
  return {
    ...description,
    description: 'Routes of the cluster, as far as the caller may see them.',
    actions: actions.map((action) => (action.name === 'explain' ? { ...action, request: ASKED_OF_PLANES } : action)),
  };
}

function answerOf(error: CrestError): AdminAnswer {
  const { status, headers, body } = errorAnswer(error, false);
  const { 'content-type': type = '', ...others } = headers;
  return { status, type, headers: others, body: String(body) };
}
