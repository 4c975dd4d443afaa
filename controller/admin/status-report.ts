import type { BackendsSummary, RouteProblems } from '../../contract/channel.ts';
import { type Problem, pathText } from '../../contract/problem.ts';
import { routeKeyFrom } from '../../contract/snapshot.ts';
import { errorText } from '../../platform/error-text.ts';
import type { ReflectorFacts } from '../cluster/api/reflector-facts.ts';
import type { ControllerIdentity } from '../cluster/identity/controller-identity.ts';
import type { ResourceVerdict } from '../compile/resources/resource-verdict.ts';
import { BASE_PROBLEMS, type PlaneFacts, type TimedReport } from '../publish/plane-facts.ts';
import { type PlaneState, planeState } from '../publish/plane-state.ts';

/** Data of `gatewarden status`. */
export interface StatusReport {
  readonly controller: string;
  readonly leader: ControllerIdentity | null;
  readonly isLeader: boolean;
  /** What it waits for before it is ready; null when it is. */
  readonly waitsFor: string | null;
  readonly revision: string | null;
  /** Names of the controllers that follow this one. */
  readonly followers: readonly string[];
  /** Why the base configuration that was written is not used. */
  readonly baseProblems: readonly string[];
  /** Why session keys cannot be read or written; absent when they can. */
  readonly sessionKeysFault?: string;
  readonly resources: readonly ResourceCount[];
  readonly watches: readonly WatchReport[];
  /** All planes; of a follower that could not ask the leader, those that have their stream with it. */
  readonly planes: readonly PlaneReport[];
  /** Why a follower could not ask the leader for all planes. */
  readonly leaderFault?: string;
}

export interface ResourceCount {
  readonly kind: string;
  readonly count: number;
  readonly notAccepted: number;
  readonly refsNotResolved: number;
}

export interface WatchReport {
  readonly kind: string;
  readonly scope: string;
  readonly isSynced: boolean;
  readonly objects: number;
  /** Milliseconds since something was heard; null when nothing ever was. */
  readonly age: number | null;
  readonly relists: number;
  readonly fault: string | null;
}

/** State of a data plane. Optional members are missing from a leader of an older version. */
export interface PlaneReport {
  /** Name for people, with the namespace. */
  readonly plane: string;
  readonly name?: string;
  readonly namespace?: string | null;
  readonly labels?: Readonly<Record<string, string>>;
  readonly isSidecar?: boolean;
  readonly group: string;
  readonly controller: string;
  readonly state: PlaneState;
  readonly version: string;
  /** Milliseconds that it has been connected. */
  readonly age: number;
  readonly revision: string | null;
  /** Milliseconds that an update has waited to run; null when none does. */
  readonly lag: number | null;
  readonly routes: number;
  /** Null before its first report. */
  readonly ready: boolean | null;
  /** Milliseconds that its clock is ahead of the controller's, with what the report took; null before its first report. */
  readonly clockAhead: number | null;
  /** RFC 3339; null without a stream. */
  readonly connectedSince?: string | null;
  /** Milliseconds since a controller last confirmed what it serves; null before its first report. */
  readonly snapshotAge?: number | null;
  readonly units?: number | null;
  readonly unitsServing?: number | null;
  /** Resident memory in bytes. */
  readonly memory?: number | null;
  /** State of its Backends; missing before its first report, where there are none, and from older versions. */
  readonly backends?: readonly BackendsSummary[];
  readonly problems: readonly PlaneProblem[];
  readonly problemCount?: number;
}

export interface PlaneProblem {
  /** Null for the base configuration. */
  readonly router?: string | null;
  readonly route: string;
  readonly message: string;
  readonly keepsServing?: boolean;
}

export interface StatusReportSource {
  readonly controller: string;
  readonly leader: ControllerIdentity | null;
  readonly isLeader: boolean;
  readonly waitsFor: string | null;
  readonly revision: string | null;
  readonly followers: readonly string[];
  readonly baseProblems: readonly string[];
  readonly sessionKeysFault: string | null;
  readonly verdicts: readonly ResourceVerdict[];
  readonly reflectors: readonly ReflectorFacts[];
  readonly planes: readonly PlaneFacts[];
  isConnected(plane: string): boolean;
  /** The newest revision for planes like this one; null when there is none. */
  revisionFor(plane: PlaneFacts): string | null;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** How many problems of one plane, or of the base configuration, are told. */
export const MOST_PROBLEMS = 20;

export function statusReport(source: StatusReportSource): StatusReport {
  const { controller, leader, isLeader, waitsFor, revision, followers, baseProblems, now } = source;
  const planes = source.planes.map((facts) => planeReport(facts, source));
  return {
    controller,
    leader,
    isLeader,
    waitsFor,
    revision,
    followers,
    baseProblems: baseProblems.slice(0, MOST_PROBLEMS),
    ...(source.sessionKeysFault === null ? {} : { sessionKeysFault: source.sessionKeysFault }),
    resources: resourceCounts(source.verdicts),
    watches: source.reflectors.map(({ kind, scope, isSynced, objects, heardAt, relists, fault }) => {
      return { kind, scope, isSynced, objects, age: heardAt === null ? null : now - heardAt, relists, fault };
    }),
    planes: planes.toSorted((a, b) => (a.plane < b.plane ? -1 : 1)),
  };
}

/** The report of a follower, with all planes that the leader knows. @param ask asks the leader, whose answer is JSON */
export async function withLeaderPlanes(own: StatusReport, ask: () => Promise<Buffer>): Promise<StatusReport> {
  try {
    return { ...own, planes: readPlanes(await ask()) };
  } catch (error) {
    return { ...own, leaderFault: errorText(error) };
  }
}

/** Reads the planes that a leader sent. @throws Error for anything else */
export function readPlanes(sent: Buffer): PlaneReport[] {
  const planes: unknown = JSON.parse(sent.toString('utf8'));
  if (!Array.isArray(planes)) throw new Error('it sent an unexpected response');
  return planes as PlaneReport[];
}

function resourceCounts(verdicts: readonly ResourceVerdict[]): ResourceCount[] {
  return [...Map.groupBy(verdicts, ({ resource }) => resource.kind)].map(([kind, all]) => ({
    kind,
    count: all.length,
    notAccepted: all.filter(({ accepted }) => !accepted.status).length,
    refsNotResolved: all.filter(({ resolvedRefs }) => !resolvedRefs.status).length,
  }));
}

function planeReport(facts: PlaneFacts, { now, isConnected, revisionFor }: StatusReportSource): PlaneReport {
  const { identity, controller, version, connectedSince, revision, pending, running, problems, lastReport } = facts;
  const { namespace, name, group, labels, isSidecar } = identity;
  const hasStream = isConnected(identity.id);
  const { report } = lastReport ?? {};
  return {
    plane: namespace === null ? name : `${namespace}/${name}`,
    ...{ name, namespace, labels, isSidecar },
    group,
    controller,
    state: planeState(facts, hasStream, revisionFor(facts)),
    version,
    age: now - connectedSince,
    revision,
    lag: pending === null ? null : now - pending.sentAt,
    routes: running.size,
    ready: report?.ready ?? null,
    clockAhead: lastReport === null ? null : lastReport.report.clock - lastReport.at,
    connectedSince: hasStream ? new Date(connectedSince).toISOString() : null,
    snapshotAge: snapshotAge(lastReport, now),
    units: facts.units ?? null,
    unitsServing: report?.unitsServing ?? null,
    memory: report?.memory ?? null,
    ...(report?.backends !== undefined && { backends: report.backends }),
    problems: [...problems].slice(0, MOST_PROBLEMS).map(([key, parts]) => planeProblem(key, parts)),
    problemCount: problems.size,
  };
}

/** By the clock of the plane up to its report, and by ours since then. */
function snapshotAge(last: TimedReport | null, now: number): number | null {
  if (last?.report.confirmed === undefined) return null;
  return Math.max(0, last.report.clock - last.report.confirmed + now - last.at);
}

function planeProblem(key: string, { problems, keepsServing }: RouteProblems): PlaneProblem {
  const { router, id } = key === BASE_PROBLEMS ? { router: null, id: 'config.json' } : routeKeyFrom(key);
  return { router, route: id, message: firstProblem(problems), keepsServing };
}

/** Returns the first error of a part that could not be built, with its path. */
export function firstProblem(problems: readonly Problem[]): string {
  const first = problems.find(({ severity }) => severity === 'error') ?? problems[0];
  const path = first === undefined ? '' : pathText(first.path);
  return `${path === '' ? '' : `${path}: `}${first?.message ?? 'could not be built'}`;
}
