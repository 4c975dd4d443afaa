import { z } from 'zod';
import {
  type BackendsSummary,
  type ControllerMessage,
  type DescribedRequest,
  type EndedRecord,
  type Explain,
  type Explained,
  MOST_ENTRIES,
  MOST_SEALED,
  MOST_SUMMARIES,
  type Notice,
  type PlaneMessage,
  REFRESH_STAGES,
  type RefreshNews,
  type RouteReport,
} from './channel.ts';
import type { JsonObject, JsonValue } from './document/json-value.ts';
import type { ForbiddenPlace } from './egress.ts';
import { readIpAddress } from './ip-address.ts';
import { problemCodes } from './problem.ts';
import { MOST_COUNTS } from './route-counts.ts';
import { MOST_REPORTED } from './route-report.ts';
import { dryRun } from './shown/dry-run-schema.ts';
import {
  type BaseEntry,
  type ForbiddenAddresses,
  type GroupSessionKeys,
  type PlaneTrust,
  type ResourceChanges,
  type RouteEntry,
  type RouteKey,
  SESSION_KEYS,
  type ServerCertificate,
  type ServiceEndpoints,
  type ServiceTarget,
  type SharedObjects,
  type SharedResource,
  type Tenant,
} from './snapshot.ts';

const text = z.string();
/** What is kept and shown of a plane although it says nothing about routes. */
const short = text.max(256);
const labels = z.record(text, text);
const document = z.custom<JsonObject>((value) => typeof value === 'object' && value !== null && !Array.isArray(value));
const count = z.number().int().nonnegative();
const routeKey = z.object({ router: text, id: text });
const routeWithHash = routeKey.extend({ hash: text });
const source = z.object({ uid: text, resourceVersion: text });
const sources = z.array(source).readonly();

/** Holds a schema to every field of what it reads, so that none is lost on the way. */
type EveryField<T> = { readonly [Field in keyof Required<T>]: z.ZodType };

const routeEntry = z.object({
  router: text,
  id: text,
  name: text,
  document,
  hash: text,
  refuses: z.exactOptional(z.literal(true)),
  tenant: z.exactOptional(text),
  resources: z.exactOptional(z.record(text, text)),
  files: z.exactOptional(z.record(text, text)),
  stores: z.exactOptional(z.array(text)),
  sources: z.exactOptional(sources),
  generation: z.exactOptional(count),
} satisfies EveryField<RouteEntry>);

const trust = z.object({
  tenants: z.array(z.object({ name: text, hosts: z.array(text) } satisfies EveryField<Tenant>)),
  egress: z.array(text),
  sharedObjects: z.array(text),
  auditQueueBytes: z.exactOptional(count),
} satisfies EveryField<PlaneTrust>);

const baseEntry = z.object({
  document,
  admin: z.exactOptional(document),
  hash: text,
  trust: z.exactOptional(trust),
  sources: z.exactOptional(sources),
} satisfies EveryField<BaseEntry>);

const portNumber = z.number().int().min(1).max(65_535);
const numericAddress = text.refine((address) => readIpAddress(address) !== null);

const forbiddenAddresses = z.object({
  type: z.literal('forbidden-addresses'),
  key: text,
  hash: text,
  places: z.array(
    z.object({
      address: numericAddress,
      port: z.exactOptional(portNumber),
    } satisfies EveryField<ForbiddenPlace>),
  ),
} satisfies EveryField<ForbiddenAddresses>);

const sharedObjects = z.object({
  type: z.literal('objects'),
  key: text,
  hash: text,
  objects: z.array(document).min(1),
  files: z.record(text, text),
  sources: z.exactOptional(sources),
} satisfies EveryField<SharedObjects>);

const sessionKeys = z.object({
  type: z.literal('session-keys'),
  key: z.literal(SESSION_KEYS),
  hash: text,
  // 32 bytes each
  keys: z
    .array(text.regex(/^[\w-]{43}$/))
    .min(1)
    .max(3),
  sources: z.exactOptional(sources),
} satisfies EveryField<GroupSessionKeys>);

const serverCertificate = z.object({
  type: z.literal('server-certificate'),
  key: text,
  hash: text,
  tenant: text,
  hosts: z.record(text, text),
  chain: text,
  privateKey: text,
  sources: z.exactOptional(sources),
} satisfies EveryField<ServerCertificate>);

const serviceEndpoints = z.object({
  type: z.literal('service-endpoints'),
  key: text,
  hash: text,
  ports: z.array(z.object({ name: text, port: portNumber })),
  targets: z.array(
    z.object({
      addresses: z.array(numericAddress).min(1),
      ports: z.record(text, portNumber),
      draining: z.exactOptional(z.literal(true)),
      zones: z.exactOptional(z.array(text)),
    } satisfies EveryField<ServiceTarget>),
  ),
  externalName: z.exactOptional(text),
  sources: z.exactOptional(sources),
} satisfies EveryField<ServiceEndpoints>);

const TYPES = ['forbidden-addresses', 'objects', 'session-keys', 'server-certificate', 'service-endpoints'];
/** What is no resource of a known type. */
const unknownResource = z.looseObject({ type: text.refine((type) => !TYPES.includes(type)) }).transform(() => null);

/** A newer controller may send types that this plane does not know: those are left out, and asked for again later. */
const sharedResources = z
  .array(
    z.union([forbiddenAddresses, sharedObjects, sessionKeys, serverCertificate, serviceEndpoints, unknownResource]),
  )
  .transform((all): readonly SharedResource[] => all.filter((one) => one !== null));

const resourceChanges = z.object({
  set: sharedResources,
  remove: z.array(text),
} satisfies EveryField<ResourceChanges>);

const path = z.array(z.union([text, z.number()]));

const problem = z.object({
  // A newer plane may know codes that this controller does not: what it could not build stays told.
  code: z.enum(problemCodes).catch('build'),
  severity: z.enum(['error', 'warning']),
  path,
  message: text,
  hint: z.exactOptional(text),
  others: z.exactOptional(z.array(path)),
});

const routeProblems = z.array(
  z.object({ route: routeKey.nullable(), problems: z.array(problem), keepsServing: z.boolean() }),
);

const heartbeat = z.object({ type: z.literal('heartbeat') });

const noticeKinds = z.array(short).max(16);

/** News of sessions, also between controllers. */
export const notice = z.object({
  type: z.literal('notice'),
  kind: z.literal('ended-session'),
  entries: z
    .array(
      z.object({
        key: text.regex(/^[\w-]{16}$/),
        at: count,
      } satisfies EveryField<EndedRecord>),
    )
    .max(MOST_ENTRIES),
} satisfies EveryField<Notice>);

const digest = (characters: number) => text.regex(new RegExp(`^[\\w-]{${characters}}$`));

/** News of token refreshes, also between controllers. */
export const refreshNews = z.object({
  type: z.literal('refresh'),
  realm: digest(16),
  key: digest(43),
  stage: z.enum(REFRESH_STAGES),
  claim: z.exactOptional(count),
  sealed: z.exactOptional(text.max(MOST_SEALED)),
  until: z.exactOptional(count),
} satisfies EveryField<RefreshNews>);

export const backendsSummary = z.object({
  router: text,
  route: text,
  name: text,
  total: count,
  ejected: count,
  down: count,
} satisfies EveryField<BackendsSummary>);

/** A request for a dry run, also between controllers. */
export const describedRequest = z.object({
  method: text,
  uri: text,
  headers: z.array(text),
  entity: z.exactOptional(z.custom<JsonValue>()),
} satisfies EveryField<DescribedRequest>);

const explain = z.object({
  type: z.literal('explain'),
  number: count,
  request: describedRequest,
  route: z.exactOptional(text),
} satisfies EveryField<Explain>);

const explained = z.object({
  type: z.literal('explained'),
  number: count,
  dryRun: z.exactOptional(dryRun),
  failure: z.exactOptional(text),
} satisfies EveryField<Explained>);

/** Every message of a plane. */
export const planeMessage: z.ZodType<PlaneMessage> = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    protocol: z.number(),
    version: short,
    catalogue: short,
    units: count,
    name: text.max(253),
    labels: z.exactOptional(labels),
    holds: z.object({
      revision: short.nullable(),
      base: short.nullable(),
      routes: z.array(z.tuple([text, text, text])),
      resources: z.exactOptional(z.array(z.tuple([text, text]))),
    }),
    notices: z.exactOptional(noticeKinds),
    explains: z.exactOptional(z.literal(true)),
  }),
  z.object({
    type: z.literal('ack'),
    nonce: count,
    revision: text,
    problems: routeProblems,
    newer: z.array(routeKey),
  }),
  z.object({ type: z.literal('nack'), nonce: count, revision: text, problems: routeProblems }),
  z.object({ type: z.literal('recalled'), routes: z.array(routeEntry) }),
  explained,
  z.object({
    type: z.literal('report'),
    revision: short.nullable(),
    ready: z.boolean(),
    unitsServing: count,
    clock: z.number(),
    since: short,
    memory: z.exactOptional(count),
    confirmed: z.exactOptional(z.number()),
    backends: z.exactOptional(z.array(backendsSummary).max(MOST_SUMMARIES)),
    routes: z.array(
      routeKey.extend({
        name: text,
        figures: z.array(z.number()).max(MOST_REPORTED),
        counts: z.exactOptional(z.array(z.number()).max(MOST_COUNTS)),
      } satisfies EveryField<Omit<RouteReport, keyof RouteKey>>),
    ),
  }),
  notice,
  refreshNews,
  heartbeat,
]);

/** Every message of a controller. */
export const controllerMessage: z.ZodType<ControllerMessage> = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('welcome'),
    controller: text,
    plane: text,
    group: text,
    namespace: text.nullable(),
    labels,
    heartbeat: z.number().positive(),
    report: z.number().positive(),
    authorities: z.exactOptional(text),
    notices: z.exactOptional(noticeKinds),
  }),
  z.object({
    type: z.literal('update'),
    nonce: count,
    revision: text,
    full: z.boolean(),
    more: z.exactOptional(z.literal(true)),
    base: baseEntry.nullable(),
    set: z.array(routeEntry),
    remove: z.array(routeKey.extend({ source: z.exactOptional(source) })),
    keep: z.array(routeWithHash),
    defaults: z.array(text),
    seen: text.nullable(),
    resources: z.exactOptional(resourceChanges),
  }),
  z.object({ type: z.literal('recall'), routes: z.array(routeWithHash) }),
  explain,
  notice,
  refreshNews,
  heartbeat,
  z.object({ type: z.literal('goaway'), reason: text }),
]);
