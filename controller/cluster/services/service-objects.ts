import { isIP } from 'node:net';
import { z } from 'zod';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { SERVICE_GRANT } from '../../../contract/resources/service-reference.ts';
import type { ServicePort } from '../../compile/resources/shared/service-content.ts';

/** Label of an EndpointSlice that names its Service. */
export const SERVICE_NAME = 'kubernetes.io/service-name';

/** A Service as far as its endpoints are concerned. */
export interface ServiceObject {
  readonly resourceVersion: string;
  /** Host name that a Service of type ExternalName stands for, in lower case; null for all others. */
  readonly externalName: string | null;
  readonly ports: readonly ServicePort[];
  /** Address families (4, 6), the preferred one first. */
  readonly families: readonly number[];
  readonly allowedNamespaces: readonly string[];
}

/** One endpoint of an EndpointSlice. */
export interface SliceEndpoint {
  readonly address: string;
  /** The object behind the address, such as the uid of a Pod; null where the slice does not say. */
  readonly target: string | null;
  readonly state: 'ready' | 'draining';
  readonly zones: readonly string[] | null;
}

/** An EndpointSlice without the endpoints that never get requests. */
export interface SliceObject {
  readonly namespace: string;
  readonly name: string;
  readonly service: string;
  /** Set when it has host names in the place of addresses: none of its endpoints is used. */
  readonly hasHostNames: boolean;
  /** TCP ports by name. */
  readonly ports: Readonly<Record<string, number>>;
  readonly endpoints: readonly SliceEndpoint[];
  /** Places that its endpoints would need, if there was no room for them; otherwise 0. */
  readonly leftOut: number;
}

/** Longest text that stands for the object behind an address: a kind, a namespace and a name have room. */
const MOST_TEXT = 600;

const optional = <T extends z.ZodType>(schema: T) => schema.nullish();

const service = z.looseObject({
  metadata: z.looseObject({ resourceVersion: z.string(), annotations: optional(z.record(z.string(), z.string())) }),
  spec: z.looseObject({
    type: optional(z.string()),
    externalName: optional(z.string()),
    ipFamilies: optional(z.array(z.string())),
    ports: optional(
      z.array(z.looseObject({ name: optional(z.string()), port: z.number(), protocol: optional(z.string()) })),
    ),
  }),
});

const slice = z.looseObject({
  metadata: z.looseObject({ namespace: z.string(), name: z.string(), labels: z.record(z.string(), z.string()) }),
  addressType: z.string(),
  ports: optional(
    z.array(z.looseObject({ name: optional(z.string()), port: optional(z.number()), protocol: optional(z.string()) })),
  ),
  endpoints: optional(
    z.array(
      z.looseObject({
        addresses: z.array(z.string()),
        conditions: optional(
          z.looseObject({
            ready: optional(z.boolean()),
            serving: optional(z.boolean()),
            terminating: optional(z.boolean()),
          }),
        ),
        targetRef: optional(
          z.looseObject({
            kind: optional(z.string()),
            namespace: optional(z.string()),
            name: optional(z.string()),
            uid: optional(z.string()),
          }),
        ),
        hints: optional(z.looseObject({ forZones: optional(z.array(z.looseObject({ name: z.string() }))) })),
      }),
    ),
  ),
});

/** Reads a Service. It is the same object as before if nothing but its status has changed. */
export function serviceObject(raw: JsonObject, before: ServiceObject | null): ServiceObject {
  const { metadata, spec } = service.parse(raw);
  const ports = (spec.ports ?? []).map(({ name, port, protocol }) => ({
    name: name ?? '',
    port,
    protocol: protocol ?? 'TCP',
  }));
  const now = {
    externalName: spec.type === 'ExternalName' ? hostName(spec.externalName ?? '') : null,
    ports,
    families: (spec.ipFamilies ?? []).map((family) => (family === 'IPv6' ? 6 : 4)),
    allowedNamespaces: (metadata.annotations?.[SERVICE_GRANT] ?? '').split(',').flatMap((name) => name.trim() || []),
  };
  const made = { resourceVersion: metadata.resourceVersion, ...now };
  if (before === null) return made;
  const { resourceVersion: _, ...then } = before;
  return JSON.stringify(then) === JSON.stringify(now) ? before : made;
}

/** Kubernetes also takes a dot at the end. */
function hostName(text: string): string {
  const lower = text.toLowerCase();
  return lower.endsWith('.') ? lower.slice(0, -1) : lower;
}

/** Reads an EndpointSlice; null for one of no Service. */
export function sliceObject(raw: JsonObject, before: SliceObject | null): SliceObject | null {
  const { metadata, addressType, ports, endpoints } = slice.parse(raw);
  const name = metadata.labels[SERVICE_NAME];
  if (name === undefined) return null;
  const family = addressType === 'IPv4' ? 4 : addressType === 'IPv6' ? 6 : null;
  const now: SliceObject = {
    namespace: metadata.namespace,
    name: metadata.name,
    service: name,
    hasHostNames: family === null && (endpoints ?? []).length > 0,
    ports: Object.fromEntries(
      (ports ?? []).flatMap((one) =>
        (one.protocol ?? 'TCP') === 'TCP' && one.port ? [[one.name ?? '', one.port] as const] : [],
      ),
    ),
    endpoints: (endpoints ?? []).flatMap((one): SliceEndpoint[] => {
      const [address] = one.addresses; // all of them stand for the same target
      const state = stateOf(one.conditions ?? {});
      if (address === undefined || state === null || isIP(address) !== family) return [];
      const { kind, namespace, name: called, uid } = one.targetRef ?? {};
      const named = uid ?? (called ? `${kind ?? ''}/${namespace ?? ''}/${called}` : null);
      const target = named !== null && named.length > MOST_TEXT ? null : named;
      const zones = one.hints?.forZones?.map((zone) => zone.name) ?? [];
      return [{ address, target, state, zones: zones.length === 0 ? null : zones }];
    }),
    leftOut: 0,
  };
  return before !== null && JSON.stringify(before) === JSON.stringify(now) ? before : now;
}

/** Returns the state that decides about requests; conditions that are absent count as the API defines them. */
function stateOf(conditions: {
  readonly ready?: boolean | null | undefined;
  readonly serving?: boolean | null | undefined;
  readonly terminating?: boolean | null | undefined;
}): SliceEndpoint['state'] | null {
  const isReady = conditions.ready ?? true;
  if (isReady) return 'ready';
  const isServing = conditions.serving ?? isReady;
  return isServing && conditions.terminating === true ? 'draining' : null;
}
