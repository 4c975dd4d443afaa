import { z } from 'zod';
import type { EndedRecord, Notice, RefreshNews, Report, RouteProblems } from '../../../contract/channel.ts';
import { backendsSummary, notice, refreshNews } from '../../../contract/channel-schema.ts';
import { inNotices } from '../../../contract/notice-log.ts';
import { problemCodes } from '../../../contract/problem.ts';
import type { PlaneIdentity } from '../channel/plane-identity.ts';
import { type DryRunAnswer, type DryRunQuestion, dryRunAnswer, dryRunQuestion } from '../dry-run-question.ts';

/** The method by which controllers tell the leader of their planes: a stream of JSON messages both ways. */
export const PEER_METHOD = '/gatewarden.v1.Peer/Forward';

/** The method by which a follower asks the leader for all planes: one answer, as JSON. */
export const PEER_PLANES_METHOD = '/gatewarden.v1.Peer/Planes';

/** The method by which a follower asks the leader how data planes serve Routes: one answer, as JSON. */
export const PEER_ROUTES_METHOD = '/gatewarden.v1.Peer/Routes';

/** The method by which a follower has the leader find a data plane for a dry run: one question, one answer, as JSON. */
export const PEER_DRY_RUN_METHOD = '/gatewarden.v1.Peer/DryRun';

/** The version of these messages. A leader refuses a follower that speaks another one, and its planes are not counted. */
export const PEER_PROTOCOL = 1;

/** A controller introduces itself. */
export interface PeerHello {
  readonly type: 'peer';
  readonly protocol: number;
  readonly controller: string;
  /** Milliseconds since 1970 on its clock, which tells all other times that it sends. */
  readonly clock: number;
  /** Set if it takes `explain`; absent from older controllers. */
  readonly explains?: true;
}

/** The leader asks for a dry run on a data plane of a follower. */
export interface PeerExplain {
  readonly type: 'explain';
  readonly number: number;
  readonly question: DryRunQuestion;
}

/** The answer to `explain`. */
export interface PeerExplained {
  readonly type: 'explained';
  readonly number: number;
  readonly answer: DryRunAnswer;
}

/** Running version of a data plane under one key, and its problems there; null for none. */
export type ForwardedRoute = readonly [key: string, hash: string | null, problems: RouteProblems | null];

/** How a plane stands. */
export interface ForwardedPlane {
  readonly type: 'plane';
  readonly identity: PlaneIdentity;
  readonly connectedSince: number;
  readonly version: string;
  /** Absent from older controllers. */
  readonly units?: number;
  /** Set if it makes dry runs. */
  readonly explains?: true;
  readonly pending: { readonly revision: string; readonly sentAt: number } | null;
  readonly revision: string | null;
  /** Whether routes that are not named are gone; otherwise they are as before. */
  readonly full: boolean;
  readonly routes: readonly ForwardedRoute[];
}

export interface ForwardedReport {
  readonly type: 'report';
  readonly plane: string;
  readonly at: number;
  readonly report: Report;
}

/** The stream of a plane has ended. */
export interface ForwardedLeave {
  readonly type: 'left';
  readonly plane: string;
}

/** Notices of planes of one scope, which controllers tell each other in both directions. */
export interface ForwardedNotice extends Notice {
  /** By `noticeScope`. */
  readonly scope: string;
}

/** A token refresh of planes of one scope, likewise. */
export interface ForwardedRefresh extends RefreshNews {
  /** By `noticeScope`. */
  readonly scope: string;
}

export interface PeerHeartbeat {
  readonly type: 'heartbeat';
  /** Kinds of notices that a leader takes: older ones end the stream at the first. */
  readonly notices?: readonly string[];
}

export type FollowerMessage =
  | PeerHello
  | ForwardedPlane
  | ForwardedReport
  | ForwardedLeave
  | ForwardedNotice
  | ForwardedRefresh
  | PeerExplained
  | PeerHeartbeat;
export type LeaderMessage = ForwardedNotice | ForwardedRefresh | PeerExplain | PeerHeartbeat;

const text = z.string();
const routeKey = z.object({ router: text, id: text });
const path = z.array(z.union([text, z.number()]));

const problems = z.object({
  route: routeKey.nullable(),
  problems: z.array(
    z.object({
      code: z.enum(problemCodes).catch('build'),
      severity: z.enum(['error', 'warning']),
      path,
      message: text,
      hint: z.exactOptional(text),
      others: z.exactOptional(z.array(path)),
    }),
  ),
  keepsServing: z.boolean(),
});

const identity = z.object({
  id: text,
  name: text,
  group: text,
  namespace: text.nullable(),
  labels: z.record(text, text),
  isSidecar: z.boolean(),
  until: z.number().nullable(),
});

const report = z.object({
  type: z.literal('report'),
  revision: text.nullable(),
  ready: z.boolean(),
  unitsServing: z.number(),
  clock: z.number(),
  since: text,
  memory: z.exactOptional(z.number()),
  confirmed: z.exactOptional(z.number()),
  backends: z.exactOptional(z.array(backendsSummary)),
  routes: z.array(
    routeKey.extend({ name: text, figures: z.array(z.number()), counts: z.exactOptional(z.array(z.number())) }),
  ),
});

const scope = text.refine(isScope);
const forwardedNotice = notice.extend({ scope });
const forwardedRefresh = refreshNews.extend({ scope });
const heartbeat = z.object({ type: z.literal('heartbeat'), notices: z.exactOptional(z.array(text)) });

const followerMessage: z.ZodType<FollowerMessage> = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('peer'),
    protocol: z.number(),
    controller: text.min(1),
    clock: z.number(),
    explains: z.exactOptional(z.literal(true)),
  }),
  z.object({
    type: z.literal('plane'),
    identity,
    connectedSince: z.number(),
    version: text,
    units: z.exactOptional(z.number()),
    explains: z.exactOptional(z.literal(true)),
    pending: z.object({ revision: text, sentAt: z.number() }).nullable(),
    revision: text.nullable(),
    full: z.boolean(),
    routes: z.array(z.tuple([text, text.nullable(), problems.nullable()])),
  }),
  z.object({ type: z.literal('report'), plane: text, at: z.number(), report }),
  z.object({ type: z.literal('left'), plane: text }),
  forwardedNotice,
  forwardedRefresh,
  z.object({ type: z.literal('explained'), number: z.number(), answer: dryRunAnswer }),
  heartbeat,
]);

const leaderMessage: z.ZodType<LeaderMessage> = z.discriminatedUnion('type', [
  forwardedNotice,
  forwardedRefresh,
  z.object({ type: z.literal('explain'), number: z.number(), question: dryRunQuestion }),
  heartbeat,
]);

export function encodePeerMessage(message: FollowerMessage | LeaderMessage): Buffer {
  return Buffer.from(JSON.stringify(message));
}

/** Entries of a scope, in messages. */
export function noticeMessages(scope: string, entries: readonly EndedRecord[]): ForwardedNotice[] {
  return inNotices(entries).map((piece) => ({ type: 'notice', kind: 'ended-session', scope, entries: piece }));
}

/** @returns null when it is none of these messages. */
export function decodePeerMessage(bytes: Uint8Array): FollowerMessage | null {
  return decoded(bytes, followerMessage);
}

/** @returns null for something else, which a newer leader may send */
export function decodeLeaderMessage(bytes: Uint8Array): LeaderMessage | null {
  return decoded(bytes, leaderMessage);
}

function decoded<T>(bytes: Uint8Array, schema: z.ZodType<T>): T | null {
  try {
    const read = schema.safeParse(JSON.parse(new TextDecoder().decode(bytes)));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}

/** Whether a text is a scope as `noticeScope` makes it. */
function isScope(scope: string): boolean {
  try {
    const parts: unknown = JSON.parse(scope);
    const isNamed = (part: unknown): boolean => typeof part === 'string' || part === null;
    return Array.isArray(parts) && parts.length >= 1 && parts.length <= 2 && parts.every(isNamed);
  } catch {
    return false;
  }
}
