import { onTestFinished } from 'vitest';
import { consoleSealing } from '../../../cli/actions/console/console-sealing.ts';
import { evaluateExpression } from '../../../cli/actions/evaluate-expression.ts';
import { explainAction, routeSchema } from '../../../cli/actions/managed-api.ts';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { ResourceKind } from '../../../contract/resources/resource.ts';
import type { PlaneReport } from '../../../controller/admin/status-report.ts';
import type { ApiAnswer, ApiRequest } from '../../../controller/cluster/api/api-client.ts';
import { CallerGate } from '../../../controller/cluster/crest/caller-gate.ts';
import { CrestFront, type CrestFrontOptions } from '../../../controller/cluster/crest/crest-front.ts';
import type { DryRunPlanes, MadeDryRun } from '../../../controller/cluster/crest/explain-for-caller.ts';
import { ConsoleSessions } from '../../../controller/cluster/sign-in/console-sessions.ts';
import { openidPaths } from '../../../controller/cluster/sign-in/openid-paths.ts';
import type { OpenidSignIn } from '../../../controller/cluster/sign-in/openid-sign-in.ts';
import { consoleCredentials } from '../../../controller/cluster/sign-in/request-credentials.ts';
import { sessionPaths } from '../../../controller/cluster/sign-in/session-paths.ts';
import type { ServedRoute } from '../../../controller/cluster/status/served-routes.ts';
import { publishedCompilation } from '../../../controller/published-compilation.ts';
import { closedGuard } from '../../../platform/admin/admin-guard.ts';
import { AdminServer } from '../../../platform/admin/admin-server.ts';
import { AdminTable } from '../../../platform/admin/admin-table.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import type { CompiledCluster } from '../cluster/compiled-cluster.ts';
import { noDryRuns } from './no-dry-runs.ts';

/** Rights of users by name, such as `list routes shop`, `get secretstores shop/keys`, `* * *` or `get /status`. */
export type UserRights = Readonly<Record<string, readonly string[]>>;

interface Attributes {
  readonly verb: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** Reviews as an API server answers them. */
function reviewing(rights: UserRights, asked: string[], userOf: (token: string) => string) {
  const isAllowed = (user: string, { verb, resource, namespace = '*', name = '*' }: Attributes): boolean => {
    asked.push(`${user} ${verb} ${resource} ${namespace}/${name}`);
    return (rights[user] ?? []).some((right) => {
      const [ofVerb = '', ofResource = '', place = ''] = right.split(' ');
      const [ofNamespace = '', ofName = '*'] = place.split('/');
      return (
        ['*', verb].includes(ofVerb) &&
        ['*', resource].includes(ofResource) &&
        ['*', namespace].includes(ofNamespace) &&
        ['*', name].includes(ofName)
      );
    });
  };
  return {
    async call({ path, body }: ApiRequest): Promise<ApiAnswer> {
      const { spec } = body as { spec: Record<string, unknown> };
      if (path.endsWith('tokenreviews')) {
        const username = userOf(String(spec['token']));
        const authenticated = Object.hasOwn(rights, username);
        return { status: 201, body: { status: { authenticated, user: { username, groups: [] } } } };
      }
      const user = String(spec['user']);
      const url = spec['nonResourceAttributes'] as { readonly verb: string; readonly path: string } | undefined;
      const allowed =
        url === undefined
          ? isAllowed(user, spec['resourceAttributes'] as Attributes)
          : (rights[user] ?? []).includes(`${url.verb} ${url.path}`);
      return { status: 201, body: { status: { allowed } } };
    },
    async callAs(): Promise<never> {
      throw new Error('nothing is written here');
    },
  };
}

/** Parts of a controller that differ from the usual ones. */
export type FrontSetting = {
  readonly isFollowed?: (namespace: string) => boolean;
  readonly served?: () => Promise<readonly ServedRoute[]>;
  /** Versions of Routes; by default none are kept. */
  readonly history?: NonNullable<CrestFrontOptions['history']>;
  /** Data planes for dry runs; none by default. */
  readonly dryRuns?: DryRunPlanes;
  /** Keys of console sessions; nobody can sign in without them. */
  readonly consoleKeys?: () => readonly string[];
  /** Signs people in to the console at this origin. */
  readonly openid?: (origin: string) => Promise<OpenidSignIn>;
  /** Returns the user of a token; by default the token is the name of its user. */
  readonly userOf?: (token: string) => string;
  readonly clock?: Clock;
};

/** Serves Common REST of a controller whose cluster is in memory; the rights of its users are given. */
export async function compiledFront(
  cluster: CompiledCluster,
  rights: UserRights,
  planes: () => Promise<readonly PlaneReport[]> = async () => [],
  setting: FrontSetting = {},
) {
  const { isFollowed = () => true, served = async () => [], consoleKeys, openid, clock = systemClock } = setting;
  const { userOf = (token) => token, history, dryRuns = noDryRuns } = setting;
  const asked: string[] = [];
  const seen = { seen: null, versionOf: () => null };
  const mapOf = (kind: ResourceKind) =>
    ({ Route: cluster.routes, SecretStore: cluster.secretStores, AuditService: cluster.auditServices })[kind];
  const resource = (kind: ResourceKind, namespace: string, name: string) =>
    mapOf(kind).get(`${namespace}/${name}`) ?? null;
  const api = reviewing(rights, asked, userOf);
  const compilation = cluster.compile();
  const gate = new CallerGate({ api, rate: 100_000, clock });
  const sessions = consoleKeys && new ConsoleSessions(consoleSealing(consoleKeys), clock);
  const signedIn: string[] = [];
  const rejected: number[] = [];
  const dryRan: MadeDryRun[] = [];
  const front = new CrestFront({
    ...{
      api,
      gate,
      credentials: sessions && consoleCredentials(sessions),
      info: { version: '1' },
      routeSchema: routeSchema(),
    },
    planes,
    history: history ?? null,
    evaluate: evaluateExpression,
    dryRuns,
    dryRan: (made) => void dryRan.push(made),
    served,
    verdicts: () => compilation.resources?.verdicts ?? [],
    explain: explainAction({
      reach: { env: {}, system: {}, directories: { instance: '/', config: '/', temp: '/tmp' } },
    }),
    live: { published: publishedCompilation(compilation, seen) },
    judge: { judge: () => ({ problems: [], notes: [], breaks: [] }) },
    source: {
      resources: mapOf,
      resource,
      isFollowed,
      chosenNamespaces: [],
      onChange: () => () => undefined,
    },
    isListed: () => true,
    secret: () => 'shared',
  });
  const failures: unknown[] = [];
  const failed = (error: unknown): void => void failures.push(error);
  let table = new AdminTable(front.paths);
  const server = new AdminServer({
    ...{ table: () => table, guard: closedGuard('nothing'), longestHead: 32_768, failed },
  });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close());
  const unfinished: string[] = [];
  if (sessions !== undefined) {
    const provider = (await openid?.(`https://127.0.0.1:${port}`)) ?? null;
    const parts = { gate, sessions, clock, openid: provider, signedIn: (user: string) => void signedIn.push(user) };
    const paths = sessionPaths({ ...parts, rejected: (status: number) => void rejected.push(status) });
    const ofOpenid =
      provider &&
      openidPaths({
        ...{ ...parts, openid: provider },
        failed: (problem, reason) => void unfinished.push(`${problem}: ${reason}`),
      });
    table = new AdminTable([...front.paths, ...paths, ...(ofOpenid ?? [])]);
  }
  /** @param line such as `GET /api/info` */
  const ask = async (user: string, line: string, body?: unknown) => {
    const [method = 'GET', path = ''] = line.split(' ');
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization: `Bearer ${user}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, text, body: text.startsWith('{') ? (JSON.parse(text) as JsonObject) : {} };
  };
  return { ask, asked, failures, port, signedIn, rejected, unfinished, dryRan };
}
